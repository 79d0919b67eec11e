"""Runs of schema 3, which kept verdicts in JSON and the questions that confirm issues beside the probes."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from anamorph.engine.causes import group_issues
from anamorph.errors import RunError
from anamorph.model import Conflict, Evidence, Verdict, canonical_json, encode
from anamorph.model.case import case_digest, image_digest, probe_digest, proving_digest
from anamorph.model.scene import Scene
from anamorph.relations.same_answer import SameAnswer
from anamorph.store.answers import count_pending, pending_probes, problems_of
from anamorph.store.audit import complaint_about
from anamorph.store.causes import count_causes, has_causes
from anamorph.store.proofs import closed_probes, count_proving
from anamorph.store.run import RUN_FILE, RunStore
from anamorph.store.schema import SCHEMA_VERSION
from anamorph.store.verdicts import (
    GradedViolations,
    SuspicionCounts,
    count_suspicions,
    graded_violations,
    issues,
    suspicions_of,
    tallies,
    verdict_of,
)
from tests.store.earlier import SCHEMA_3, version

SCENE = "a photo"
EDITS = ("[]", '[{"kind":"flip"}]', '[{"kind":"blur","radius":2.0}]')
DOGS, CATS, CARS = (f"How many {name} are in the image?" for name in ("dogs", "cats", "cars"))
LOST = {"label": "dog", "grade": "omission", "what": "lost", "probes": [0, 1]}
KNOWN = {"label": "cat", "grade": "miscount", "what": "number", "probes": [1], "known": True}
# By row: what a verdict said in schema 3, with all that has a column or a table of its own now.
BODIES: dict[int, dict[str, Any]] = {
    1: {
        "outcome": "violated",
        "reason": "The dog is lost.",
        "violated": ["mr1"],
        "categories": ["lost"],
        "evidence": [{"probe": 0, "text": "a dog", "start": 0, "end": 5}],
        "grade": "miscount",
        "wrong_anyway": True,
        "conflicts": [LOST, KNOWN],
        "confirmation": "confirmed",
    },
    2: {
        "outcome": "holds",
        "reason": "Dismissed, because the system is right when it is asked directly. The dog is lost.",
        "grade": "omission",
        "wrong_anyway": False,
        "conflicts": [LOST],
        "confirmation": "dismissed",
    },
    3: {
        "outcome": "violated",
        "reason": "The dog may be lost.",
        "grade": "omission",
        "conflicts": [LOST],
        "confirmation": "unconfirmed",
    },
    4: {"outcome": "violated", "reason": "A dog came.", "grade": "contradiction", "conflicts": [LOST]},
    5: {"outcome": "holds", "reason": "Nothing is said.", "vacuous": True, "score": 0.25},
    6: {"outcome": "undecided", "reason": "The source has no answer."},
}
DOG_LOST, CAT_KNOWN = Conflict("dog", "omission", "lost", (0, 1)), Conflict("cat", "miscount", "number", (1,), True)


def digest(text: str) -> bytes:
    return bytes.fromhex(text)


def write_schema_3(folder: Path, config: dict[str, Any] | None = None) -> Path:
    """A run of one photo with two edits, six cases, and questions that confirm: answered, failed, and not asked."""
    images = [image_digest(SCENE, edits) for edits in EDITS]
    probes = [*((image, None) for image in images), (images[2], CARS)]
    digests = [probe_digest(image, question) for image, question in probes]
    with closing(sqlite3.connect(folder / RUN_FILE)) as connection:
        connection.executescript(SCHEMA_3)
        run = connection.execute
        run("INSERT INTO facts VALUES ('config', ?)", (json.dumps(config or {}),))
        run("INSERT INTO facts VALUES ('planned', 'true'), ('judged', 'true')")
        run("INSERT INTO scenes VALUES (1, ?, ?)", (SCENE, canonical_json(encode(Scene(SCENE, "a.jpg", 8, 8)))))
        for row, (image, edits) in enumerate(zip(images, EDITS, strict=True), 1):
            run("INSERT INTO images VALUES (?, ?, 1, ?, 'a.jpg', NULL, 0)", (row, digest(image), edits))
        for row, (own, (image, question)) in enumerate(zip(digests, probes, strict=True), 1):
            run("INSERT INTO probes VALUES (?, ?, ?, ?)", (row, digest(own), images.index(image) + 1, question))
        claim = canonical_json(encode(SameAnswer()))
        for row, body in BODIES.items():
            tags = canonical_json({"number": str(row)})
            own = case_digest("m", [digests[0], digests[1]], claim, tags)
            run("INSERT INTO cases VALUES (?, ?, 'm', 'same-answer', ?, '[1, 2]', ?)", (row, digest(own), claim, tags))
            text = canonical_json(body)
            run("INSERT INTO verdicts VALUES (?, ?, ?, ?)", (row, body["outcome"], body["reason"], text))
        run("INSERT INTO answers VALUES (1, 0, 'a dog', NULL, 0.1, 5.0, 1, 0, 0)")
        run("INSERT INTO answers VALUES (2, 0, 'a cat', NULL, 0.1, 5.0, 1, 0, 0)")
        run("INSERT INTO confirmations VALUES (1, 1, 'dog', ?, '1', NULL, 0.5, 6.0, 2)", (DOGS,))
        run("INSERT INTO confirmations VALUES (2, 2, 'dog', ?, '2 dogs', NULL, 0.5, 7.0, 1)", (DOGS,))
        run("INSERT INTO confirmations VALUES (3, 2, 'cat', ?, NULL, 'it timed out', 9.0, 8.0, 4)", (CATS,))
        run("INSERT INTO confirmations VALUES (4, 1, 'cat', ?, NULL, NULL, NULL, NULL, NULL)", (CATS,))
        # The plan asks this itself, and its own probe is the one that counts.
        run("INSERT INTO confirmations VALUES (5, 3, 'car', ?, '3', NULL, 0.5, 9.0, 1)", (CARS,))
        connection.commit()
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_schema_3(tmp_path)


def content(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / RUN_FILE)) as connection:
        return list(connection.iterdump())


@pytest.mark.parametrize("read_only", [False, True])
def test_verdicts_and_conflicts_read_as_they_were(folder: Path, read_only: bool) -> None:
    with RunStore.open(folder, read_only=read_only) as store:
        first = verdict_of(store, 1)
        proved = tuple(Conflict(c.label, c.grade, c.what, c.probes, c.known, "proved") for c in (DOG_LOST, CAT_KNOWN))
        assert first == Verdict(
            "violated",
            "The dog is lost.",
            ("mr1",),
            ("lost",),
            (Evidence(0, "a dog", 0, 5),),
            grade="miscount",
            conflicts=proved,
            wrong_anyway=True,
        )
        verdicts = {case: verdict_of(store, case) for case in BODIES}
        assert {case: verdict and verdict.state for case, verdict in verdicts.items()} == {
            1: "proved",
            2: "refuted",
            3: "undecided",
            4: "open",
            5: None,
            6: None,
        }
        assert verdicts[2] is not None and (verdicts[2].outcome, verdicts[2].wrong_anyway) == ("holds", False)
        assert verdicts[5] == Verdict("holds", "Nothing is said.", score=0.25, vacuous=True)
        assert [
            (case, [each for _, each in some]) for case, some in sorted(suspicions_of(store, [1, 4, 6]).items())
        ] == [(1, list(proved)), (4, [DOG_LOST])]
        assert [case.id for case, _ in issues(store)] == [1, 3, 4]
        assert complaint_about(store.connection) is None


@pytest.mark.parametrize("read_only", [False, True])
def test_what_is_counted_is_the_same_in_columns_as_it_was_in_json(folder: Path, read_only: bool) -> None:
    with RunStore.open(folder, read_only=read_only) as store:
        found = tallies(store)
        assert [sum(getattr(tally, name) for tally in found) for name in ("holds", "violated", "undecided")] == [
            2,
            3,
            1,
        ]
        assert sum(tally.vacuous for tally in found) == 1 and sum(tally.score for tally in found) == 0.25
        assert sum(tally.leads for tally in found) == 0
        (parts,) = [tally.parts for tally in found if tally.parts]
        assert parts == {"mr1": 1}
        assert sorted(graded_violations(store), key=lambda each: str(each.state)) == [
            GradedViolations("m", "same-answer", 1, "contradiction", None, "open", 1),
            GradedViolations("m", "same-answer", 1, "miscount", True, "proved", 1),
            GradedViolations("m", "same-answer", 1, "omission", None, "undecided", 1),
        ]
        assert count_suspicions(store) == SuspicionCounts(
            {"proved": 2, "refuted": 1, "undecided": 1, "open": 1},
            {"proved": 1, "refuted": 1, "undecided": 1, "open": 1},
        )


@pytest.mark.parametrize(
    ("config", "witness"),
    [({}, False), ({"confirm_with": {"kind": "toybox", "model": "answerer"}}, True), ({"confirm_with": None}, False)],
)
def test_questions_that_confirmed_become_closed_questions_with_their_answers(
    tmp_path: Path, config: dict[str, Any], witness: bool
) -> None:
    with RunStore.open(write_schema_3(tmp_path, config)) as store:
        asked = [probe for probe in closed_probes(store, 1) if probe.wanted is not None]
        assert [(p.edits, p.question, p.witness, {n: a.text for n, a in p.answers.items()}) for p in asked] == [
            (EDITS[0], DOGS, witness, {0: "1"}),
            (EDITS[1], DOGS, witness, {0: "2 dogs"}),
            (EDITS[1], CATS, witness, {}),
            (EDITS[0], CATS, witness, {}),
            *([(EDITS[2], CARS, True, {0: "3"})] if witness else []),
        ]
        rows = "SELECT seconds, at, tries FROM answers a JOIN probes p ON p.id = a.probe WHERE round = 1 ORDER BY at"
        assert store.connection.execute(rows).fetchall()[:2] == [(0.5, 6.0, 2), (0.5, 7.0, 1)]
        assert problems_of(store, [asked[2].id, asked[3].id]) == {asked[2].id: "it timed out"}
        for row in store.connection.execute("SELECT lower(hex(digest)), image, question FROM probes WHERE round = 1"):
            own = proving_digest(image_digest(SCENE, EDITS[row[1] - 1]), row[2], witness)
            assert row[0] == own
        # Those without an answer are asked; so are the plan's own, of which two have none.
        assert [probe.id for probe in pending_probes(store, 1)] == [3, 4, asked[2].id, asked[3].id]
        assert [probe.id for probe in pending_probes(store, 1, "witness" if witness else "proving")] == [
            asked[2].id,
            asked[3].id,
        ]
        assert count_pending(store, 1) == 4 and count_pending(store, 1, "planned") == 2
        assert count_proving(store, 1) == ((5, 5) if witness else (4, 4))


def test_a_run_that_must_not_be_written_has_the_plans_probes_alone_and_stays_as_it_was(folder: Path) -> None:
    before = (folder / RUN_FILE).read_bytes()
    with RunStore.open(folder, read_only=True) as store:
        assert [probe.id for probe in pending_probes(store, 1)] == [3, 4] and count_pending(store, 1) == 2
        assert count_proving(store, 1) == (0, 0)
    assert (folder / RUN_FILE).read_bytes() == before


@pytest.mark.parametrize("read_only", [False, True])
def test_causes_are_still_to_be_found(folder: Path, read_only: bool) -> None:
    with RunStore.open(folder, read_only=read_only) as store:
        assert not has_causes(store)
        group_issues(store, beside=True)
        assert has_causes(store) and count_causes(store) > 0


def test_a_second_opening_changes_nothing(folder: Path) -> None:
    RunStore.open(folder).close()
    assert version(folder) == SCHEMA_VERSION
    once = content(folder)
    RunStore.open(folder).close()
    assert content(folder) == once


def test_an_old_run_has_tables_and_indexes_of_a_new_one_afterwards(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    new = tmp_path_factory.mktemp("new") / "run"
    RunStore.create(new, {}).close()
    RunStore.open(folder).close()
    found = []
    for each in (folder, new):
        with closing(sqlite3.connect(each / RUN_FILE)) as connection:
            names = connection.execute("SELECT type, name FROM sqlite_master ORDER BY type, name").fetchall()
            columns = {name: connection.execute(f"PRAGMA table_info({name})").fetchall() for _, name in names}
            keys = {name: connection.execute(f"PRAGMA foreign_key_list({name})").fetchall() for _, name in names}
            found.append((names, columns, keys))
    assert found[0] == found[1]


def test_a_kill_in_the_middle_leaves_the_old_file(folder: Path) -> None:
    before = content(folder)
    program = f"""
    import os, signal
    from pathlib import Path
    from anamorph.store import schema
    schema._STEPS[3] = (
        schema._3_TO_4.replace("PRAGMA user_version = 4;", "SELECT die();"), schema._STEPS[3][1]
    )
    kept = schema.connect
    def connect(path, *, read_only=False):
        connection = kept(path, read_only=read_only)
        connection.create_function("die", 0, lambda: os.kill(os.getpid(), signal.SIGKILL))
        return connection
    from anamorph.store import run
    run.connect = connect
    run.RunStore.open(Path({str(folder)!r}))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], env=dict(os.environ), check=False)
    assert done.returncode == -signal.SIGKILL
    assert version(folder) == 3 and content(folder) == before
    RunStore.open(folder).close()
    assert version(folder) == SCHEMA_VERSION


