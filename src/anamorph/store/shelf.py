"""Strings by digest, kept across runs: a SQLite file that several runs may share."""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class Shelf:
    """One table of strings by digest; thread-safe. It raises sqlite3's errors."""

    connection: sqlite3.Connection
    table: str
    column: str
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @classmethod
    def open(cls, path: Path | None, table: str, column: str) -> Shelf:
        """Open or create a file; without a path, a temporary one, deleted on closing."""
        return cls(shared_table(path, table, f"{column} TEXT NOT NULL"), table, column)

    def get(self, key: bytes) -> str | None:
        with self._lock:
            row = self.connection.execute(f"SELECT {self.column} FROM {self.table} WHERE key = ?", (key,)).fetchone()
        return row[0] if row is not None and isinstance(row[0], str) else None

    def put(self, key: bytes, text: str) -> None:
        with self._lock:
            self.connection.execute(f"INSERT OR REPLACE INTO {self.table} VALUES (?, ?)", (key, text))

    def close(self) -> None:
        with self._lock:
            self.connection.close()


def shared_table(path: Path | None, table: str, columns: str) -> sqlite3.Connection:
    """A file with a table by `key` that several runs may share, opened or created."""
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path or "", isolation_level=None, timeout=30, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"CREATE TABLE IF NOT EXISTS {table} (key BLOB PRIMARY KEY, {columns}) WITHOUT ROWID")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def default_file(name: str) -> Path:
    """The default path of a file, in the user's cache folder."""
    import platformdirs

    return platformdirs.user_cache_path("anamorph", appauthor=False, opinion=False) / name
