"""A run that is killed while its file is made: the next attempt simply starts again."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from anamorph.errors import RunError
from anamorph.store.run import RunStore
from anamorph.store.schema import create_tables
from tests.conftest import ROOT

# Dies, as if killed, when this function is called for the nth time.
DYING = """
import os, sys
from pathlib import Path
from anamorph.store import run
owner, name, count = sys.argv[2], sys.argv[3], int(sys.argv[4])
place = getattr(run, owner) if owner else run
real, calls = getattr(place, name), []
def dying(*arguments, **settings):
    calls.append(name)
    if len(calls) == count:
        os._exit(9)
    return real(*arguments, **settings)
setattr(place, name, dying)
run.RunStore.create(Path(sys.argv[1]), {"config": {"seed": 7}, "directory": "/"}).close()
"""
MOMENTS = [
    ("", "_remove_run_file", 1),
    ("", "create_tables", 1),
    ("RunStore", "set_fact", 1),
    ("RunStore", "set_fact", 4),
    ("", "sign", 1),
    ("Path", "replace", 1),
]


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda each: f"{each[1]} {each[2]}")
def test_a_run_killed_at_birth_is_simply_started_again(moment: tuple[str, str, int], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    done = subprocess.run(
        [sys.executable, "-c", DYING, folder, *map(str, moment)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 9, done.stderr
    assert not (folder / "run.sqlite").exists(), "a run file appears whole"
    check_that_it_can_begin(folder)


def test_a_run_killed_right_after_its_birth_is_whole(tmp_path: Path) -> None:
    words = [str(tmp_path / "run"), "", "connect", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    assert subprocess.run([sys.executable, "-c", DYING, *words], env=environment).returncode == 9
    with RunStore.open(tmp_path / "run") as store:
        assert store.fact("config") == {"seed": 7}


def check_that_it_can_begin(folder: Path) -> None:
    with RunStore.create(folder, {"config": {"seed": 8}}) as store:
        assert store.fact("config") == {"seed": 8}
        assert [store.count(table) for table in ("scenes", "cases", "answers")] == [0, 0, 0]
    assert sorted(file.name for file in folder.iterdir() if file.name != "run.lock") == ["run.sqlite"]
    with RunStore.open(folder, read_only=True) as store:
        assert store.fact("config") == {"seed": 8}


def empty(path: Path) -> None:
    path.touch()


def only_a_header(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")


def tables_and_nothing_in_them(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        create_tables(connection)


def the_log_of_a_former_run(path: Path) -> None:
    """A log that SQLite would replay into whatever has this name next."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        create_tables(connection)
        connection.execute("INSERT INTO scenes VALUES (1, 'old', '{}')")
        log = path.with_name("run.sqlite-wal").read_bytes()
    path.unlink()
    path.with_name("run.sqlite-wal").write_bytes(log)


def half_a_draft(path: Path) -> None:
    path.with_name(".run.sqlite.partial").write_bytes(b"SQLite format 3\0" + bytes(84))
    path.with_name(".run.sqlite.partial-journal").write_bytes(b"half")


LEFT = (empty, only_a_header, tables_and_nothing_in_them, the_log_of_a_former_run, half_a_draft)


@pytest.mark.parametrize("leave", LEFT, ids=lambda each: each.__name__)
def test_what_a_killed_process_left_is_in_nobodys_way(leave: Callable[[Path], None], tmp_path: Path) -> None:
    leave(tmp_path / "run.sqlite")
    with pytest.raises(RunError, match=r"stopped before it began\. Start it again|is not a run"):
        RunStore.open(tmp_path)
    check_that_it_can_begin(tmp_path)


def test_the_file_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "run.sqlite")) as connection:
        connection.execute("CREATE TABLE mine (a)")
    before = (tmp_path / "run.sqlite").read_bytes()
    with pytest.raises(RunError, match="holds a run already"):
        RunStore.create(tmp_path, {})
    assert (tmp_path / "run.sqlite").read_bytes() == before
