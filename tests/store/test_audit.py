"""What an examination of a run file says of damaged and forged suspicions, proofs, closed questions and causes."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from anamorph.store.audit import complaint_about
from anamorph.store.run import RUN_FILE, RunStore
from tests.hostile.runs import small_run

# By forged statement: the beginning of the complaint, `{}` being the first row that it is about.
OF_SUSPICION, OF_PROBE = "SELECT min(id) FROM suspicions", "SELECT min(id) FROM probes WHERE round > 0"
OF_PROOF, OF_VERDICT = (
    "SELECT min(suspicion) FROM proofs",
    "SELECT min(\"case\") FROM verdicts WHERE outcome = 'violated'",
)
FORGED = {
    "UPDATE suspicions SET state = 'believed'": (OF_SUSPICION, "suspicions of row {}: no run writes this (state"),
    "UPDATE suspicions SET grade = 'worst'": (OF_SUSPICION, "suspicions of row {}: no run writes this (grade"),
    "UPDATE suspicions SET what = 'odd'": (OF_SUSPICION, "suspicions of row {}: no run writes this (what"),
    "UPDATE suspicions SET probes = '[0, 7]'": (OF_SUSPICION, "suspicions of row {}: a conflict names a probe that"),
    "UPDATE suspicions SET probes = 'x'": (OF_SUSPICION, "suspicions of row {}: no run writes this"),
    "UPDATE suspicions SET known = 2": (OF_SUSPICION, "suspicions of row {}: known is neither true nor false"),
    "UPDATE suspicions SET why = x'00'": (OF_SUSPICION, "suspicions.why of row {}: expected text, got blob"),
    'UPDATE suspicions SET "case" = 9999': (OF_SUSPICION, "a row {} of 'suspicions' names a row of 'cases'"),
    "UPDATE proofs SET probe = 9999": (OF_PROOF, "proofs.probe of row {}: names a row of 'probes'"),
    "DELETE FROM suspicions": (OF_PROOF, "proofs.suspicion of row {}: names a row of 'suspicions'"),
    "UPDATE proofs SET place = -1 - place": (OF_PROOF, "proofs.place of row {}: expected a place from 0"),
    "UPDATE probes SET round = -1 WHERE round > 0": (
        OF_PROBE,
        "probes.round, attempts and witness of row {}: expected a",
    ),
    "UPDATE probes SET attempts = 0 WHERE round > 0": (
        OF_PROBE,
        "probes.round, attempts and witness of row {}: expected 1 to 100 attempts, got 0",
    ),
    "UPDATE probes SET attempts = NULL WHERE round > 0": (
        OF_PROBE,
        "probes.round, attempts and witness of row {}: closed questions need attempts, and only questions have them",
    ),
    "UPDATE probes SET witness = 0 WHERE round > 0": (OF_PROBE, "probes.digest of row {}: not that of its image"),
    "UPDATE probes SET question = 'Why?' WHERE round > 0": (OF_PROBE, "probes.digest of row {}: not that of its image"),
    "UPDATE probes SET witness = 1 WHERE round = 0": (
        "SELECT 1",
        "probes.round, attempts and witness of row {}: expected no witness",
    ),
    "UPDATE probes SET attempts = 2 WHERE round = 0": (
        "SELECT 1",
        "probes.round, attempts and witness of row {}: closed questions need attempts, and only questions have them",
    ),
    "UPDATE verdicts SET state = 'sure' WHERE outcome = 'violated'": (
        OF_VERDICT,
        "verdicts.body of row {}: expected a state of suspicions, got 'sure'",
    ),
    "UPDATE verdicts SET vacuous = 1 WHERE outcome = 'violated'": (
        OF_VERDICT,
        "verdicts.body of row {}: no run writes",
    ),
    "UPDATE verdicts SET wrong_anyway = 5 WHERE outcome = 'violated'": (
        OF_VERDICT,
        "verdicts.body of row {}: vacuous or",
    ),
    "UPDATE verdicts SET score = 1e999 WHERE outcome = 'violated'": (
        OF_VERDICT,
        "verdicts.score of row {}: expected a fin",
    ),
    "UPDATE causes SET blamed = 9999": (
        "SELECT 1",
        "causes.blamed of row {}: names a row of 'probes' that is not there",
    ),
    "UPDATE causes SET example = 9999": ("SELECT 1", "causes.example of row {}: names a row of 'cases'"),
    "DELETE FROM causes WHERE rank = 1": (
        'SELECT min("case") FROM cause_cases WHERE cause = 1',
        "cause_cases.cause of row {}: names a row of 'causes'",
    ),
    "UPDATE causes SET what = 'odd'": ("SELECT 1", "causes of row {}: unknown kind 'odd'"),
    "UPDATE causes SET methods = '{}'": ("SELECT 1", "causes of row {}: expected a list of methods"),
    "UPDATE causes SET standing = 'odd'": ("SELECT 1", "causes of row {}: unknown standing 'odd'"),
    "UPDATE patterns SET body = '[]'": ("SELECT 1", "patterns.body of row {}: no run writes this"),
    "UPDATE facts SET value = '-1' WHERE name = 'proving_rounds'": (
        "SELECT 1",
        "facts.proving_rounds: expected a count",
    ),
    "UPDATE facts SET value = '5' WHERE name = 'causes_found'": (
        "SELECT 1",
        "facts.causes_found: expected true or false",
    ),
}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_run(tmp_path_factory.mktemp("good") / "run")


def test_every_table_has_rows_and_none_is_complained_about(good: Path) -> None:
    with RunStore.open(good, read_only=True) as store:
        assert all(store.count(name) for name in ("suspicions", "proofs", "causes", "ranked_issues", "patterns"))
        assert complaint_about(store.connection) is None


@pytest.mark.parametrize("statement", FORGED)
def test_a_forged_row_is_reported_with_its_table_and_row(good: Path, tmp_path: Path, statement: str) -> None:
    select, said = FORGED[statement]
    shutil.copy(good / RUN_FILE, tmp_path / RUN_FILE)
    with closing(sqlite3.connect(tmp_path / RUN_FILE, isolation_level=None)) as connection:
        row = connection.execute(select).fetchone()[0]
        connection.execute(statement)
        found = complaint_about(connection)
    assert found is not None and found.startswith(said.format(row)), found
