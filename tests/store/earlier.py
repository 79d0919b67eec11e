"""The tables of runs of earlier schemas."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from anamorph.store.run import RUN_FILE

_TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE scenes (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, body TEXT NOT NULL);
CREATE TABLE skips (id INTEGER PRIMARY KEY, what TEXT NOT NULL, reason TEXT NOT NULL);
CREATE TABLE images (
    id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, scene INTEGER NOT NULL REFERENCES scenes (id),
    edits TEXT NOT NULL, file TEXT, problem TEXT
);
CREATE TABLE probes (
    id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, image INTEGER NOT NULL REFERENCES images (id), question TEXT
);
CREATE TABLE cases (
    id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, method TEXT NOT NULL, relation TEXT NOT NULL,
    claim TEXT NOT NULL, probes TEXT NOT NULL, tags TEXT NOT NULL
);
CREATE TABLE answers (
    probe INTEGER NOT NULL REFERENCES probes (id), attempt INTEGER NOT NULL, text TEXT, labels TEXT,
    seconds REAL NOT NULL, at REAL NOT NULL, tries INTEGER NOT NULL, recalled INTEGER NOT NULL DEFAULT 0,
    unreadable INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (probe, attempt)
) WITHOUT ROWID;
CREATE TABLE failures (
    id INTEGER PRIMARY KEY, probe INTEGER NOT NULL REFERENCES probes (id), attempt INTEGER NOT NULL,
    message TEXT NOT NULL, at REAL NOT NULL, tries INTEGER NOT NULL
);
CREATE INDEX failures_of_probe ON failures (probe);
CREATE TABLE verdicts (
    "case" INTEGER PRIMARY KEY REFERENCES cases (id),
    outcome TEXT NOT NULL CHECK (outcome IN ('holds', 'violated', 'undecided')), reason TEXT NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX verdicts_that_fail ON verdicts (outcome, "case") WHERE outcome <> 'holds';
"""
SCHEMA_1 = f"{_TABLES} PRAGMA user_version = 1;"
# An image may be discarded, and the questions that confirm issues are kept beside the probes.
SCHEMA_3 = f"""{_TABLES}
ALTER TABLE images ADD COLUMN discarded INTEGER NOT NULL DEFAULT 0;
CREATE TABLE confirmations (
    id INTEGER PRIMARY KEY, image INTEGER NOT NULL REFERENCES images (id), label TEXT NOT NULL, question TEXT NOT NULL,
    text TEXT, problem TEXT, seconds REAL, at REAL, tries INTEGER, UNIQUE (image, label)
);
PRAGMA user_version = 3;
"""


def version(folder: Path) -> int:
    """The schema of a run file."""
    with closing(sqlite3.connect(folder / RUN_FILE)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])
