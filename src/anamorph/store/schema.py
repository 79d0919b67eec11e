"""The tables of a run file, and runs of earlier schemas."""

from __future__ import annotations

import contextlib
import re
import sqlite3
from pathlib import Path

from anamorph.errors import RunError

SCHEMA_VERSION = 3

# Digests are 16 raw bytes. `cases.probes` is a JSON list of probe ids, source first: a link table would double the
# size of a run and nothing ever asks for the cases of a probe. `images.problem` says why there is no file; the image is
# `discarded` where it could be made, and the melt check refused it. `confirmations` are questions that are asked
# about an image to confirm issues, with the answer (`text`) or why there is none (`problem`).
TABLES = """
CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE scenes (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL
);

CREATE TABLE skips (
    id INTEGER PRIMARY KEY,
    what TEXT NOT NULL,
    reason TEXT NOT NULL
);

CREATE TABLE images (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    scene INTEGER NOT NULL REFERENCES scenes (id),
    edits TEXT NOT NULL,
    file TEXT,
    problem TEXT,
    discarded INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE probes (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    image INTEGER NOT NULL REFERENCES images (id),
    question TEXT
);

CREATE TABLE cases (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    method TEXT NOT NULL,
    relation TEXT NOT NULL,
    claim TEXT NOT NULL,
    probes TEXT NOT NULL,
    tags TEXT NOT NULL
);

CREATE TABLE answers (
    probe INTEGER NOT NULL REFERENCES probes (id),
    attempt INTEGER NOT NULL,
    text TEXT,
    labels TEXT,
    seconds REAL NOT NULL,
    at REAL NOT NULL,
    tries INTEGER NOT NULL,
    recalled INTEGER NOT NULL DEFAULT 0,
    unreadable INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (probe, attempt)
) WITHOUT ROWID;

CREATE TABLE failures (
    id INTEGER PRIMARY KEY,
    probe INTEGER NOT NULL REFERENCES probes (id),
    attempt INTEGER NOT NULL,
    message TEXT NOT NULL,
    at REAL NOT NULL,
    tries INTEGER NOT NULL
);
CREATE INDEX failures_of_probe ON failures (probe);

CREATE TABLE confirmations (
    id INTEGER PRIMARY KEY,
    image INTEGER NOT NULL REFERENCES images (id),
    label TEXT NOT NULL,
    question TEXT NOT NULL,
    text TEXT,
    problem TEXT,
    seconds REAL,
    at REAL,
    tries INTEGER,
    UNIQUE (image, label)
);

CREATE TABLE verdicts (
    "case" INTEGER PRIMARY KEY REFERENCES cases (id),
    outcome TEXT NOT NULL CHECK (outcome IN ('holds', 'violated', 'undecided')),
    reason TEXT NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX verdicts_that_fail ON verdicts (outcome, "case") WHERE outcome <> 'holds';
"""

