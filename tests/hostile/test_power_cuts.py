"""The power fails at any moment of a run: what was said to be committed is there, and the run goes on from there."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import pytest
from PIL import Image

from anamorph.store.run import RUN_FILE, RunStore
from tests.cli.test_kills import answers, verdicts
from tests.hostile.conftest import Command
from tests.hostile.power_cuts import Change, Disk, Kind, Luck, Names, library, read_journal, restore

# Notes what it is asked and shown, and answers from the bytes alone.
SYSTEM = """
import hashlib, json, sys
from pathlib import Path
THINGS = ["dog", "cat", "car", "bus"]
with open(sys.argv[1], "a") as seen:
    for line in sys.stdin:
        request = json.loads(line)
        image = Path(request["image"])
        digest = hashlib.sha256(image.read_bytes()).hexdigest()[:32]
        print(request["id"], digest, image.stem, file=seen, flush=True)
        print(json.dumps({"id": request["id"], "text": "a " + THINGS[int(digest[0], 16) // 4]}), flush=True)
"""
# Says what is committed in a file, which is noted like everything else. SQLite's log is written back often, so that
# there are power cuts in the middle of that, too.
RUN = """
import json, os, sys
from pathlib import Path
from anamorph.config import resolve
from anamorph.engine.events import Answered
from anamorph.engine.run import carry_out, start
from anamorph.store import run
connect = run.connect
def connect_with(path, **how):
    connection = connect(path, **how)
    connection.executescript(sys.argv[4])
    return connection
run.connect = connect_with
said = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
config = resolve(json.loads(sys.argv[2]))
with start(config, Path(sys.argv[3])) as store:
    for event in carry_out(store, config):
        if isinstance(event, Answered):
            os.write(said, (event.probe + "\\n").encode())
"""
OFTEN = "PRAGMA wal_autocheckpoint = 15"
PHOTOS = 12
MOMENTS = 6
# Of the cuts after which a run is only opened; 1 is all of them.
EVERY = int(os.environ.get("ANAMORPH_POWER_CUTS_EVERY", "10"))


@dataclass(frozen=True)
class Recorded:
    """A run that nothing happened to, and all that it changed on the disk."""

    folder: Path
    disk: Path
    changes: list[Change]
    config: dict[str, object]

    @property
    def run(self) -> Path:
        return self.disk / "run"

    @property
    def sayings(self) -> list[int]:
        """The moments right after an answer was said to be committed."""
        [file] = (each.inode for each in self.changes if each.paths == (str(self.disk / "said"),))
        return [n for n, each in enumerate(self.changes, 1) if each.kind is Kind.WRITE and each.inode == file]

    def said_before(self, moment: int) -> set[str]:
        """The probes whose answers were said to be committed."""
        said = (self.changes[n - 1] for n in self.sayings if n <= moment)
        return {line for each in said for line in each.content.decode().split()}

    def moments(self, rng: Random) -> list[int]:
        """When the power fails: at any change, and right after something was said."""
        anywhere = [rng.randrange(len(self.changes)) for _ in range(MOMENTS // 2)]
        return anywhere + rng.sample(self.sayings, MOMENTS // 2)


def record(folder: Path, pragmas: str = OFTEN) -> Recorded:
    preloaded = library(folder)
    photos, disk = folder / "photos", folder / "disk"
    photos.mkdir()
    disk.mkdir()
    for index in range(PHOTOS):
        noise = np.random.default_rng(index).integers(0, 256, (16, 24, 3), dtype=np.uint8)
        Image.fromarray(noise).save(photos / f"{index:03}.png")
    (folder / "system.py").write_text(SYSTEM)
    config: dict[str, object] = {
        "methods": ["deeptest"],
        "scenes": f"folder:{photos}",
        "system": f"command:{sys.executable} {folder / 'system.py'} {folder / 'seen.log'}",
        "ask": {"batch": 3},
    }
    journal = folder / "journal"
    done = subprocess.run(
        [sys.executable, "-c", RUN, disk / "said", json.dumps(config), disk / "run", pragmas],
        env={
            **os.environ,
            "LD_PRELOAD": str(preloaded),
            "POWER_CUT_ROOT": str(disk),
            "POWER_CUT_JOURNAL": str(journal),
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    if not journal.exists():
        pytest.skip("this system does not let a library note what a process writes")
    return Recorded(folder, disk, read_journal(journal), config)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return record(tmp_path_factory.mktemp("power"))


def contents(folder: Path) -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def test_everything_that_a_run_changes_is_noted(recorded: Recorded) -> None:
    disk = Disk(recorded.disk, "with the file")
    disk.play(recorded.changes)
    assert disk.left("everything", Random(0)) == contents(recorded.disk)
    assert len(recorded.said_before(len(recorded.changes))) == 5 * PHOTOS
    writes = [each for each in recorded.changes if each.kind is Kind.WRITE]
    assert len({each.inode for each in writes}) > 5 * PHOTOS


def left_by_cut(recorded: Recorded, moment: int, luck: Luck, names: Names, rng: Random, place: Path) -> Path:
    disk = Disk(recorded.disk, names)
    disk.play(recorded.changes[:moment])
    restore(disk.left(luck, rng), recorded.disk, place)
    index = place / "run" / f"{RUN_FILE}-shm"
    if index.exists():
        # Never synced by anybody.
        index.write_bytes(rng.randbytes(32768))
    return place / "run"


@pytest.mark.slow
@pytest.mark.parametrize("names", ["with the file", "with the folder"])
@pytest.mark.parametrize("luck", ["nothing", "any", "everything"])
def test_a_run_whose_power_is_cut_keeps_what_it_said_was_committed_and_goes_on(
    recorded: Recorded, luck: Luck, names: Names, anamorph: Command, tmp_path: Path
) -> None:
    rng = Random(f"{luck}:{names}")
    seen = recorded.folder / "seen.log"
    for number, moment in enumerate(recorded.moments(rng)):
        run = left_by_cut(recorded, moment, luck, names, rng, tmp_path / f"cut-{number}")
        said = recorded.said_before(moment)
        where = f"cut at change {moment} of {len(recorded.changes)}"
        seen.write_text("")
        if (run / RUN_FILE).exists():
            check_what_is_left(run, said, names, where)
            words: tuple[object, ...] = ("resume", run, "--no-report")
        else:
            assert not said, where
            file = tmp_path / f"{number}.toml"
            settings = "\n".join(
                f"{key} = {json.dumps(recorded.config[key])}" for key in ("methods", "scenes", "system")
            )
            file.write_text(f"{settings}\n[ask]\nbatch = 3\n")
            words = ("run", file, "--out", run, "--no-report")
        done = anamorph(*words)
        # What captions alone contradict are leads, which fail no run.
        assert done.code == 0, f"{where}: {done.err}"
        shown = [line.split() for line in seen.read_text().splitlines()]
        assert all(digest == name for _, digest, name in shown), where
        assert not said & {probe for probe, _, _ in shown}, f"{where}: what was committed was asked again"
        assert answers(run) == answers(recorded.run), where
        assert verdicts(run) == verdicts(recorded.run), where


@pytest.mark.slow
@pytest.mark.parametrize("names", ["with the file", "with the folder"])
@pytest.mark.parametrize("luck", ["nothing", "any"])
def test_wherever_the_power_is_cut_the_run_opens_and_has_what_it_said_was_committed(
    recorded: Recorded, luck: Luck, names: Names, tmp_path: Path
) -> None:
    rng = Random(f"everywhere:{luck}:{names}")
    moments = {*range(rng.randrange(EVERY), len(recorded.changes), EVERY), *recorded.sayings}
    for moment in sorted(moments):
        run = left_by_cut(recorded, moment, luck, names, rng, tmp_path / str(moment))
        said = recorded.said_before(moment)
        where = f"cut at change {moment} of {len(recorded.changes)}"
        if (run / RUN_FILE).exists():
            check_what_is_left(run, said, names, where)
        else:
            assert not said, where


def check_what_is_left(run: Path, said: set[str], names: Names, where: str) -> None:
    with RunStore.open(run) as store:
        assert store.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",), where
        found = store.connection.execute(
            """SELECT lower(hex(p.digest)), i.file FROM answers a JOIN probes p ON p.id = a.probe
            JOIN images i ON i.id = p.image"""
        ).fetchall()
        assert said <= {probe for probe, _ in found}, f"{where}: an answer that was said to be committed is lost"
        if names == "with the file":
            for _, file in found:
                content = store.images.path(file).read_bytes()
                assert hashlib.sha256(content).hexdigest()[:32] == file[:32], f"{where}: an answer without its image"


@pytest.mark.slow
def test_a_run_that_does_not_wait_for_the_disk_would_be_caught(tmp_path: Path) -> None:
    recorded = record(tmp_path, "PRAGMA synchronous = NORMAL")
    last = recorded.sayings[-1]
    run = left_by_cut(recorded, last, "nothing", "with the folder", Random(0), tmp_path / "cut")
    with pytest.raises(AssertionError, match="said to be committed is lost"):
        check_what_is_left(run, recorded.said_before(last), "with the folder", "cut")
