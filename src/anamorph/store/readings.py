"""A cache of readings by systems across runs, so that a string is asked about once."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock, Timeout

from anamorph.model import canonical_json
from anamorph.store.shelf import Shelf

FILE = "readings.sqlite"
_LOCK_SECONDS = 10


@dataclass(slots=True)
class ReadingCache:
    """Replies by the digest of the request; no trouble with its file stops a run.

    A damaged file is renamed and replaced. Without a usable file, replies are kept until the cache is closed. It is
    thread-safe, and several runs may share its file.
    """

    path: Path | None
    _shelf: Shelf | None = None
    _mended: bool = False
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def get(self, key: bytes) -> str | None:
        """The reply of a key."""
        with self._lock:
            try:
                kept = self._open().get(key)
                reply = None if kept is None else json.loads(kept)
                return reply if isinstance(reply, str) else None
            except ValueError:
                return None
            except sqlite3.Error as problem:
                self._mend(problem)
                return None

    def put(self, key: bytes, reply: str) -> None:
        """Keep a reply."""
        with self._lock:
            for _ in range(2):
                try:
                    # As ASCII JSON: SQLite does not accept lone surrogates.
                    self._open().put(key, canonical_json(reply))
                    return
                except sqlite3.Error as problem:
                    self._mend(problem)

    def close(self) -> None:
        """Close the file; the next use reopens it."""
        with self._lock:
            if self._shelf is not None:
                with contextlib.suppress(sqlite3.Error):
                    self._shelf.close()
                self._shelf = None

    def _open(self) -> Shelf:
        if self._shelf is None:
            self._shelf = _opened(self.path)
        return self._shelf

    def _mend(self, problem: sqlite3.Error) -> None:
        """Recover: a damaged file is replaced once; after any other failure, go on without a file."""
        self.close()
        if self.path is None or self._mended or not _is_damage(problem) or not _put_aside(self.path):
            self.path = None
        self._mended = True


def _opened(path: Path | None) -> Shelf:
    if path is not None:
        try:
            return _shelf(path)
        except sqlite3.Error as problem:
            if _is_damage(problem) and _put_aside(path):
                with contextlib.suppress(OSError, sqlite3.Error):
                    return _shelf(path)
        except OSError:
            pass
    return _shelf(None)


def _shelf(path: Path | None) -> Shelf:
    return Shelf.open(path, "readings", "reply")


def _is_damage(problem: sqlite3.Error) -> bool:
    # A locked, full or read-only file raises OperationalError.
    return isinstance(problem, sqlite3.DatabaseError) and not isinstance(problem, sqlite3.OperationalError)


def _put_aside(path: Path) -> bool:
    """Move a damaged file away, unless another run did; False if not possible."""
    try:
        with FileLock(f"{path}.lock", timeout=_LOCK_SECONDS):
            if _is_sound(path):
                return True
            path.replace(f"{path}.damaged")
            for suffix in ("-wal", "-shm"):
                Path(f"{path}{suffix}").unlink(missing_ok=True)
            return True
    except (OSError, Timeout):
        return False


def _is_sound(path: Path) -> bool:
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=_LOCK_SECONDS)) as connection:
            return bool(connection.execute("PRAGMA quick_check").fetchone() == ("ok",))
    except sqlite3.Error:
        return False
