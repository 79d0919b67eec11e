"""The tables of a run file, and runs of earlier schemas."""

from __future__ import annotations

import contextlib
import re
import sqlite3
from pathlib import Path

from anamorph.errors import RunError
from anamorph.model.case import proving_digest

SCHEMA_VERSION = 6

# Digests are 16 raw bytes. `cases.probes` is a JSON list of probe ids, source first: a link table would double the
# size of a run, and nothing looks up the cases of a probe. `images.problem` says why it has no file; the image is
# `discarded` if it was made but failed the melt check. Probes of `round` 0 are the plan's; later ones are the closed
# questions that prove suspicions, each asked `attempts` times, of the system or of the `witness`; a probe of the plan
# has `attempts` only if a proof wants more than the run's. `suspicions` are the conflicts that cases raise, `proofs`
# the answers that settled them; `floors` how many answers must be false. `rounds` is the order in which cases are
# asked, if not the plan's; `shrinks` and `explanations` are kept by case digest, so that shards merge unchanged.
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
CREATE INDEX images_of_scene ON images (scene);

CREATE TABLE probes (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    image INTEGER NOT NULL REFERENCES images (id),
    question TEXT,
    round INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER,
    witness INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX probes_of_image ON probes (image);
CREATE INDEX probes_that_prove ON probes (witness) WHERE attempts IS NOT NULL;

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

CREATE TABLE verdicts (
    "case" INTEGER PRIMARY KEY REFERENCES cases (id),
    outcome TEXT NOT NULL CHECK (outcome IN ('holds', 'violated', 'lead', 'undecided')),
    reason TEXT NOT NULL,
    grade TEXT,
    state TEXT,
    vacuous INTEGER NOT NULL DEFAULT 0,
    wrong_anyway INTEGER,
    score REAL,
    body TEXT NOT NULL
);
CREATE INDEX verdicts_that_fail ON verdicts (outcome, "case") WHERE outcome <> 'holds';

CREATE TABLE suspicions (
    id INTEGER PRIMARY KEY,
    "case" INTEGER NOT NULL REFERENCES cases (id),
    label TEXT NOT NULL,
    grade TEXT NOT NULL,
    what TEXT NOT NULL,
    probes TEXT NOT NULL,
    known INTEGER NOT NULL,
    state TEXT NOT NULL,
    why TEXT NOT NULL
);
CREATE INDEX suspicions_of_case ON suspicions ("case");

CREATE TABLE proofs (
    suspicion INTEGER NOT NULL REFERENCES suspicions (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    probe INTEGER NOT NULL REFERENCES probes (id),
    part TEXT NOT NULL,
    said TEXT NOT NULL,
    PRIMARY KEY (suspicion, place)
) WITHOUT ROWID;

CREATE TABLE causes (
    rank INTEGER PRIMARY KEY,
    digest TEXT NOT NULL,
    scene INTEGER NOT NULL,
    what TEXT NOT NULL,
    label TEXT NOT NULL,
    grade INTEGER NOT NULL,
    blamed INTEGER NOT NULL,
    cases INTEGER NOT NULL,
    methods TEXT NOT NULL,
    example INTEGER NOT NULL,
    answers INTEGER NOT NULL,
    standing TEXT
);

CREATE TABLE cause_cases (
    "case" INTEGER NOT NULL,
    cause INTEGER NOT NULL,
    PRIMARY KEY ("case", cause)
) WITHOUT ROWID;

CREATE TABLE ranked_issues (
    rank INTEGER PRIMARY KEY,
    "case" INTEGER NOT NULL,
    cause INTEGER NOT NULL
);

CREATE TABLE patterns (
    rank INTEGER PRIMARY KEY,
    body TEXT NOT NULL
);

CREATE TABLE floors (
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    answers INTEGER NOT NULL,
    fewest INTEGER NOT NULL,
    exact INTEGER NOT NULL,
    PRIMARY KEY (scope, name)
) WITHOUT ROWID;

CREATE TABLE rounds (
    number INTEGER PRIMARY KEY,
    even TEXT NOT NULL,
    chosen TEXT NOT NULL
);

CREATE TABLE shrinks (
    digest TEXT PRIMARY KEY,
    body TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE explanations (
    digest TEXT PRIMARY KEY,
    body TEXT NOT NULL
) WITHOUT ROWID;
"""

# Schema 3 had one more.
_OUR_TABLES = frozenset((*re.findall(r"^CREATE TABLE (\w+)", TABLES, re.MULTILINE), "confirmations"))


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open a run file; the caller begins and commits transactions."""
    if read_only:
        connection = sqlite3.connect(read_only_address(path), uri=True, isolation_level=None)
    else:
        connection = sqlite3.connect(path, isolation_level=None)
        # FULL: a commit is on disk when it returns. With NORMAL a power failure may lose thousands of answers, since
        # the log is synced only at checkpoints.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
    # A run may come from another user: its schema gets no function with side effects.
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cache_size = -16384")
    connection.execute("PRAGMA temp_store = FILE")
    return connection


def journal_mode_in(folder: Path) -> str:
    """The journal mode of SQLite in a folder, from a trial run file."""
    with contextlib.closing(connect(folder / "run.sqlite")) as connection:
        create_tables(connection)
        return str(connection.execute("PRAGMA journal_mode").fetchone()[0])


def full_text_problem() -> str:
    """Why SQLite lacks full-text search here; empty if it has it."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute("CREATE VIRTUAL TABLE texts USING fts5 (text)")
        except sqlite3.OperationalError as problem:
            return str(problem)
    return ""


def read_only_address(path: Path) -> str:
    """The URI by which SQLite reads a run file, even on read-only media.

    There it cannot create the index of its log, so it must be told that the file is immutable.
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
                    f"{path}: was not closed, and cannot be read on read-only media. Copy its folder to another place."
                ) from problem
            return f"{address}&immutable=1"
        except sqlite3.DatabaseError:
            # Not a database; opening it will say so.
            return address
    return address


def create_tables(connection: sqlite3.Connection) -> None:
    """Create the tables of a run file, atomically."""
    connection.executescript(f"BEGIN; {TABLES} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")


def is_stillborn(path: Path) -> bool:
    """Whether a run file is empty, or its process was killed before writing the run's facts."""
    if not path.stat().st_size:
        return True
    try:
        with contextlib.closing(connect(path, read_only=True)) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            # Earlier versions created the tables before the facts.
            return tables <= _OUR_TABLES and not any(
                connection.execute(f"SELECT 1 FROM {name}").fetchone() for name in tables
            )
    except (sqlite3.Error, UnicodeDecodeError):
        # Not a run file at all, or one that cannot be read: leave it for inspection.
        return False


# Schema 1 had no column for discards; only their reasons began like this.
_DISCARDED_IN_1 = "problem IS NOT NULL AND problem GLOB 'The melt check *'"
_1_TO_2 = f"""
BEGIN IMMEDIATE;
ALTER TABLE images ADD COLUMN discarded INTEGER NOT NULL DEFAULT 0;
UPDATE images SET discarded = 1 WHERE {_DISCARDED_IN_1};
PRAGMA user_version = 2;
COMMIT;
"""
_CONFIRMATIONS = """confirmations (
    id INTEGER PRIMARY KEY,
    image INTEGER NOT NULL,
    label TEXT NOT NULL,
    question TEXT NOT NULL,
    text TEXT,
    problem TEXT,
    seconds REAL,
    at REAL,
    tries INTEGER,
    UNIQUE (image, label)
);"""
_2_TO_3 = f"BEGIN IMMEDIATE; CREATE TABLE {_CONFIRMATIONS} PRAGMA user_version = 3; COMMIT;"
# Schema 3 kept all of a verdict in its body, conflicts included, and confirming questions beside the probes. Their
# results are kept, and they become closed questions of the first round.
_STATE_IN_3 = """CASE json_extract(v.body, '$.confirmation')
    WHEN 'confirmed' THEN 'proved' WHEN 'dismissed' THEN 'refuted' WHEN 'unconfirmed' THEN 'undecided'
    ELSE CASE WHEN json_array_length(v.body, '$.conflicts') > 0 THEN 'open' END END"""
_VERDICTS_OF_3 = f"""
SELECT "case", outcome, reason, json_extract(body, '$.grade') AS grade, {_STATE_IN_3} AS state,
    coalesce(json_extract(body, '$.vacuous'), 0) AS vacuous, json_extract(body, '$.wrong_anyway') AS wrong_anyway,
    json_extract(body, '$.score') AS score,
    json_remove(body, '$.outcome', '$.reason', '$.grade', '$.vacuous', '$.wrong_anyway', '$.score', '$.conflicts',
        '$.confirmation') AS body
"""
_SUSPICIONS_OF_3 = f"""
v."case" AS "case", json_extract(k.value, '$.label') AS label, json_extract(k.value, '$.grade') AS grade,
    json_extract(k.value, '$.what') AS what, json_extract(k.value, '$.probes') AS probes,
    coalesce(json_extract(k.value, '$.known'), 0) AS known, {_STATE_IN_3} AS state, '' AS why
"""


def _table(name: str, temporary: str = "") -> str:
    """The statement that creates a table of the current schema."""
    found = re.search(rf"^CREATE TABLE ({name} \(.*?^\)[^;]*;)", TABLES, re.MULTILINE | re.DOTALL)
    assert found is not None
    # A temporary table cannot reference one of the file.
    made = re.sub(r" REFERENCES \w+ \(id\)( ON DELETE CASCADE)?", "", found[1]) if temporary else found[1]
    return f"CREATE {temporary} TABLE {made}"


_NEW_IN_4 = ("suspicions", "proofs", "causes", "cause_cases", "ranked_issues", "patterns")
_3_TO_4 = f"""
BEGIN IMMEDIATE;
ALTER TABLE probes ADD COLUMN round INTEGER NOT NULL DEFAULT 0;
ALTER TABLE probes ADD COLUMN attempts INTEGER;
ALTER TABLE probes ADD COLUMN witness INTEGER NOT NULL DEFAULT 0;
CREATE INDEX images_of_scene ON images (scene);
CREATE INDEX probes_of_image ON probes (image);
CREATE INDEX probes_that_prove ON probes (witness) WHERE attempts IS NOT NULL;
INSERT OR IGNORE INTO probes (digest, image, question, round, attempts, witness)
SELECT anamorph_probe_digest(lower(hex(i.digest)), k.question, w.there), k.image, k.question, 1, 1, w.there
FROM confirmations k JOIN images i ON i.id = k.image,
    (SELECT EXISTS (
        SELECT 1 FROM facts WHERE name = 'config' AND json_type(value, '$.confirm_with') IN ('object', 'text')
    ) AS there) w
ORDER BY k.id;
INSERT OR IGNORE INTO answers
SELECT p.id, 0, k.text, NULL, coalesce(k.seconds, 0), coalesce(k.at, 0), coalesce(k.tries, 1), 0, 0
FROM confirmations k JOIN probes p ON p.image = k.image AND p.question = k.question AND p.round > 0
WHERE k.text IS NOT NULL;
INSERT INTO failures (probe, attempt, message, at, tries)
SELECT p.id, 0, k.problem, coalesce(k.at, 0), coalesce(k.tries, 1)
FROM confirmations k JOIN probes p ON p.image = k.image AND p.question = k.question AND p.round > 0
WHERE k.text IS NULL AND k.problem IS NOT NULL ORDER BY k.id;
DROP TABLE confirmations;
DROP INDEX IF EXISTS verdicts_that_fail;
ALTER TABLE verdicts RENAME TO verdicts_of_3;
{_table("verdicts")}
CREATE INDEX verdicts_that_fail ON verdicts (outcome, "case") WHERE outcome <> 'holds';
INSERT INTO verdicts {_VERDICTS_OF_3} FROM verdicts_of_3 v;
{"".join(map(_table, _NEW_IN_4))}
CREATE INDEX suspicions_of_case ON suspicions ("case");
INSERT INTO suspicions ("case", label, grade, what, probes, known, state, why)
SELECT {_SUSPICIONS_OF_3} FROM verdicts_of_3 v, json_each(v.body, '$.conflicts') k ORDER BY v."case", k.key;
DROP TABLE verdicts_of_3;
PRAGMA user_version = 4;
COMMIT;
"""
# A temporary view shadows the table of the same name, so that a read-only file reads like a new one. Confirming
# questions are left out: nothing is asked or settled there.
_1_READ_AS_2 = f"""
CREATE TEMP VIEW images AS
SELECT id, digest, scene, edits, file, problem, {_DISCARDED_IN_1} AS discarded FROM main.images;
"""
_2_READ_AS_3 = ""
_3_READ_AS_4 = f"""
CREATE TEMP VIEW probes AS
SELECT id, digest, image, question, 0 AS round, NULL AS attempts, 0 AS witness FROM main.probes;
CREATE TEMP VIEW verdicts AS {_VERDICTS_OF_3} FROM main.verdicts v;
CREATE TEMP VIEW suspicions AS
SELECT v."case" * 1048576 + k.key AS id, {_SUSPICIONS_OF_3} FROM main.verdicts v, json_each(v.body, '$.conflicts') k;
{"".join(_table(name, "TEMP") for name in _NEW_IN_4[1:])}
"""
# Schema 4 had no floors; judging again finds them.
_4_TO_5 = f"BEGIN IMMEDIATE; {_table('floors')} PRAGMA user_version = 5; COMMIT;"
_4_READ_AS_5 = _table("floors", "TEMP")
# Schema 5 kept these tables as facts, each named after its round or its case.
_IS_RECORD_IN_5 = "name GLOB 'order:*' OR name GLOB 'shrunk:*' OR name GLOB 'explained:*'"
_RECORDS_OF_5 = """
INSERT INTO {0}rounds SELECT CAST(substr(name, 7) AS INTEGER), json_extract(value, '$.even'),
    json_extract(value, '$.chosen') FROM main.facts WHERE name GLOB 'order:*';
INSERT INTO {0}shrinks SELECT substr(name, 8), value FROM main.facts WHERE name GLOB 'shrunk:*';
INSERT INTO {0}explanations SELECT substr(name, 11), value FROM main.facts WHERE name GLOB 'explained:*';
"""
_NEW_IN_6 = ("rounds", "shrinks", "explanations")
_5_TO_6 = f"""
BEGIN IMMEDIATE;
{"".join(map(_table, _NEW_IN_6))}
{_RECORDS_OF_5.format("main.")}
DELETE FROM facts WHERE {_IS_RECORD_IN_5};
PRAGMA user_version = 6;
COMMIT;
"""
_5_READ_AS_6 = f"""
{"".join(_table(name, "TEMP") for name in _NEW_IN_6)}
{_RECORDS_OF_5.format("temp.")}
CREATE TEMP VIEW facts AS SELECT name, value FROM main.facts WHERE NOT ({_IS_RECORD_IN_5});
"""
# By the schema of a file: the migration to the next one, and the views to read it like one.
_STEPS = {
    1: (_1_TO_2, _1_READ_AS_2),
    2: (_2_TO_3, _2_READ_AS_3),
    3: (_3_TO_4, _3_READ_AS_4),
    4: (_4_TO_5, _4_READ_AS_5),
    5: (_5_TO_6, _5_READ_AS_6),
}


def _probe_digest(image: str, question: str, witness: int) -> bytes:
    return bytes.fromhex(proving_digest(image, question, bool(witness)))


def bring_up_to_date(connection: sqlite3.Connection, path: Path, *, read_only: bool) -> None:
    """Make a run of an earlier schema read like a new one; refuse a file that is not a run, or has a later schema."""
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as problem:
        raise RunError(f"{path}: not a run file ({problem}).") from problem
    _refuse_strange_objects(connection, path)
    if version in _STEPS:
        try:
            connection.create_function("anamorph_probe_digest", 3, _probe_digest, deterministic=True)
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
    """Refuse triggers, views and virtual tables, which no run has, and which would run code."""
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
