"""Images that a power cut, a full disk or a hand left damaged: they are made again, and never asked about."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from anamorph.engine.ask import stage
from anamorph.store import answers
from anamorph.store.answers import AttemptResult, record_results as keep_results
from anamorph.store.images import ImageFolder
from anamorph.store.run import RunStore
from tests.hostile.conftest import Command

# Notes the digest of what it is shown.
SYSTEM = """
import hashlib
from pathlib import Path
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    image = Path(request["image"])
    with open("seen", "a") as seen:
        seen.write(hashlib.sha256(image.read_bytes()).hexdigest()[:32] + " " + image.stem + "\\n")
    print(json.dumps({"id": request["id"], "text": "a dog"}), flush=True)
"""
DAMAGES: dict[str, Callable[[bytes], bytes | None]] = {
    "truncated": lambda content: content[:-1],
    "emptied": lambda content: b"",
    "all zeros": lambda content: bytes(len(content)),
    "one bit": lambda content: content[:-9] + bytes([content[-9] ^ 1]) + content[-8:],
    "another image": lambda content: content + b"\0",
    "gone": lambda content: None,
}
EACH = pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())


@pytest.fixture
def run(tmp_path: Path, photos: Callable[..., Path], anamorph: Command, monkeypatch: pytest.MonkeyPatch) -> Path:
    photos(2)
    (tmp_path / "system.py").write_text(SYSTEM)
    monkeypatch.chdir(tmp_path)
    parts = ("-m", "deeptest", "-s", "folder:photos", "-y", "command:python3 system.py", "-o", "run")
    assert anamorph("run", *parts, "--no-report").code == 0
    (tmp_path / "seen").unlink()
    return tmp_path / "run"


def spoil(run: Path, damage: Callable[[bytes], bytes | None]) -> dict[str, bytes]:
    before = {}
    for image in (run / "images").rglob("*.jpg"):
        before[image.name] = content = image.read_bytes()
        spoilt = damage(content)
        image.unlink() if spoilt is None else image.write_bytes(spoilt)
    return before


def check_seen(folder: Path, count: int) -> None:
    seen = [line.split() for line in (folder / "seen").read_text().splitlines()]
    assert len(seen) == count
    assert all(digest == name for digest, name in seen)


@EACH
def test_a_damaged_image_is_made_again_before_it_is_asked_about(
    damage: Callable[[bytes], bytes | None], run: Path, anamorph: Command, tmp_path: Path
) -> None:
    before = spoil(run, damage)
    with RunStore.open(run) as store:
        store.connection.execute("DELETE FROM answers")
    done = anamorph("resume", "run", "--json")
    assert done.code == 0, done.err
    check_seen(tmp_path, 10)
    assert {image.name: image.read_bytes() for image in (run / "images").rglob("*.jpg")} == before


@EACH
def test_a_damaged_image_is_made_again_before_it_is_replayed(
    damage: Callable[[bytes], bytes | None], run: Path, anamorph: Command, tmp_path: Path
) -> None:
    spoil(run, damage)
    with RunStore.open(run, read_only=True) as store:
        case = store.connection.execute("SELECT hex(digest) FROM cases").fetchone()[0]
    assert anamorph("replay", "run", case).code == 0
    check_seen(tmp_path, 2)


def test_a_damaged_image_whose_photo_is_gone_is_not_asked_about(run: Path, anamorph: Command, tmp_path: Path) -> None:
    spoil(run, DAMAGES["truncated"])
    for photo in (tmp_path / "photos").iterdir():
        photo.unlink()
    with RunStore.open(run) as store:
        store.connection.execute("DELETE FROM answers")
    assert json.loads(anamorph("resume", "run", "--json").out)["answers"] == 0
    assert not (tmp_path / "seen").exists()


def test_an_image_is_on_disk_before_its_answer_is_committed(
    tmp_path: Path, photos: Callable[..., Path], anamorph: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order of what the process does; what a disk makes of it is the disk's promise."""
    synced: set[int] = set()
    answered: list[tuple[int, ...]] = []
    sync = os.fsync

    def fsync(file: int) -> None:
        sync(file)
        synced.add(os.fstat(file).st_ino)

    def keep(store: RunStore, results: list[AttemptResult]) -> None:
        for result in results:
            (name,) = store.connection.execute(
                "SELECT i.file FROM probes p JOIN images i ON i.id = p.image WHERE p.id = ?", (result.probe,)
            ).fetchone()
            inode = store.images.path(name).stat().st_ino
            answered.append((inode, inode in synced))
        keep_results(store, results)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(answers, "record_results", keep)
    monkeypatch.chdir(photos(3).parent)
    Path("system.py").write_text(SYSTEM)
    parts = ("-m", "deeptest", "-s", "folder:photos", "-y", "command:python3 system.py", "-o", "run")
    assert anamorph("run", *parts, "--no-report").code == 0
    assert len(answered) == 15 and all(was_synced for _, was_synced in answered)


def test_a_name_says_what_the_bytes_are(tmp_path: Path) -> None:
    folder = ImageFolder(tmp_path)
    name = folder.write(b"some bytes", ".jpg")
    assert name == hashlib.sha256(b"some bytes").hexdigest()[:32] + ".jpg"
    assert folder.is_sound(name)
    folder.path(name).write_bytes(b"some byte")
    assert not folder.is_sound(name)
    assert folder.write(b"some bytes", ".jpg") == name
    assert folder.is_sound(name)


def test_marks_are_a_set() -> None:
    marks, ids = stage._Marks(), [0, 1, 7, 8, 9, 8191, 8192, 1_000_000]
    for id in ids:
        assert id not in marks
        marks.add(id)
    assert [id for id in range(1_000_010) if id in marks] == ids
