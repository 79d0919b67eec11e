"""A run file with things in it that run when rows are read or written is refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from anamorph.errors import RunError
from anamorph.store.run import RunStore

OBJECTS = {
    "trigger": "CREATE TRIGGER evil AFTER INSERT ON facts BEGIN DELETE FROM answers; END",
    "trigger on a read": "CREATE TRIGGER evil AFTER UPDATE ON images BEGIN UPDATE cases SET claim = '{}'; END",
    "view": "CREATE VIEW evil AS SELECT * FROM facts",
    "view in place of a table": "ALTER TABLE answers RENAME TO real; CREATE VIEW answers AS SELECT * FROM real",
    "virtual table": "CREATE VIRTUAL TABLE evil USING fts5 (text)",
    "virtual table in place of a table": "DROP TABLE skips; create virtual table skips using fts5 (id, what, reason)",
}


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize("statements", OBJECTS.values(), ids=OBJECTS.keys())
def test_triggers_views_and_virtual_tables_are_refused(statements: str, read_only: bool, tmp_path: Path) -> None:
    RunStore.create(tmp_path, {"config": {}}).close()
    with closing(sqlite3.connect(tmp_path / "run.sqlite")) as connection:
        try:
            connection.executescript(statements)
        except sqlite3.OperationalError:
            pytest.skip("this SQLite has no full-text search")
    with pytest.raises(RunError, match=r"has the (trigger|view|virtual table) '\w+'.*forged"):
        RunStore.open(tmp_path, read_only=read_only)


def test_a_schema_calls_no_function_that_has_effects(tmp_path: Path) -> None:
    with RunStore.create(tmp_path, {}) as store:
        assert store.connection.execute("PRAGMA trusted_schema").fetchone() == (0,)