@pytest.mark.parametrize("read_only", [False, True])
def test_verdicts_that_are_no_json_are_refused_and_nothing_is_changed(folder: Path, read_only: bool) -> None:
    with closing(sqlite3.connect(folder / RUN_FILE)) as connection:
        connection.execute("""UPDATE verdicts SET body = '{' WHERE "case" = 4""")
        connection.commit()
    with pytest.raises(RunError, match="malformed JSON"), RunStore.open(folder, read_only=read_only) as store:
        verdict_of(store, 4)
    assert version(folder) == 3


def test_a_case_with_thousands_of_conflicts_keeps_them_in_their_order(folder: Path) -> None:
    many = [{**LOST, "label": f"thing {number}"} for number in range(2500)]
    with closing(sqlite3.connect(folder / RUN_FILE)) as connection:
        for case in (1, 4):
            body = canonical_json({**BODIES[case], "conflicts": many})
            connection.execute('UPDATE verdicts SET body = ? WHERE "case" = ?', (body, case))
        connection.commit()
    for read_only in (True, False):
        with RunStore.open(folder, read_only=read_only) as store:
            found = suspicions_of(store, [1, 4])
            assert [each.label for _, each in found[4]] == [each["label"] for each in many]
            assert len({id for some in found.values() for id, _ in some}) == 5000


def test_a_run_that_was_killed_at_birth_is_none(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / RUN_FILE)) as connection:
        connection.executescript(SCHEMA_3)
    with pytest.raises(RunError, match="stopped before it began"):
        RunStore.open(tmp_path)
