"""What killed processes leave half-written is removed by the next one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from anamorph.report.folders import new_folder
from anamorph.store.run import RunStore
from tests.conftest import ROOT
from tests.hostile.conftest import Command

KILLED = """
import os, sys
from pathlib import Path
from anamorph.store import images
from anamorph.store.run import RunStore
store = RunStore.open(Path(sys.argv[1]))
images.os.replace = lambda *_: os._exit(9)
store.images.write(b"an image", ".jpg")
"""
REPORTING = """
import os, sys
from pathlib import Path
from anamorph.report.folders import new_folder
with new_folder(Path(sys.argv[1])) as draft:
    (draft / "half").write_text("a report")
    os.utime(draft, (int(sys.argv[3]),) * 2)
    if sys.argv[2] == "killed":
        os._exit(9)
    print("writing", flush=True)
    sys.stdin.read()
"""


def python(program: str, *words: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> int:
    process.communicate(timeout=300)
    return process.returncode


def test_drafts_of_images_are_removed_when_a_run_goes_on(
    tmp_path: Path, photos: Callable[..., Path], anamorph: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    photos(1)
    (tmp_path / "system.py").write_text("def caption(images, questions): return ['a dog'] * len(images)\n")
    monkeypatch.chdir(tmp_path)
    parts = ("-m", "deeptest", "-s", "folder:photos", "-y", "callable:system.py:caption", "-o", "run")
    assert anamorph("run", *parts, "--no-report").code == 0
    before = sorted((tmp_path / "run" / "images").rglob("*"))
    assert finish(python(KILLED, tmp_path / "run")) == 9
    mine = tmp_path / "run" / "images" / ".keep"
    mine.touch()
    assert len(list((tmp_path / "run" / "images").rglob(".*"))) == 2
    with RunStore.open(tmp_path / "run", read_only=True):
        assert len(list((tmp_path / "run" / "images").rglob(".*"))) == 2
    assert anamorph("resume", "run", "--no-report").code == 0
    assert sorted((tmp_path / "run" / "images").rglob("*")) == sorted([*before, mine])


def test_an_image_that_cannot_be_written_leaves_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with RunStore.create(tmp_path, {}) as store:
        store.images.write(b"first", ".jpg")

        def full(file: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "write", lambda file, content: full(file))
        with pytest.raises(OSError, match="No space left"):
            store.images.write(b"second", ".jpg")
    assert len([path for path in (tmp_path / "images").rglob("*") if path.is_file()]) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there, drafts are known by their age alone")
def test_drafts_of_reports_are_removed_once_their_writer_is_gone(tmp_path: Path) -> None:
    report, minutes_ago = tmp_path / "report", int(time.time()) - 300
    assert finish(python(REPORTING, report, "killed", minutes_ago)) == 9
    writing = python(REPORTING, report, "alive", minutes_ago)
    assert writing.stdout is not None and writing.stdout.readline() == "writing\n"
    (living,) = tmp_path.glob(".report.*.partial")
    with new_folder(report) as draft:
        assert {*tmp_path.glob(".report.*.partial")} == {living, draft}
        assert (living / "half").is_file()
    assert finish(writing) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report"]
