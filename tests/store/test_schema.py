from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from anamorph.errors import RunError
from anamorph.model import Verdict
from anamorph.store.answers import count_pending, pending_probes, problems_of, record_image
from anamorph.store.discards import discard_reasons, discarded_cases, discarded_images
from anamorph.store.orders import AskedRound, has_rounds, stored_rounds
from anamorph.store.run import RUN_FILE, RunStore
from anamorph.store.schema import SCHEMA_VERSION
from anamorph.store.verdicts import suspicions_of, verdict_of
from tests.store.earlier import SCHEMA_1, version

DISCARD = "The melt check still finds 'dog' in the hole."
# One made image, one that was discarded, one that failed, and one that is lacking.
CONTENT = f"""
INSERT INTO facts VALUES ('planned', 'true');
INSERT INTO scenes VALUES (1, 's', '{{}}');
INSERT INTO images VALUES
    (1, x'01', 1, '[]', 'a.jpg', NULL), (2, x'02', 1, '[1]', NULL, '{DISCARD.replace("'", "''")}'),
    (3, x'03', 1, '[2]', NULL, 'the photo is broken'), (4, x'04', 1, '[3]', NULL, NULL);
INSERT INTO probes VALUES (1, x'01', 1, NULL), (2, x'02', 2, NULL), (3, x'03', 3, NULL), (4, x'04', 4, NULL);
INSERT INTO cases VALUES (1, x'01', 'm', 'r', '{{}}', '[1, 2]', '{{}}'), (2, x'02', 'm', 'r', '{{}}', '[1, 3]', '{{}}');
INSERT INTO answers VALUES (1, 0, 'a dog', NULL, 0.1, 1.0, 1, 0, 0);
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / RUN_FILE)) as connection:
        connection.executescript(SCHEMA_1 + CONTENT)
    return tmp_path


def check(store: RunStore) -> None:
    assert (discarded_images(store), discarded_cases(store)) == (1, 1)
    assert discard_reasons(store) == [(DISCARD, 1)]
    assert [probe.id for probe in pending_probes(store, 1)] == [3, 4] and count_pending(store, 1) == 2
    assert problems_of(store, [2, 3, 4]) == {2: DISCARD, 3: "the photo is broken"}
    assert store.fact("planned") is True


def test_a_run_of_schema_1_is_brought_up_to_date_when_it_is_opened(folder: Path) -> None:
    with RunStore.open(folder) as store:
        check(store)
        record_image(store, 4, None, "The melt check finds 'cat' in the hole.", discarded=True)
    assert version(folder) == SCHEMA_VERSION
    with RunStore.open(folder) as store:
        assert discarded_images(store) == 2
        assert [probe.id for probe in pending_probes(store, 1)] == [3]


def test_a_run_of_schema_1_that_must_not_be_written_reads_like_a_new_one(folder: Path) -> None:
    before = (folder / RUN_FILE).read_bytes()
    with RunStore.open(folder, read_only=True) as store:
        check(store)
    assert version(folder) == 1 and (folder / RUN_FILE).read_bytes() == before


@pytest.mark.parametrize("read_only", [True, False])
def test_a_run_of_schema_2_reads_like_a_new_one(folder: Path, read_only: bool) -> None:
    with closing(sqlite3.connect(folder / RUN_FILE)) as connection:
        connection.executescript(
            """ALTER TABLE images ADD COLUMN discarded INTEGER NOT NULL DEFAULT 0;
            UPDATE images SET discarded = 1 WHERE id = 2;
            INSERT INTO verdicts VALUES (1, 'violated', 'Lost.', '{"outcome": "violated", "reason": "Lost."}'),
                (2, 'holds', 'Nothing.', '{"outcome": "holds", "reason": "Nothing.", "vacuous": true}');
            PRAGMA user_version = 2;"""
        )
    with RunStore.open(folder, read_only=read_only) as store:
        check(store)
        assert verdict_of(store, 1) == Verdict("violated", "Lost.")
        assert verdict_of(store, 2) == Verdict("holds", "Nothing.", vacuous=True)
        assert not suspicions_of(store, [1, 2])
    assert version(folder) == (2 if read_only else SCHEMA_VERSION)


def test_a_migration_that_fails_leaves_the_run_as_it_was(folder: Path) -> None:
    with closing(sqlite3.connect(folder / RUN_FILE)) as connection:
        connection.execute("ALTER TABLE images ADD COLUMN discarded")
    with pytest.raises(RunError, match="cannot be migrated from schema 1"):
        RunStore.open(folder)
    assert version(folder) == 1


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize("strange", [0, SCHEMA_VERSION + 1])
def test_a_run_of_a_schema_that_nobody_knows_is_refused(folder: Path, strange: int, read_only: bool) -> None:
    with closing(sqlite3.connect(folder / RUN_FILE)) as connection:
        connection.execute(f"PRAGMA user_version = {strange}")
    with pytest.raises(RunError, match=f"written with schema {strange}, but this Anamorph reads schemas 1 to"):
        RunStore.open(folder, read_only=read_only)


def test_a_discard_is_told_by_its_column_and_not_by_its_words(tmp_path: Path) -> None:
    with RunStore.create(tmp_path, {}) as store:
        store.connection.executescript(
            "INSERT INTO scenes VALUES (1, 's', '{}'); INSERT INTO images (id, digest, scene, edits)"
            " VALUES (1, x'01', 1, '[]'), (2, x'02', 1, '[1]')"
        )
        record_image(store, 1, None, "The melt check of my own edit failed.")
        record_image(store, 2, None, "Something was left.", discarded=True)
        assert discard_reasons(store) == [("Something was left.", 1)]


@pytest.mark.parametrize("read_only", [True, False])
def test_rounds_shrinks_and_explanations_of_schema_5_were_facts(folder: Path, read_only: bool) -> None:
    RunStore.open(folder).close()
    with closing(sqlite3.connect(folder / RUN_FILE)) as connection:
        connection.executescript(
            """DROP TABLE rounds; DROP TABLE shrinks; DROP TABLE explanations;
            INSERT INTO facts VALUES ('order:000000002', '{"even": [2], "chosen": []}'),
                ('order:000000001', '{"even": [1], "chosen": [2]}'),
                ('shrunk:0b', '{"calls": 1}'), ('explained:0a', '{"calls": 2}');
            PRAGMA user_version = 5;"""
        )
    with RunStore.open(folder, read_only=read_only) as store:
        assert list(stored_rounds(store)) == [AskedRound((1,), (2,)), AskedRound((2,), ())] and has_rounds(store)
        for table, row in (("shrinks", ("0b", '{"calls": 1}')), ("explanations", ("0a", '{"calls": 2}'))):
            assert store.connection.execute(f"SELECT * FROM {table}").fetchall() == [row]
        assert store.fact_names() == ["planned"] and store.fact("planned") is True
    assert version(folder) == (5 if read_only else SCHEMA_VERSION)
