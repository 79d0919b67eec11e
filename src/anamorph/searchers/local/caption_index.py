"""A full-text index of captioned photos in SQLite, in memory or in a file."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from anamorph.errors import UsageError
from anamorph.model import Find, Scene

# Changed whenever the tables below change; an index of another version is rebuilt.
_VERSION = "1"
_TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE photos (id INTEGER PRIMARY KEY, picture TEXT NOT NULL, body TEXT NOT NULL);
CREATE VIRTUAL TABLE captions USING fts5 (caption, photo UNINDEXED, tokenize = 'porter unicode61');
"""


@dataclass(frozen=True, slots=True)
class CaptionIndex:
    """Photos searchable by the words of their captions."""

    connection: sqlite3.Connection

    @classmethod
    def open(cls, path: Path | None, source: str, scenes: Iterable[Scene]) -> CaptionIndex:
        """The index of a source, whose string lists all its inputs; built if missing or of another source."""
        if path is None:
            connection = sqlite3.connect(":memory:")
            _build(connection, source, scenes)
            return cls(connection)
        if not _is_of(path, source):
            _build_file(path, source, scenes)
        return cls(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True))

    def photos(self, wanted: Sequence[Sequence[str]], most: int) -> Iterator[tuple[str, Find]]:
        """Photos with a caption that has a phrase of each group, as (picture, find without a place), the best first."""
        rows = self.connection.execute(
            # Materialized: FTS5 cannot rank inside a grouping.
            """
            WITH hits AS MATERIALIZED (SELECT photo, rank AS score, caption FROM captions WHERE captions MATCH ?),
            best AS (SELECT photo, min(score) AS score, caption FROM hits GROUP BY photo)
            SELECT p.picture, p.body, best.caption FROM best JOIN photos p ON p.id = best.photo
            ORDER BY best.score, p.id LIMIT ?
            """,
            (match_text(wanted), most),
        )
        for picture, body, caption in rows.fetchall():
            plain = json.loads(body)
            captions = tuple(dict.fromkeys((caption, *plain.pop("captions"))))
            yield picture, Find(captions, path="", **plain)

    def close(self) -> None:
        self.connection.close()


def match_text(wanted: Sequence[Sequence[str]]) -> str:
    """The FTS5 query for one phrase of each group; phrases are quoted, so that they cannot hold operators."""
    groups = (" OR ".join(_quoted(phrase) for phrase in phrases) for phrases in wanted)
    return " AND ".join(f"({group})" for group in groups)


def _quoted(phrase: str) -> str:
    # SQLite ends a string at NUL.
    return '"{}"'.format(phrase.replace("\0", " ").replace('"', '""'))


def _build(connection: sqlite3.Connection, source: str, scenes: Iterable[Scene]) -> None:
    try:
        connection.executescript(_TABLES)
    except sqlite3.OperationalError as problem:
        if "fts5" not in str(problem):
            raise
        raise UsageError(
            f"The SQLite {sqlite3.sqlite_version} of this Python has no full-text search (FTS5), which the searcher "
            "'local' needs. Use a Python whose SQLite has it; those of python.org, conda and the distributions do."
        ) from problem
    with connection:
        for number, scene in enumerate(scenes, start=1):
            body = {"captions": scene.captions, "width": scene.width, "height": scene.height}
            page = scene.origin.get("flickr_url") or scene.origin.get("coco_url", "")
            body |= {"page": page, "licence": scene.origin.get("licence", "")}
            body |= {"licence_url": scene.origin.get("licence_url", ""), "author": scene.origin.get("author", "")}
            connection.execute("INSERT INTO photos VALUES (?, ?, ?)", (number, scene.picture, json.dumps(body)))
            connection.executemany(
                "INSERT INTO captions (caption, photo) VALUES (?, ?)", [(caption, number) for caption in scene.captions]
            )
        connection.executemany("INSERT INTO facts VALUES (?, ?)", [("version", _VERSION), ("source", source)])


def _build_file(path: Path, source: str, scenes: Iterable[Scene]) -> None:
    if path.exists() and not _is_index(path):
        raise UsageError(f"{path}: exists and is not an index of captions. Name another file.")
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.unlink(missing_ok=True)
        with closing(sqlite3.connect(fresh)) as connection:
            _build(connection, source, scenes)
        fresh.replace(path)
    except (OSError, sqlite3.Error) as problem:
        raise UsageError(f"{path}: the index cannot be written ({problem}).") from problem
    finally:
        fresh.unlink(missing_ok=True)


def _is_of(path: Path, source: str) -> bool:
    return path.exists() and _facts(path) == {"version": _VERSION, "source": source}


def _is_index(path: Path) -> bool:
    return "version" in _facts(path)


def _facts(path: Path) -> dict[str, str]:
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            return dict(connection.execute("SELECT name, value FROM facts"))
    except sqlite3.Error:
        return {}
