from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from anamorph.errors import BadPicture, FetchError, Transient
from anamorph.model import Scene, Skip
from anamorph.photos.decoding import Limits
from anamorph.scenes.folder import FolderScenes
from anamorph.scenes.photo_folders import opening
from anamorph.scenes.photo_folders.remote import GIVE_UP_AFTER, NoSuchPhoto, RemoteFolder, kept_names, name_inside


class Shelf:
    """Files elsewhere, which fail on demand."""

    place = "far://away"

    def __init__(self, photo: bytes, count: int = 1) -> None:
        self.photo, self.count = photo, count
        self.failures: list[Exception] = []
        self.always: Exception | None = None
        self.calls = 0
        self.most_at_once = 0
        self._now = 0
        self._lock = threading.Lock()

    def called(self, name: str) -> str:
        return f"{self.place}/{name}"

    def names(self, recursive: bool) -> list[str]:
        return [f"{number:04}.png" for number in range(self.count)]

    def fetch(self, name: str, most_bytes: int, first: int | None) -> bytes:
        with self._lock:
            self.calls += 1
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
            failure = self.failures.pop(0) if self.failures else self.always
        try:
            if failure is not None:
                raise failure
            return self.photo if first is None else self.photo[:first]
        finally:
            with self._lock:
                self._now -= 1


@pytest.fixture
def shelf(album: Path) -> Shelf:
    return Shelf((album / "a.png").read_bytes())


def test_what_may_pass_is_tried_again_and_what_will_not_is_not(shelf: Shelf) -> None:
    folder = RemoteFolder(shelf)
    shelf.failures = [Transient("busy"), Transient("busy", retry_after_seconds=0.001)]
    assert folder.size("a.png", Limits()) == (8, 6)
    assert shelf.calls == 3
    shelf.calls, shelf.failures = 0, [NoSuchPhoto("gone")]
    with pytest.raises(BadPicture, match=r"^gone$"):
        folder.size("a.png", Limits())
    assert shelf.calls == 1
    shelf.calls, shelf.always = 0, Transient("busy.")
    with pytest.raises(BadPicture, match=r"^busy. It was tried 4 times.$"):
        folder.size("a.png", Limits())
    assert shelf.calls == 4
    shelf.calls, shelf.always = 0, Transient("come back tomorrow", retry_after_seconds=86400)
    with pytest.raises(BadPicture, match="tomorrow"):
        folder.size("a.png", Limits())
    assert shelf.calls == 1


def test_one_bad_photo_is_skipped_and_a_folder_out_of_reach_ends_the_scan(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.count = 200
    folder = RemoteFolder(shelf)
    monkeypatch.setattr(opening, "_remote", lambda place, process: folder)
    source = FolderScenes("s3://bucket/photos")
    shelf.failures = [NoSuchPhoto("gone")]
    found = list(source.scan())
    assert [type(item) for item in found].count(Skip) == 1 and len(found) == 200
    # Some at a time, in order, and never all.
    assert [item.id for item in found if isinstance(item, Scene)] == sorted(
        item.id for item in found if isinstance(item, Scene)
    )
    assert shelf.most_at_once <= 8
    shelf.calls, shelf.always = 0, Transient("no route")
    with pytest.raises(FetchError, match=r"far://away is out of reach: .* photos in a row could not be fetched"):
        list(source.scan())
    assert shelf.calls < 4 * 100


def test_while_a_folder_is_out_of_reach_photos_fail_at_once_and_its_return_is_noticed(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = RemoteFolder(shelf)
    shelf.always = Transient("no route")
    for _ in range(GIVE_UP_AFTER):
        with pytest.raises(BadPicture, match="no route"):
            folder.size("a.png", Limits())
    shelf.calls = 0
    with pytest.raises(BadPicture, match="was not fetched, because others were not: no route"):
        folder.size("a.png", Limits())
    assert shelf.calls == 0
    shelf.always = None
    monkeypatch.setattr(time, "monotonic", lambda: folder._next_try)
    assert folder.size("a.png", Limits()) == (8, 6)
    assert folder.has("a.png")


@pytest.mark.parametrize("name", ["../a", "a/../../b", "/a", "C:a", "a\\b", "", ".", "a/", "a\0b", "\ud800"])
def test_a_name_that_leads_out_of_the_folder_is_refused(name: str, shelf: Shelf) -> None:
    folder = RemoteFolder(shelf)
    with pytest.raises(BadPicture, match="The file name"):
        folder.size(name, Limits())
    assert shelf.calls == 0


def test_names_are_plain_sorted_and_not_hidden() -> None:
    assert name_inside("./a//b/../c.png") == "a/c.png"
    names = ["b.PNG", "a.png", ".a.png", ".x/a.png", "x/c.png", "x/d.txt", "./a.png", "x/../../e.png"]
    found, skips = kept_names(names, {".png"}, recursive=True)
    assert found == ["a.png", "b.PNG", "x/c.png"] and [skip.what for skip in skips] == ["x/../../e.png"]
    assert kept_names(["b.png", "x/c.png"], {".png"}, recursive=False) == (["b.png"], [])
