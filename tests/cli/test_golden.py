"""Whole outputs of commands, kept as files; `ANAMORPH_GOLDEN=write make test` writes them anew."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.test_commands import CAPTIONER, anamorph

GOLDEN = Path(__file__).parent / "golden"


def check(name: str, told: str) -> None:
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("ANAMORPH_GOLDEN") == "write":
        file.parent.mkdir(exist_ok=True)
        file.write_text(told)
    assert told == file.read_text(), f"{file} differs; if the new output is right, write it with ANAMORPH_GOLDEN=write"


@pytest.mark.parametrize("words", ["--help", "run --help", "list", "list methods deeptest", "list systems command"])
def test_what_is_told_about_commands_and_names(tmp_path: Path, words: str) -> None:
    done = anamorph(*words.split(), cwd=tmp_path)
    assert done.returncode == 0
    check(re.sub(r"[^a-z]+", "-", words).strip("-"), done.stdout)


def test_what_a_run_tells(tmp_path: Path, photos: Callable[..., Path]) -> None:
    photos(6)
    (tmp_path / "captioner.py").write_text(CAPTIONER)
    (tmp_path / "photos" / "broken.jpg").write_bytes(b"\xff\xd8\xff")
    words = ("-m", "deeptest", "-s", "folder:photos", "-y", "callable:captioner.py:caption", "-o", "run")
    done = anamorph("run", *words, "--set", "deeptest.brightness=0.5", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    progress = re.sub(r"\([\d,]+/s[^)]*\)", "(RATE)", done.stderr.replace(f"{tmp_path}/", ""))
    # What Pillow says of a broken file is Pillow's.
    progress = re.sub(r"\(\w+Error: [^)]*\)", "(PILLOW)", progress)
    check("run", f"{done.stdout}--- standard error\n{progress}")


def test_what_a_plan_tells(tmp_path: Path, photos: Callable[..., Path]) -> None:
    photos(6)
    done = anamorph("plan", "-m", "deeptest", "-s", "folder:photos", cwd=tmp_path)
    check("plan", done.stdout)
