"""Whole outputs of commands, kept as files; `ANAMORPH_GOLDEN=write make test` writes them anew."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from anamorph import catalog
from anamorph.config.presets.files import preset, preset_names
from tests.cli.command_line import anamorph
from tests.cli.test_commands import CAPTIONER

GOLDEN = Path(__file__).parent / "golden"


def check(name: str, said: str) -> None:
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("ANAMORPH_GOLDEN") == "write":
        file.parent.mkdir(exist_ok=True)
        file.write_text(said)
    assert said == file.read_text(), f"{file} differs; if the new output is right, write it with ANAMORPH_GOLDEN=write"


@pytest.mark.parametrize("words", ["--help", "run --help", "list methods deeptest", "list systems command"])
def test_what_is_said_about_commands_and_names(tmp_path: Path, words: str) -> None:
    done = anamorph(*words.split(), cwd=tmp_path)
    assert done.returncode == 0
    check(re.sub(r"[^a-z]+", "-", words).strip("-"), done.stdout)


def test_the_list_of_everything_is_the_catalogue_with_the_first_line_of_each_docstring(tmp_path: Path) -> None:
    wanted = {
        group: {name: (catalog.find(group, name).__doc__ or "").partition("\n")[0].strip() for name in sorted(names)}
        for group, names in catalog.CATALOG.items()
    }
    wanted["presets"] = {name: preset(name).summary for name in preset_names()}
    listed = json.loads(anamorph("list", "--json", cwd=tmp_path).stdout)
    assert {group: {row["name"]: row["summary"] for row in rows} for group, rows in listed.items()} == wanted
    shown = anamorph("list", cwd=tmp_path).stdout
    assert all(len(line) <= 120 for line in shown.splitlines())
    assert all(name in shown for names in wanted.values() for name in names)
    entries = " ".join(anamorph("list", "methods", cwd=tmp_path).stdout.split())
    assert all(f"{name} {summary}" in entries for name, summary in wanted["methods"].items())


def test_what_a_run_says(tmp_path: Path, photos: Callable[..., Path]) -> None:
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


def test_what_a_plan_says(tmp_path: Path, photos: Callable[..., Path]) -> None:
    photos(6)
    done = anamorph("plan", "-m", "deeptest", "-s", "folder:photos", cwd=tmp_path)
    check("plan", done.stdout)
