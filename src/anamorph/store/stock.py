"""A cache across runs, keyed by inputs: a bounded folder that several processes may share."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from anamorph.store.own_files import NO_LINK, write_all

FOLDER = "made"
_KEY = re.compile(r"[0-9a-f]{32}")
_DIGEST_BYTES = 16
# After a share of the limit was written, and on closing, the oldest entries are removed until this share is left.
_LOOK_EVERY, _LEFT = 1 / 16, 0.9
# An entry's mtime is its last use, to a day; a draft this old was left by a killed process.
_DAY_SECONDS, _DRAFT_SECONDS = 86_400.0, 3_600.0
# Of an entry: a PNG of 100 megapixels has a third of it.
_MOST_BYTES = 1_000_000_000


@dataclass(frozen=True, slots=True)
class StockSize:
    """The number of entries and of bytes."""

    entries: int
    bytes: int


class _Entry(NamedTuple):
    used: float
    size: int
    path: str


@dataclass(slots=True, eq=False)
class Stock:
    """Contents by key; safe across threads and processes.

    An entry is a file written atomically, with a digest of its key and content: a damaged, truncated or renamed one
    counts as missing. No trouble with the folder stops a run; `problem` says why an entry was not written.
    """

    folder: Path
    limit_bytes: int
    problem: str | None = None
    _unseen: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def get(self, key: str) -> bytes | None:
        """The content of a key, or None."""
        path = self._path(key)
        try:
            opened = os.open(path, os.O_RDONLY | NO_LINK)
        except OSError as problem:
            if problem.errno == errno.ELOOP:
                _remove(path)
            return None
        status = os.fstat(opened)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
            os.close(opened)
            _remove(path)
            return None
        with os.fdopen(opened, "rb") as file:
            try:
                found, used = file.read(), status.st_mtime
            except OSError:
                return None
        content = found[_DIGEST_BYTES:]
        if found[:_DIGEST_BYTES] != _digest(key, content):
            _remove(path)
            return None
        if time.time() - used > _DAY_SECONDS:
            with contextlib.suppress(OSError):
                os.utime(path)
        return content

    def put(self, key: str, content: bytes) -> None:
        """Store content under a key."""
        path = self._path(key)
        draft = f"{self.folder}/.{key}.{os.getpid()}.{threading.get_ident()}"
        try:
            self._written(draft, path, _digest(key, content) + content)
        except OSError as problem:
            _remove(draft)
            self.problem = self.problem or f"{self.folder}: {problem.strerror or problem}"
            return
        with self._lock:
            self._unseen += len(content)
            full = self._unseen > self.limit_bytes * _LOOK_EVERY
            if full:
                self._unseen = 0
        if full:
            self.trim()

    def close(self) -> None:
        """Enforce the limit; the stock may be used again."""
        with self._lock:
            written, self._unseen = self._unseen, 0
        if written:
            self.trim()

    def trim(self) -> None:
        """Remove the least recently used entries beyond the limit, and drafts of killed processes."""
        entries = sorted(self._entries())
        total = sum(entry.size for entry in entries)
        if total <= self.limit_bytes:
            return
        for entry in entries:
            if total <= _LEFT * self.limit_bytes:
                return
            _remove(entry.path)
            total -= entry.size

    def size(self) -> StockSize:
        """Its size."""
        return _size_of(list(self._entries()))

    def clear(self) -> StockSize:
        """Remove every entry; returns the former size."""
        entries = list(self._entries())
        for entry in entries:
            _remove(entry.path)
        return _size_of(entries)

    def _path(self, key: str) -> str:
        if not _KEY.fullmatch(key):
            raise ValueError(f"{key!r} is not a digest")
        return f"{self.folder}/{key[:2]}/{key}"

    def _written(self, draft: str, path: str, content: bytes) -> None:
        # Not synced to disk: entries lost in a power failure are made again.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK
        try:
            file = os.open(draft, flags, 0o666)
        except FileNotFoundError:
            self.folder.mkdir(parents=True, exist_ok=True)
            file = os.open(draft, flags, 0o666)
        try:
            write_all(file, content)
        finally:
            os.close(file)
        try:
            os.replace(draft, path)  # noqa: PTH105
        except FileNotFoundError:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            os.replace(draft, path)  # noqa: PTH105

    def _entries(self) -> Iterator[_Entry]:
        for folder in _scanned(self.folder):
            if len(folder.name) == 2 and folder.is_dir(follow_symlinks=False):
                for entry in _scanned(folder.path):
                    if _KEY.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                        with contextlib.suppress(OSError):
                            status = entry.stat(follow_symlinks=False)
                            yield _Entry(status.st_mtime, status.st_size, entry.path)
            elif folder.name.startswith(".") and _KEY.match(folder.name, 1):
                with contextlib.suppress(OSError):
                    if time.time() - folder.stat(follow_symlinks=False).st_mtime > _DRAFT_SECONDS:
                        _remove(folder.path)


def _size_of(entries: Sequence[_Entry]) -> StockSize:
    return StockSize(len(entries), sum(entry.size for entry in entries))


def _scanned(folder: Path | str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _remove(path: str) -> None:
    # Another process may have removed it, or on Windows have it open.
    with contextlib.suppress(OSError):
        os.unlink(path)  # noqa: PTH108


def _digest(key: str, content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES, key=key.encode()).digest()
