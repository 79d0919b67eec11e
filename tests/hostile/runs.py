"""Damaged and forged run files: one value of one row of one table replaced, or its row gone."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from random import Random
from typing import Any

from anamorph.config import resolve
from anamorph.engine.run import carry_out, start
from tests.hostile.mutations import odd_json

TABLES = (
    "facts",
    "scenes",
    "skips",
    "images",
    "probes",
    "cases",
    "answers",
    "failures",
    "verdicts",
    "suspicions",
    "proofs",
    "causes",
    "cause_cases",
    "ranked_issues",
    "patterns",
)
# Tables whose key has more than one column.
KEYS = {"answers": ["probe", "attempt"], "proofs": ["suspicion", "place"], "cause_cases": ["case", "cause"]}
# SQLite keeps any value in any column.
ODD_CELLS: tuple[Any, ...] = (
    None,
    -1,
    0,
    2**62,
    1.5,
    float("inf"),
    "",
    "x",
    "\x1b[31m\u202e",
    b"",
    b"\xff\xfe",
    "null",
    "{}",
    "[]",
    "[1]",
    "[[]]",
    "[-1]",
    "[999999]",
    '{"kind": 5}',
    '{"kind": "nothing"}',
    '{"a": NaN}',
    "[" * 5000,
    "9" * 6000,
    '"text"',
    "true",
)


def small_run(folder: Path) -> Path:
    """A finished run on drawn scenes with something in every table."""
    plain = {
        "methods": ["deeptest", "rome"],
        "scenes": {"kind": "toybox", "count": 2},
        "system": {"kind": "toybox", "model": "captioner"},
        "confirm_with": {"kind": "toybox", "model": "answerer"},
        "deeptest": {"blur": [6.0], "brightness": [], "contrast": [], "shear": []},
    }
    config = resolve(plain)
    with start(config, folder) as store:
        for _ in carry_out(store, config):
            pass
        with store.transaction() as connection:
            connection.execute("INSERT INTO skips (what, reason) VALUES ('a.jpg', 'broken')")
            probe = connection.execute("SELECT id FROM probes LIMIT 1").fetchone()[0]
            row = (probe, 0, "it did not answer", 1.0, 1)
            connection.execute("INSERT INTO failures (probe, attempt, message, at, tries) VALUES (?, ?, ?, ?, ?)", row)
    return folder


def forge(file: Path, rng: Random) -> str:
    """Change one thing in a run file, whatever it is; gives its description."""
    connection = sqlite3.connect(file)
    try:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        return _forged(connection, rng)
    finally:
        connection.commit()
        connection.close()


def _forged(connection: sqlite3.Connection, rng: Random) -> str:
    table = rng.choice(TABLES)
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    keys = KEYS.get(table, columns[:1])
    marks = " AND ".join(f'"{key}" = ?' for key in keys)
    chosen = ", ".join(f'"{key}"' for key in keys)
    rows = connection.execute(f"SELECT {chosen} FROM {table}").fetchall()
    row = rng.choice(rows)
    if rng.random() < 0.1:
        connection.execute(f"DELETE FROM {table} WHERE {marks}", row)
        return f"{table}: the row {row} is gone"
    column = rng.choice(columns)
    value = rng.choice(ODD_CELLS)
    if rng.random() < 0.5:
        before = connection.execute(f'SELECT "{column}" FROM {table} WHERE {marks}', row).fetchone()[0]
        if isinstance(before, str) and before[:1] in "[{":
            content = odd_json(json.loads(before), rng)
            value = content if rng.random() < 0.1 else content.decode("utf-8", "replace")
    try:
        connection.execute(f'UPDATE {table} SET "{column}" = ? WHERE {marks}', (value, *row))
    except sqlite3.IntegrityError:
        return f"{table}.{column} of {row}: cannot be {str(value)[:60]!r}"
    return f"{table}.{column} of {row} = {value[:60] if isinstance(value, str | bytes) else value!r}"


def tear(file: Path, rng: Random) -> str:
    """Damage the bytes of a run file."""
    content = bytearray(file.read_bytes())
    if rng.random() < 0.3:
        size = rng.randrange(len(content))
        file.write_bytes(content[:size])
        return f"cut after {size} bytes"
    spots = [rng.randrange(len(content)) for _ in range(rng.choice((1, 20, 400)))]
    for spot in spots:
        content[spot] ^= 1 << rng.randrange(8)
    file.write_bytes(content)
    return f"bits flipped at {spots[:5]}"
