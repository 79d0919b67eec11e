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

# By the query for the first row that it is about, and the forged statement: the beginning of the complaint.
OF_SUSPICION, OF_PROBE = "SELECT min(id) FROM suspicions", "SELECT min(id) FROM probes WHERE round > 0"
OF_PROOF, OF_FIRST = "SELECT min(suspicion) FROM proofs", "SELECT 1"
OF_VERDICT = "SELECT min(\"case\") FROM verdicts WHERE outcome = 'violated'"
OF_CAUSE = 'SELECT min("case") FROM cause_cases WHERE cause = 1'
ROUND = "probes.round, attempts and witness of row {}: "
FORGED = {
    OF_SUSPICION: {
        "UPDATE suspicions SET state = 'believed'": "suspicions of row {}: no run writes this (state",
        "UPDATE suspicions SET grade = 'worst'": "suspicions of row {}: no run writes this (grade",
        "UPDATE suspicions SET what = 'odd'": "suspicions of row {}: no run writes this (what",
        "UPDATE suspicions SET probes = '[0, 7]'": "suspicions of row {}: a conflict names a probe that",
        "UPDATE suspicions SET probes = 'x'": "suspicions of row {}: no run writes this",
        "UPDATE suspicions SET known = 2": "suspicions of row {}: known is neither true nor false",
        "UPDATE suspicions SET why = x'00'": "suspicions.why of row {}: expected text, got blob",
        'UPDATE suspicions SET "case" = 9999': "a row {} of 'suspicions' names a row of 'cases'",
    },
    OF_PROOF: {
        "UPDATE proofs SET probe = 9999": "proofs.probe of row {}: names a row of 'probes'",
        "DELETE FROM suspicions": "proofs.suspicion of row {}: names a row of 'suspicions'",
        "UPDATE proofs SET place = -1 - place": "proofs.place of row {}: expected a place from 0",
    },
    OF_PROBE: {
        "UPDATE probes SET round = -1 WHERE round > 0": ROUND + "expected a",
        "UPDATE probes SET attempts = 0 WHERE round > 0": ROUND + "expected 1 to 100 attempts, got 0",
        "UPDATE probes SET attempts = NULL WHERE round > 0": ROUND + "closed questions need attempts",
        "UPDATE probes SET witness = 0 WHERE round > 0": "probes.digest of row {}: not that of its image",
        "UPDATE probes SET question = 'Why?' WHERE round > 0": "probes.digest of row {}: not that of its image",
    },
    OF_FIRST: {
        "UPDATE probes SET witness = 1 WHERE round = 0": ROUND + "expected no witness",
        "UPDATE probes SET attempts = 2 WHERE round = 0": ROUND + "closed questions need attempts",
        "UPDATE causes SET blamed = 9999": "causes.blamed of row {}: names a row of 'probes' that is not there",
        "UPDATE causes SET example = 9999": "causes.example of row {}: names a row of 'cases'",
        "UPDATE causes SET what = 'odd'": "causes of row {}: unknown kind 'odd'",
        "UPDATE causes SET methods = '{}'": "causes of row {}: expected a list of methods",
        "UPDATE causes SET standing = 'odd'": "causes of row {}: unknown standing 'odd'",
        "UPDATE patterns SET body = '[]'": "patterns.body of row {}: no run writes this",
        "UPDATE facts SET value = '-1' WHERE name = 'proving_rounds'": "facts.proving_rounds: expected a count",
        "UPDATE facts SET value = '5' WHERE name = 'causes_found'": "facts.causes_found: expected true or false",
    },
    OF_VERDICT: {
        "UPDATE verdicts SET state = 'sure' WHERE outcome = 'violated'": "verdicts.body of row {}: expected a state of",
        "UPDATE verdicts SET vacuous = 1 WHERE outcome = 'violated'": "verdicts.body of row {}: no run writes",
        "UPDATE verdicts SET wrong_anyway = 5 WHERE outcome = 'violated'": "verdicts.body of row {}: vacuous or",
        "UPDATE verdicts SET score = 1e999 WHERE outcome = 'violated'": "verdicts.score of row {}: expected a fin",
    },
    OF_CAUSE: {
        "DELETE FROM causes WHERE rank = 1": "cause_cases.cause of row {}: names a row of 'causes'",
    },
}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_run(tmp_path_factory.mktemp("good") / "run")


def test_every_table_has_rows_and_none_is_complained_about(good: Path) -> None:
    with RunStore.open(good, read_only=True) as store:
        assert all(store.count(name) for name in ("suspicions", "proofs", "causes", "ranked_issues", "patterns"))
        assert complaint_about(store.connection) is None


@pytest.mark.parametrize(
    ("select", "statement", "said"), [(select, *each) for select, some in FORGED.items() for each in some.items()]
)
def test_a_forged_row_is_reported_with_its_table_and_row(
    good: Path, tmp_path: Path, select: str, statement: str, said: str
) -> None:
    shutil.copy(good / RUN_FILE, tmp_path / RUN_FILE)
    with closing(sqlite3.connect(tmp_path / RUN_FILE, isolation_level=None)) as connection:
        row = connection.execute(select).fetchone()[0]
        connection.execute(statement)
        found = complaint_about(connection)
    assert found is not None and found.startswith(said.format(row)), found
