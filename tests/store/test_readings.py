from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from anamorph.model import digest_of_text
from anamorph.store.readings import ReadingCache


def key(name: object) -> bytes:
    return bytes.fromhex(digest_of_text(str(name)))


def test_a_reply_is_kept_for_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "kept.sqlite"
    for text in ("two dogs", "", "deux chiens \ud800 \0"):
        with closing(ReadingCache(path)) as cache:
            cache.put(key(1), text)
        with closing(ReadingCache(path)) as cache:
            assert (cache.get(key(1)), cache.get(key(2))) == (text, None)


def test_nothing_is_kept_without_a_file(tmp_path: Path) -> None:
    cache = ReadingCache(None)
    cache.put(key(1), "x")
    assert cache.get(key(1)) == "x"
    cache.close()
    assert cache.get(key(1)) is None
    cache.close()


def test_a_file_that_is_no_database_is_put_aside(tmp_path: Path) -> None:
    path = tmp_path / "kept.sqlite"
    path.write_bytes(b"not a database " * 1000)
    with closing(ReadingCache(path)) as cache:
        cache.put(key(1), "x")
    with closing(ReadingCache(path)) as cache:
        assert cache.get(key(1)) == "x"
    assert (tmp_path / "kept.sqlite.damaged").read_bytes().startswith(b"not a database")


def test_a_file_that_is_damaged_while_it_is_used_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "kept.sqlite"
    with closing(ReadingCache(path)) as cache:
        for number in range(2000):
            cache.put(key(number), "x" * 200)
    content = bytearray(path.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    path.write_bytes(content)
    with closing(ReadingCache(path)) as cache:
        for number in range(50):
            cache.get(key(number))
            cache.put(key(number), "y")
            assert cache.get(key(number)) == "y"
    with closing(ReadingCache(path)) as cache:
        assert cache.get(key(49)) == "y"


@pytest.mark.skipif(os.name != "posix", reason="needs folders that cannot be written")
def test_a_folder_that_cannot_be_written_does_not_stop_a_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    for path in (tmp_path / "file" / "kept.sqlite", Path("/proc/nowhere/kept.sqlite"), tmp_path):
        with closing(ReadingCache(path)) as cache:
            cache.put(key(1), "x")
            assert cache.get(key(1)) == "x"


def test_a_table_of_another_shape_does_not_stop_a_run(tmp_path: Path) -> None:
    path = tmp_path / "kept.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE readings (key BLOB, more TEXT, still_more TEXT)")
    with closing(ReadingCache(path)) as cache:
        assert cache.get(key(1)) is None
        cache.put(key(1), "x")
        assert cache.get(key(1)) == "x"


_WRITER = """
import sys
from pathlib import Path
from anamorph.model import digest_of_text
from anamorph.store.readings import ReadingCache
cache, number = ReadingCache(Path(sys.argv[1])), 0
print("ready", flush=True)
while True:
    cache.put(bytes.fromhex(digest_of_text(sys.argv[2] + str(number))), "x" * 300)
    number += 1
"""


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_processes_share_a_file_and_may_be_killed(tmp_path: Path) -> None:
    path = tmp_path / "kept.sqlite"
    for round in range(3):
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", _WRITER, str(path), f"{name}{round}-"], stdout=subprocess.PIPE, text=True
            )
            for name in "ab"
        ]
        for writer in writers:
            assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
        with closing(ReadingCache(path)) as cache, ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda number: cache.put(key(number), "here"), range(100)))
        time.sleep(0.1)
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
            writer.communicate()
    with closing(ReadingCache(path)) as cache:
        assert all(cache.get(key(number)) == "here" for number in range(100))
        assert all(cache.get(key(f"{name}{round}-0")) for name in "ab" for round in range(3))
    assert not list(tmp_path.glob("*.damaged"))
