from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anamorph.model import digest_of_text
from anamorph.store.stock import Stock, StockSize

WRITER = """
import os, sys
from pathlib import Path
from anamorph.model import digest_of_text
from anamorph.store.stock import Stock
stock, who = Stock(Path(sys.argv[1]), 10**9), int(sys.argv[2])
number = 0
while True:
    # Every other key is written by both.
    name = f"{number if number % 2 else (who, number)}"
    stock.put(digest_of_text(name), name.encode() * 20_000)
    if number == 20:
        print("busy", flush=True)
    number += 1
"""


def key(name: str) -> str:
    return digest_of_text(name)


@pytest.fixture
def stock(tmp_path: Path) -> Stock:
    return Stock(tmp_path / "made", 10_000)


def file_of(stock: Stock, name: str) -> Path:
    return stock.folder / key(name)[:2] / key(name)


def test_what_is_put_is_found_by_its_key_alone(stock: Stock) -> None:
    assert stock.get(key("a")) is None
    stock.put(key("a"), b"content")
    stock.put(key("b"), b"")
    assert (stock.get(key("a")), stock.get(key("b")), stock.get(key("c"))) == (b"content", b"", None)
    assert Stock(stock.folder, 1).get(key("a")) == b"content", "another process finds it"
    assert stock.size() == StockSize(2, sum(file_of(stock, name).stat().st_size for name in "ab"))


@pytest.mark.parametrize("damage", ["flipped", "cut off", "empty", "longer"])
def test_a_damaged_entry_is_not_there_and_can_be_put_again(stock: Stock, damage: str) -> None:
    stock.put(key("a"), b"content")
    path = file_of(stock, "a")
    whole = path.read_bytes()
    path.write_bytes(
        {"flipped": whole[:-1] + b"!", "cut off": whole[:-1], "empty": b"", "longer": whole + b"!"}[damage]
    )
    assert stock.get(key("a")) is None
    assert not path.exists()
    stock.put(key("a"), b"content")
    assert stock.get(key("a")) == b"content"


def test_an_entry_under_the_name_of_another_is_not_there(stock: Stock) -> None:
    stock.put(key("a"), b"content")
    file_of(stock, "b").parent.mkdir(exist_ok=True)
    file_of(stock, "a").rename(file_of(stock, "b"))
    assert stock.get(key("b")) is None


def test_a_key_that_is_no_digest_is_refused(stock: Stock) -> None:
    with pytest.raises(ValueError, match="not a digest"):
        stock.get("../../etc/passwd")


def test_over_the_limit_what_was_used_longest_ago_goes(stock: Stock) -> None:
    names = [str(number) for number in range(30)]
    for age, name in enumerate(reversed(names)):
        stock.put(key(name), b"x" * 100)
        os.utime(file_of(stock, name), (0, time.time() - 864_000 - age))
    assert stock.get(key("0")) is not None, "being used makes it young again"
    small = Stock(stock.folder, 1_500)
    small.put(key("new"), b"x" * 100)
    left = {name for name in (*names, "new") if small.get(key(name)) is not None}
    assert {"new", "0", "29", "28"} <= left, "29 was put first here, and is the youngest by its time"
    assert "1" not in left
    assert small.size().bytes <= 1_500


def test_drafts_of_killed_processes_are_removed_and_those_under_way_are_not(stock: Stock) -> None:
    stock.put(key("a"), b"content")
    old, new = (stock.folder / f".{key(name)}.1.2" for name in ("old", "new"))
    for draft in (old, new):
        draft.write_bytes(b"half")
    os.utime(old, (0, time.time() - 10_000))
    stock.trim()
    assert (old.exists(), new.exists()) == (False, True)
    assert stock.get(key("a")) == b"content"


def test_clear_removes_entries_and_nothing_else(stock: Stock) -> None:
    stock.put(key("a"), b"content")
    other = stock.folder / "notes.txt"
    other.write_text("mine")
    assert stock.clear().entries == 1
    assert (stock.size(), stock.get(key("a")), other.read_text()) == (StockSize(0, 0), None, "mine")


def test_a_folder_that_cannot_be_written_stops_nothing_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    stock = Stock(tmp_path / "file" / "made", 1000)
    stock.put(key("a"), b"content")
    assert stock.get(key("a")) is None
    assert stock.problem is not None and str(stock.folder) in stock.problem
    stock.close()


def test_several_processes_that_are_killed_leave_only_whole_entries(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(folder), str(who)], stdout=subprocess.PIPE)
        for who in range(2)
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"busy\n"
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
    stock, found = Stock(folder, 10**9), 0
    for who in range(2):
        for number in range(20):
            name = f"{number if number % 2 else (who, number)}"
            assert stock.get(key(name)) == name.encode() * 20_000
            found += 1
    assert found == 40
    entries = stock.size().entries
    whole = sum(stock.get(path.name) is not None for path in folder.glob("??/*"))
    assert whole == entries, "no entry is half written"


@pytest.mark.parametrize("what", ["pipe", "device", "link", "huge", "folder"])
def test_what_is_no_entry_is_not_read_and_does_not_hang(stock: Stock, tmp_path: Path, what: str) -> None:
    stock.put(key("a"), b"content")
    place = file_of(stock, "a")
    place.rename(tmp_path / "elsewhere")
    match what:
        case "pipe":
            os.mkfifo(place)
        case "device":
            place.symlink_to("/dev/zero")
        case "link":
            place.symlink_to(tmp_path / "elsewhere")
        case "huge":
            place.touch()
            os.truncate(place, 2_000_000_000)
        case "folder":
            place.mkdir()
    assert stock.get(key("a")) is None
    stock.put(key("a"), b"content")
    assert stock.get(key("a")) == (None if what == "folder" else b"content")
    assert (tmp_path / "elsewhere").read_bytes().endswith(b"content")