_OUR_TABLES = frozenset(re.findall(r"^CREATE TABLE (\w+)", TABLES, re.MULTILINE))


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open a run file; the caller begins and commits transactions."""
    if read_only:
        connection = sqlite3.connect(read_only_address(path), uri=True, isolation_level=None)
    else:
        connection = sqlite3.connect(path, isolation_level=None)
        # FULL: a commit is on disk when it is over. With NORMAL a power cut may take thousands of answers, since the
        # log is synced only when it is written back.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
    # A run may come from somebody else: its schema gets no function that has effects.
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cache_size = -16384")
    connection.execute("PRAGMA temp_store = FILE")
    return connection


def read_only_address(path: Path) -> str:
    """The address by which SQLite reads a run file, also on media that cannot be written.

    There it cannot make the index of its log, which it needs unless it knows that nothing will change the file.
    """
    address = f"{path.resolve().as_uri()}?mode=ro"
    with contextlib.closing(sqlite3.connect(address, uri=True)) as connection:
        try:
            connection.execute("PRAGMA schema_version").fetchone()
        except sqlite3.OperationalError as problem:
            if problem.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                raise
            log = path.with_name(f"{path.name}-wal")
            if log.exists() and log.stat().st_size:
                raise RunError(
                    f"{path}: was not closed, and cannot be read where it is, because nothing can be written there. "
                    "Copy its folder to another place."
                ) from problem
            return f"{address}&immutable=1"
        except sqlite3.DatabaseError:
            # Not a database; whoever opens it says so.
            return address
    return address


def create_tables(connection: sqlite3.Connection) -> None:
    """Lay out an empty run file, all or nothing."""
    connection.executescript(f"BEGIN; {TABLES} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")


def is_stillborn(path: Path) -> bool:
    """Whether a run file is empty, or was left by a process that was killed before it had written what the run is."""
    if not path.stat().st_size:
        return True
    try:
        with contextlib.closing(connect(path, read_only=True)) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            # The tables of an earlier version came before what they were to hold.
            return tables <= _OUR_TABLES and not any(
                connection.execute(f"SELECT 1 FROM {name}").fetchone() for name in tables
            )
    except (sqlite3.Error, UnicodeDecodeError):
        # Not a run file at all, or one that cannot be read: somebody may want to look at it.
        return False


# Schema 1 had no column for discards; their reasons began so, and no other problem of an image did.
_DISCARDED_IN_1 = "problem IS NOT NULL AND problem GLOB 'The melt check *'"
_1_TO_2 = f"""
BEGIN IMMEDIATE;
ALTER TABLE images ADD COLUMN discarded INTEGER NOT NULL DEFAULT 0;
UPDATE images SET discarded = 1 WHERE {_DISCARDED_IN_1};
PRAGMA user_version = 2;
COMMIT;
"""
_CONFIRMATIONS = re.search(r"CREATE TABLE (confirmations \(.*?\n\);)", TABLES, re.DOTALL)
assert _CONFIRMATIONS is not None
_2_TO_3 = f"BEGIN IMMEDIATE; CREATE TABLE {_CONFIRMATIONS[1]} PRAGMA user_version = 3; COMMIT;"
# A temporary view hides the table of the same name, so that a file which must not be written reads like a new one.
_1_READ_AS_2 = f"""
CREATE TEMP VIEW images AS
SELECT id, digest, scene, edits, file, problem, {_DISCARDED_IN_1} AS discarded FROM main.images;
"""
_2_READ_AS_3 = f"CREATE TEMP TABLE {_CONFIRMATIONS[1]}"
# By the schema that a file has: how it is brought to the next one, and how it is read like one.
_STEPS = {1: (_1_TO_2, _1_READ_AS_2), 2: (_2_TO_3, _2_READ_AS_3)}


def bring_up_to_date(connection: sqlite3.Connection, path: Path, *, read_only: bool) -> None:
    """Make a run of an earlier schema read like a new one; refuse a file that is no run, or of a later schema."""
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as problem:
        raise RunError(f"{path}: not a run file ({problem}).") from problem
    _refuse_strange_objects(connection, path)
    if version in _STEPS:
        try:
            for step in range(version, SCHEMA_VERSION):
                connection.executescript(_STEPS[step][read_only])
        except sqlite3.Error as problem:
            raise RunError(
                f"{path}: cannot be migrated from schema {version} to {SCHEMA_VERSION} ({problem})."
            ) from problem
    elif version != SCHEMA_VERSION:
        raise RunError(
            f"{path}: written with schema {version}, but this Anamorph reads schemas 1 to {SCHEMA_VERSION}. "
            "Use the version that made the run, or start a new run."
        )


def _refuse_strange_objects(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse what no run has and what would run when rows are written or read: triggers, views, virtual tables."""
    strange = connection.execute(
        """
        SELECT type, name FROM sqlite_master
        WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%' ORDER BY name
        """
    ).fetchone()
    if strange is not None:
        kind = "virtual table" if strange[0] == "table" else strange[0]
        raise RunError(
            f"{path}: has the {kind} {strange[1]!r}. A run file has tables and indexes only, so it was forged."
        )
