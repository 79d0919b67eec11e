from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from random import Random

import pytest

from anamorph.store.audit import complaint_about
from anamorph.store.run import RunStore
from tests.hostile.commands import reading_commands, run_command
from tests.hostile.runs import forge, small_run, tear

# One forged statement, the command that meets it, and what the error must name.
FORGED = {
    "DELETE FROM facts WHERE name = 'config'": ("report", "facts.config is missing"),
    "UPDATE facts SET value = '5' WHERE name = 'config'": ("report", "facts.config: expected a table"),
    "UPDATE facts SET value = '{' WHERE name = 'config'": ("report", "facts.config is not JSON"),
    "UPDATE facts SET value = '{\"ask\": 5}' WHERE name = 'config'": ("report", "run.sqlite: config: ask: "),
    "UPDATE facts SET value = '1e300' WHERE name = 'created_at'": ("report", "facts.created_at: expected seconds"),
    "UPDATE facts SET value = '[]' WHERE name = 'planned'": ("report", "facts.planned: expected true or false"),
    "INSERT OR REPLACE INTO facts VALUES ('judged_as', '5')": ("report", "facts.judged_as: expected a string"),
    "UPDATE facts SET value = '[5]' WHERE name = 'left_out'": ("report", "facts.left_out: expected a list"),
    "UPDATE facts SET value = '[]' WHERE name = 'spending'": ("report", "facts.spending: expected a table"),
    "UPDATE facts SET value = '[]' WHERE name = 'fingerprint'": ("resume", "facts.fingerprint: expected a table"),
    "UPDATE scenes SET body = '{}'": ("export", "scenes.body of row 1"),
    "UPDATE scenes SET body = x'ff'": ("export", "scenes.body of row 1: expected text, got blob"),
    "UPDATE scenes SET name = x'fffe' WHERE id = 1": ("study", "scenes.name of row 1: expected text, got blob"),
    "UPDATE cases SET claim = '{\"kind\": 5}'": ("rejudge", "cases.claim of row 1"),
    'UPDATE cases SET claim = \'{"kind": "nothing"}\'': ("rejudge", "Unknown relation 'nothing'"),
    "UPDATE cases SET probes = '[999]'": ("report", "cases.probes of row 1: names a probe that is not there"),
    "UPDATE cases SET probes = '[[1]]'": ("rejudge", "cases.probes of row 1"),
    "UPDATE cases SET probes = '[1]'": ("rejudge", "cases.digest of row 1"),
    "UPDATE cases SET tags = '[]'": ("report", "cases.tags of row 1"),
    "UPDATE answers SET text = NULL": ("rejudge", "answers.text and labels of row 1"),
    "UPDATE answers SET text = NULL, labels = '[]'": ("rejudge", "answers.text and labels of row 1"),
    "UPDATE answers SET text = CAST(x'ff41' AS TEXT)": ("rejudge", "answers.text of row 1: not UTF-8 text"),
    "UPDATE verdicts SET body = '{\"violated\": 5}' WHERE outcome = 'violated'": ("report", "verdicts.body of row"),
    "UPDATE verdicts SET grade = 'worst' WHERE outcome = 'violated'": ("report", "verdicts.body of row"),
    "UPDATE suspicions SET state = 'believed'": ("report", "suspicions of row 1"),
    "UPDATE suspicions SET probes = '['": ("report", "suspicions of row 1"),
    "UPDATE probes SET attempts = 2147483647 WHERE round > 0": ("resume", "probes.round, attempts and witness of row"),
    "UPDATE causes SET methods = '['": ("report", "causes of row 1"),
    "UPDATE causes SET what = 'bad'": ("report", "causes of row 1: unknown kind 'bad'"),
    "UPDATE patterns SET body = '{}'": ("report", "patterns.body of row 1"),
    "UPDATE facts SET value = '\"oath\"' WHERE name = 'evidence'": ("report", "facts.evidence: expected answers"),
    "DELETE FROM probes": ("report", "that is not there"),
    "DROP TABLE verdicts": ("report", "it has no table 'verdicts'"),
    "ALTER TABLE images DROP COLUMN problem": ("report", "its table 'images' has no column 'problem'"),
}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_run(tmp_path_factory.mktemp("good") / "run")


def copied(good: Path, run: Path) -> Path:
    shutil.rmtree(run, ignore_errors=True)
    shutil.copytree(good, run)
    return run


def a_case(run: Path) -> str:
    with RunStore.open(run, read_only=True) as store:
        found: str = store.connection.execute("SELECT lower(hex(digest)) FROM cases").fetchone()[0]
    return found


def test_nothing_is_wrong_with_a_run_that_anamorph_wrote(good: Path) -> None:
    with RunStore.open(good, read_only=True) as store:
        assert complaint_about(store.connection) is None
        assert store.count("verdicts", "outcome = 'violated'")


@pytest.mark.parametrize("statement", FORGED)
def test_a_forged_run_is_a_usage_error_that_names_the_file_and_the_place(
    good: Path, tmp_path: Path, statement: str
) -> None:
    command, said = FORGED[statement]
    run = copied(good, tmp_path / "run")
    connection = sqlite3.connect(run / "run.sqlite")
    connection.execute(statement)
    connection.commit()
    connection.close()
    words = next(each for each in reading_commands(run, good, tmp_path, a_case(good)) if each[0] == command)
    ended = run_command(*words)
    assert ended.code == 2 and not ended.crashed, ended.err
    assert str(run / "run.sqlite") in ended.err and said in ended.err


def test_no_forged_or_torn_run_file_makes_a_command_crash(good: Path, tmp_path: Path) -> None:
    rng, case, codes = Random(15), a_case(good), []
    # `make fuzz` does the same for as long as one likes.
    for _ in range(150):
        run = tmp_path / "run"
        shutil.rmtree(run, ignore_errors=True)
        run.mkdir()
        (run / "images").symlink_to(good / "images")
        shutil.copy(good / "run.sqlite", run)
        what = (tear if rng.random() < 0.15 else forge)(run / "run.sqlite", rng)
        words = rng.choice(reading_commands(run, good, tmp_path / "out", case))
        ended = run_command(*words)
        assert not ended.crashed, (what, words[0], ended.err)
        codes.append(ended.code)
    assert codes.count(2) > 20
