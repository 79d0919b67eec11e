"""A folder of photos on another machine, with limits, retries and an outage check."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from random import Random
from typing import Protocol, TypeVar

from anamorph.concurrency.ordered import in_order
from anamorph.concurrency.pacing import LONGEST_BACKOFF_SECONDS, backoff_seconds
from anamorph.errors import BadPicture, FetchError, Transient
from anamorph.model import Pixels, Scene, Skip
from anamorph.photos.decoding import Limits, check_name, packed_photo, pixels_of, same_size, size_in
from anamorph.photos.entries import is_whole_text
from anamorph.photos.files import shown
from anamorph.photos.outlines import Size

T = TypeVar("T")
R = TypeVar("R")

# Of one photo, or of one piece of a listing.
TIMEOUT_SECONDS = 60.0
_TRIES = 4
_FIRST_PAUSE_SECONDS = 0.5
# After this many failed photos in a row, the folder counts as out of reach.
GIVE_UP_AFTER = 25
# Then one photo is tried at this interval, once, so that a run neither hangs nor misses the folder's return.
_BETWEEN_TRIES_SECONDS = 15.0
# Heads of photos fetched at a time during a scan: each is little more than a round trip.
_SCAN_THREADS = 8
# A photo's size is in its first bytes, but cameras put a preview before it. After these, the whole file is fetched.
_HEADS_BYTES = (1 << 14, 1 << 17)


class NoSuchPhoto(BadPicture):
    """No file has this name."""


class RemoteFiles(Protocol):
    """Files of a remote folder, by names that `RemoteFolder` has checked."""

    @property
    def place(self) -> str:
        """The address of the folder, safe to show."""
        ...

    def called(self, name: str) -> str:
        """The address of a file, safe to show."""
        ...

    def fetch(self, name: str, most_bytes: int, first: int | None) -> bytes:
        """A file of at most `most_bytes`, or, with `first`, at least this much of its beginning.

        Raises BadPicture, such as NoSuchPhoto, or Transient if another try may help.
        """
        ...

    def names(self, recursive: bool) -> list[str]:
        """All files; raises UsageError if they cannot be listed, or Transient."""
        ...


@dataclass(slots=True, eq=False)
class RemoteFolder:
    """Photos by name relative to an address; thread-safe."""

    files: RemoteFiles
    _rng: Random = field(default_factory=Random)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _failed: int = 0
    _last: str = ""
    _next_try: float = 0.0

    def called(self, name: str) -> str:
        """The name of a photo in messages."""
        return self.files.called(name)

    def names(self, suffixes: Collection[str], recursive: bool) -> tuple[list[str], list[Skip]]:
        """The files with one of the (lowercase) suffixes, sorted, without hidden ones."""
        try:
            found = self._tried(lambda: self.files.names(recursive))
        except Transient as problem:
            raise FetchError(f"{self.files.place} cannot be listed: {problem}") from None
        return kept_names(found, suffixes, recursive)

    def has(self, name: str) -> bool:
        """Whether there is a file of this name; also True if that cannot be determined."""
        try:
            self._fetch(name, _HEADS_BYTES[0], first=1)
        except NoSuchPhoto:
            return False
        except BadPicture:
            return True
        return True

    def size(self, name: str, limits: Limits) -> Size:
        """Width and height of an upright photo, from as few bytes as possible."""
        for most in _HEADS_BYTES:
            content = self._fetch(name, limits.file_bytes, first=most)
            head = _Head(content, whole=len(content) != most)
            try:
                size = size_in(head, self.called(name), limits)
            except BadPicture:
                if not head.passed:
                    raise
            else:
                if not head.passed:
                    return size
        content = self._fetch(name, limits.file_bytes)
        return size_in(io.BytesIO(content), self.called(name), limits)

    def pixels(self, scene: Scene, limits: Limits) -> Pixels:
        """The photo of a scene."""
        content = self._fetch(scene.picture, limits.file_bytes)
        return same_size(pixels_of(content, self.called(scene.picture), limits), scene)

    def packed(self, scene: Scene, limits: Limits) -> Callable[[], Pixels]:
        """The photo of a scene, to be decoded in another process."""
        content = self._fetch(scene.picture, limits.file_bytes)
        return packed_photo(content, self.called(scene.picture), scene, limits)

    def text(self, name: str, most_bytes: int) -> str:
        """The text of a UTF-8 file."""
        content = self._fetch(name, most_bytes)
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as problem:
            raise BadPicture(f"{shown(self.called(name))} is not UTF-8 text (byte {problem.start}).") from problem

    def each(self, work: Callable[[T], Iterable[R]], items: Iterable[T]) -> Iterator[R]:
        """The results of `work`, which fetches heads of photos, for each item, in order; some are under way at a time.

        FetchError if the folder is out of reach: nothing is planned from a partial fetch.
        """
        with closing(in_order(lambda item: list(work(item)), items, _SCAN_THREADS)) as found:
            for some in found:
                yield from some
                if self._failed >= GIVE_UP_AFTER:
                    raise FetchError(
                        f"{self.files.place} is out of reach: {self._failed} photos in a row could not be fetched. "
                        f"The last one: {self._last}"
                    )

    # --- fetching ---------------------------------------------------------------------------------------------------

    def _fetch(self, name: str, most_bytes: int, first: int | None = None) -> bytes:
        inner = name_inside(name)
        if not self._may_try():
            raise BadPicture(f"{shown(self.called(name))} was not fetched, because others were not: {self._last}")
        try:
            content = self._tried(lambda: self.files.fetch(inner, most_bytes, first))
        except Transient as problem:
            with self._lock:
                self._failed += 1
                self._last = str(problem)
                self._next_try = time.monotonic() + _BETWEEN_TRIES_SECONDS
            raise BadPicture(str(problem)) from None
        except BadPicture:
            # The server answered, so it is up.
            self._failed = 0
            raise
        self._failed = 0
        return content

    def _may_try(self) -> bool:
        with self._lock:
            if self._failed < GIVE_UP_AFTER:
                return True
            due = time.monotonic() >= self._next_try
            if due:
                self._next_try = time.monotonic() + _BETWEEN_TRIES_SECONDS
            return due

    def _tried(self, call: Callable[[], R]) -> R:
        tries = 0
        while True:
            tries += 1
            try:
                return call()
            except Transient as problem:
                pause = problem.retry_after_seconds
                most = 1 if self._failed >= GIVE_UP_AFTER else _TRIES
                if tries >= most or (pause or 0) > LONGEST_BACKOFF_SECONDS:
                    again = f" It was tried {tries} times." if tries > 1 else ""
                    raise Transient(f"{problem}{again}", pause) from None
                time.sleep(backoff_seconds(_FIRST_PAUSE_SECONDS, tries, self._rng) if pause is None else pause)


class _Head(io.BytesIO):
    """The beginning of a file; `passed` once a read went beyond it."""

    def __init__(self, content: bytes, whole: bool) -> None:
        super().__init__(content)
        self._end = len(content)
        self._whole = whole
        self.passed = False

    def read(self, size: int | None = -1, /) -> bytes:
        if not self._whole and (size is None or size < 0 or self.tell() + size > self._end):
            self.passed = True
        return super().read(size)


def name_inside(name: str) -> str:
    """A file name as a plain path below a folder; BadPicture if it leads elsewhere."""
    check_name(name)
    if not is_whole_text(name):
        raise BadPicture(f"The file name {shown(repr(name))} has a lone surrogate.")
    parts: list[str] = []
    for part in name.split("/"):
        if part == "..":
            if not parts:
                raise BadPicture(f"The file name {shown(repr(name))} does not lead to a file inside the folder.")
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    if not parts or name.endswith("/"):
        raise BadPicture(f"The file name {shown(repr(name))} does not lead to a file inside the folder.")
    return "/".join(parts)


def kept_names(names: Iterable[str], suffixes: Collection[str], recursive: bool) -> tuple[list[str], list[Skip]]:
    """The names with one of the (lowercase) suffixes, sorted, without hidden ones, as in a local folder."""
    found: list[str] = []
    skips: list[Skip] = []
    for name in names:
        path = PurePosixPath(name)
        hidden = any(part.startswith(".") and part not in (".", "..") for part in path.parts)
        if hidden or path.suffix.lower() not in suffixes or ("/" in name and not recursive):
            continue
        try:
            found.append(name_inside(name))
        except BadPicture as problem:
            skips.append(Skip(shown(name), str(problem)))
    return sorted(set(found)), sorted(skips, key=lambda skip: skip.what)
