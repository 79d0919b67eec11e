from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli import command_line

# A method and a reader with mistakes in them, as a user's own file may have.
EXTENSION = """
from dataclasses import dataclass
from typing import ClassVar

@dataclass(frozen=True)
class Broken:
    kind: ClassVar[str] = "broken"
    def plan(self, scenes, rng):
        raise KeyError("Authorization: Bearer abcdefgh12345678")
        yield
    def summarise(self, tallies):
        return []
"""


anamorph = functools.partial(command_line.anamorph, cwd=Path())


def test_an_error_that_nobody_foresaw_is_exit_3_with_one_sentence_and_its_trace_in_the_run(
    tmp_path: Path, photos: Callable[..., Path]
) -> None:
    (tmp_path / "broken.py").write_text(EXTENSION)
    flags = ("-m", "broken", "-s", f"folder:{photos(1)}", "-y", "callable:x:y", "--load", tmp_path / "broken.py")
    run = tmp_path / "run"
    done = anamorph("plan", *flags, "-o", run)
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("Error: Anamorph failed in a way that it should not (KeyError: ")
    (trace,) = run.glob("error-*.txt")
    assert last.endswith(f"The trace is in {trace}.")
    content = trace.read_text()
    assert "Traceback" in content and "broken.py" in content and "in plan" in content
    assert "abcdefgh12345678" not in content + done.stderr


def test_without_a_run_the_trace_is_in_the_users_cache_or_where_one_can_write(
    tmp_path: Path, photos: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.py").write_text(EXTENSION)
    flags = ("-m", "broken", "-s", f"folder:{photos(1)}", "-y", "callable:x:y", "--load", tmp_path / "broken.py")
    cache = tmp_path / "cache"
    done = anamorph("plan", *flags, XDG_CACHE_HOME=str(cache))
    (trace,) = (cache / "anamorph" / "errors").glob("error-*.txt")
    assert done.returncode == 3 and str(trace) in done.stderr

    (tmp_path / "file").touch()
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    # As in a process that has not looked for it yet.
    monkeypatch.setattr(tempfile, "tempdir", None)
    done = anamorph("plan", *flags, XDG_CACHE_HOME=str(tmp_path / "file"), TMPDIR=str(temporary))
    (trace,) = temporary.glob("error-*.txt")
    assert done.returncode == 3 and str(trace) in done.stderr
