"""A run on a disc that cannot be written: whatever reads it works, with --out for what is written."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from anamorph.store.run import RunStore
from tests.conftest import ROOT
from tests.hostile.conftest import Command


def on_read_only_media(folder: Path, words: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command in a world of its own, in which the folder is mounted read-only."""
    place = shlex.quote(str(folder))
    mount = f"mount --bind {place} {place} && mount -o remount,ro,bind {place} {place} && exec {shlex.join(words)}"
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    return subprocess.run(
        ["unshare", *user, "--mount", "sh", "-c", mount],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "200"},
        cwd=folder.parent,
        capture_output=True,
        text=True,
    )


@pytest.fixture
def run(tmp_path: Path, photos: Callable[..., Path], anamorph: Command, monkeypatch: pytest.MonkeyPatch) -> Path:
    disc = tmp_path / "disc"
    disc.mkdir()
    if not shutil.which("unshare") or on_read_only_media(disc, ["sh", "-c", "! touch disc/file"]).returncode:
        pytest.skip("needs unshare and the right to mount")
    photos(2)
    (tmp_path / "system.py").write_text("def caption(images, questions): return [str(i.mean()) for i in images]\n")
    monkeypatch.chdir(tmp_path)
    parts = (
        "-m",
        "deeptest",
        "--set",
        "deeptest.compare=wording",
        "-s",
        "folder:photos",
        "-y",
        "callable:system.py:caption",
        "-o",
        "disc/run",
    )
    assert anamorph("run", *parts, "--no-report").code == 1
    shutil.copytree("disc/run", "disc/copy")
    return disc / "run"


COMMANDS = {
    "report": ["report", "disc/run", "--out", "report"],
    "export": ["export", "disc/run", "--to", "jsonl", "-o", "out", "--which", "all"],
    "compare": ["compare", "disc/run", "disc/copy"],
    "label-errors": ["label-errors", "disc/run"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_run_on_read_only_media_can_be_read(name: str, run: Path) -> None:
    done = on_read_only_media(run.parent, [sys.executable, "-m", "anamorph.cli.main", *COMMANDS[name]])
    assert done.returncode == 0, done.stderr
    if name == "report":
        report = run.parent.parent / "report"
        assert (report / "index.html").is_file() and list((report / "images").rglob("*.jpg"))


def test_a_run_that_was_not_closed_is_not_read_without_its_last_answers(run: Path) -> None:
    with RunStore.open(run) as store:
        store.connection.execute("PRAGMA wal_autocheckpoint = 0")
        with store.transaction():
            store.set_fact("last", 1)
        shutil.copy(run / "run.sqlite-wal", run / "saved")
    shutil.move(run / "saved", run / "run.sqlite-wal")
    words = [sys.executable, "-m", "anamorph.cli.main", "report", "disc/run", "--out", "report"]
    done = on_read_only_media(run.parent, words)
    assert done.returncode == 2 and "was not closed" in done.stderr and "Copy its folder" in done.stderr
