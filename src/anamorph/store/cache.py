"""Answers cached across runs, for systems that cost money or time."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anamorph.errors import RunError
from anamorph.model import Answer, canonical_json, digest_of
from anamorph.store.answers import answer_of
from anamorph.store.shelf import shared_table


@dataclass(slots=True)
class AnswerCache:
    """Answers by image content, question, the system's fingerprint and the attempt; failures are never kept."""

    connection: sqlite3.Connection
    fingerprint: str

    @classmethod
    def open(cls, path: Path, fingerprint: Mapping[str, Any]) -> AnswerCache:
        """Open or create a cache file; several runs may share it."""
        try:
            connection = shared_table(path, "answers", "text TEXT, labels TEXT")
        except (OSError, sqlite3.Error) as problem:
            raise RunError(f"{path}: cannot be used as an answer cache ({problem}).") from problem
        return cls(connection, canonical_json(fingerprint))

    def get(self, image_file: str, question: str | None, attempt: int) -> Answer | None:
        """The answer to exactly this image and question, or None."""
        key = self._key(image_file, question, attempt)
        row = self.connection.execute("SELECT text, labels FROM answers WHERE key = ?", (key,)).fetchone()
        return None if row is None else answer_of(*row)

    def put(self, image_file: str, question: str | None, attempt: int, answer: Answer) -> None:
        """Keep an answer; an empty one is not kept."""
        if answer.empty:
            return
        labels = None if answer.labels is None else json.dumps(dict(answer.labels), ensure_ascii=False)
        key = self._key(image_file, question, attempt)
        self.connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", (key, answer.text, labels))

    def close(self) -> None:
        self.connection.close()

    def _key(self, image_file: str, question: str | None, attempt: int) -> bytes:
        # A stored image is named by the digest of its bytes, so the name identifies the system's input.
        return bytes.fromhex(digest_of([image_file, question, attempt, self.fingerprint]))
