"""Closed questions in the store: how often they are asked, what is still missing, and the proofs that they make."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from anamorph.errors import RunError
from anamorph.model import Answer, Conflict, Probe, Verdict
from anamorph.model.case import image_digest, probe_digest, proving_digest
from anamorph.store.answers import (
    Asked,
    AttemptResult,
    count_pending,
    mark_unreadable,
    pending_among,
    pending_probes,
    record_image,
    record_results,
)
from anamorph.store.proofs import (
    ProbeOrder,
    ProofLine,
    captions_of_scene,
    closed_probes,
    count_proving,
    is_ordered,
    order_probes,
    proofs_of,
    record_proofs,
    suspected_by_scene,
)
from anamorph.store.run import RunStore
from anamorph.store.verdicts import (
    ISSUE_PAGE,
    flake_counts,
    issues,
    noise_of_relations,
    record_verdicts,
    suspicions_of,
    unfair_by_rule,
    verdict_of,
)

QUESTION = "How many dogs are in the image?"
LOST = Conflict("dog", "omission", "lost", (0, 1))
NUMBER = Conflict("cat", "miscount", "number", (0, 1), known=True)
VIOLATED = Verdict("violated", "The dog is lost.", grade="omission", conflicts=(LOST, NUMBER))


def fill(store: RunStore, scenes: int, images: int = 2) -> None:
    """Scenes with some images each, a probe of the plan for each image, and a case for each pair of neighbours."""
    with store.transaction() as connection:
        probe = 0
        for scene in range(1, scenes + 1):
            connection.execute("INSERT INTO scenes VALUES (?, ?, '{}')", (scene, f"s{scene}"))
            for place in range(images):
                probe += 1
                edits = "[]" if place == 0 else f'[{{"kind":"blur","radius":{place}.0}}]'
                image = image_digest(f"s{scene}", edits)
                connection.execute(
                    "INSERT INTO images (id, digest, scene, edits) VALUES (?, ?, ?, ?)",
                    (probe, bytes.fromhex(image), scene, edits),
                )
                connection.execute(
                    "INSERT INTO probes (id, digest, image) VALUES (?, ?, ?)",
                    (probe, bytes.fromhex(probe_digest(image, None)), probe),
                )
                if place:
                    connection.execute(
                        """INSERT INTO cases (digest, method, relation, claim, probes, tags)
                        VALUES (?, 'm', 'r', '{}', ?, '{}')""",
                        (probe.to_bytes(16, "big"), f"[{probe - 1}, {probe}]"),
                    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    with RunStore.create(tmp_path / "run", {"config": {}}) as found:
        fill(found, scenes=2)
        yield found


def ordered(store: RunStore, *orders: ProbeOrder, scene: int = 1, round: int = 1, repeats: int = 1) -> int:
    with store.transaction():
        return order_probes(store, scene, f"s{scene}", [order.plain for order in orders], round, repeats)


def about(question: str | None = QUESTION, attempts: int = 1, *, witness: bool = False, scene: int = 1) -> ProbeOrder:
    return ProbeOrder(Probe(f"s{scene}", (), question), attempts, witness)


def plan_asks(store: RunStore) -> int:
    """Let the plan itself ask the question about the first photo; the new probe."""
    digest = bytes.fromhex(probe_digest(image_digest("s1", "[]"), QUESTION))
    row = "INSERT INTO probes (digest, image, question) VALUES (?, 1, ?)"
    return int(store.connection.execute(row, (digest, QUESTION)).lastrowid or 0)


def answered(store: RunStore, *keys: tuple[int, int], text: str = "2") -> None:
    with store.transaction():
        record_results(store, [AttemptResult(probe, attempt, Answer(text), "", 0.1, 1) for probe, attempt in keys])


def pending(store: RunStore, repeats: int, which: Asked = "all") -> dict[int, tuple[int, ...]]:
    """The attempts that probes lack; they must be as many as are counted."""
    found = {probe.id: probe.attempts for probe in pending_probes(store, repeats, which)}
    assert sum(map(len, found.values())) == count_pending(store, repeats, which)
    return found


def test_the_plans_probes_are_asked_as_often_as_the_run_says(store: RunStore) -> None:
    assert pending(store, 2) == dict.fromkeys((1, 2, 3, 4), (0, 1))
    answered(store, (1, 0), (2, 0), (2, 1))
    assert pending(store, 2) == {1: (1,), 3: (0, 1), 4: (0, 1)}
    assert pending(store, 1, "planned") == {3: (0,), 4: (0,)}
    assert pending(store, 1, "proving") == pending(store, 1, "witness") == {}


def test_closed_questions_are_asked_as_often_as_their_proof_wants_whatever_the_run_says(store: RunStore) -> None:
    assert ordered(store, about(), about("How many cats?", 2), about("How many cats?", 2, witness=True)) == 5
    answered(store, *((probe, 0) for probe in range(1, 6)))
    assert pending(store, 1) == {6: (0, 1), 7: (0, 1)}
    assert pending(store, 1, "proving") == {6: (0, 1)}
    assert pending(store, 1, "witness") == {7: (0, 1)}
    answered(store, (6, 1), (7, 0), (7, 1))
    # Of the closed questions, only the one is missing; the plan is asked three times.
    assert pending(store, 3) == {**dict.fromkeys((1, 2, 3, 4), (1, 2)), 6: (0,)}
    assert pending(store, 3, "planned") == dict.fromkeys((1, 2, 3, 4), (1, 2))


def test_an_answer_beyond_what_is_wanted_stands_for_no_other(store: RunStore) -> None:
    ordered(store, about())
    answered(store, (5, 3), (1, 7), (2, 0), (3, 0), (4, 0))
    assert pending(store, 1) == {1: (0,), 5: (0,)}


def test_a_probe_of_the_plan_that_a_proof_wants_more_often_is_asked_again_by_the_proof(store: RunStore) -> None:
    own = plan_asks(store)
    answered(store, *((probe, 0) for probe in range(1, own + 1)))
    assert ordered(store, about(attempts=3)) == 2
    assert pending(store, 1, "planned") == {}
    assert pending(store, 1) == pending(store, 1, "proving") == {own: (1, 2)}
    assert list(pending_among(store, 1, [1, own])) == []
    answered(store, (own, 1), (own, 2))
    assert pending(store, 1) == {}
    # A run that asks more often anyway needs no more for the proof.
    assert pending(store, 4)[own] == (3,)


def test_discarded_images_are_not_asked_about_and_their_answers_stand_for_no_other(store: RunStore) -> None:
    ordered(store, about())
    answered(store, (1, 0), (5, 0), (2, 0))
    with store.transaction():
        record_image(store, 1, None, "Something is left.", discarded=True)
    assert pending(store, 1) == pending(store, 1, "planned") == {3: (0,), 4: (0,)}
    assert pending(store, 1, "proving") == {}


def test_unreadable_answers_count_as_missing(store: RunStore) -> None:
    ordered(store, about())
    answered(store, *((probe, 0) for probe in range(1, 6)))
    with store.transaction():
        mark_unreadable(store, [(2, 0), (5, 0)])
    assert pending(store, 1) == {2: (0,), 5: (0,)}
    assert pending(store, 1, "planned") == {2: (0,)} and pending(store, 1, "proving") == {5: (0,)}
    assert next(pending_probes(store, 1)).unreadable == (0,)


def test_a_forged_number_of_attempts_is_refused_with_its_row(tmp_path: Path) -> None:
    with RunStore.create(tmp_path / "run", {"config": {}}) as store:
        fill(store, scenes=1)
        ordered(store, about())
        store.connection.execute('UPDATE scenes SET body = \'{"id": "s1", "picture": "a", "width": 8, "height": 8}\'')
        store.connection.execute("DELETE FROM cases")
        store.connection.execute("UPDATE probes SET attempts = 1 << 40 WHERE round > 0")
        with (
            pytest.raises(RunError, match=r"probes\.round, attempts and witness of row 3: expected 1 to 100 attempts"),
            store.reading(),
        ):
            list(pending_probes(store, 1))


def test_the_same_question_is_planned_once_and_asked_more_often_where_more_is_wanted(store: RunStore) -> None:
    assert ordered(store, about(), about()) == 1
    assert ordered(store, about(attempts=3), round=2) == 2
    assert ordered(store, about(attempts=2), round=3) == 0
    rows = store.connection.execute("SELECT question, round, attempts, witness FROM probes WHERE id > 4").fetchall()
    assert rows == [(QUESTION, 1, 3, 0)]
    assert store.count("images") == 4


def test_the_witness_has_probes_of_its_own(store: RunStore) -> None:
    ordered(store, about(), about(witness=True))
    image = image_digest("s1", "[]")
    rows = store.connection.execute(
        "SELECT lower(hex(digest)), witness FROM probes WHERE id > 4 ORDER BY id"
    ).fetchall()
    assert rows == [(probe_digest(image, QUESTION), 0), (proving_digest(image, QUESTION, True), 1)]
    assert [probe.witness for probe in closed_probes(store, 1)] == [False, True]


def test_calls_that_prove_are_counted_with_those_that_ask_the_plan_again(store: RunStore) -> None:
    assert count_proving(store, 2) == (0, 0)
    plan_asks(store)
    ordered(store, about(attempts=3), about("How many cats?"), about("How many cows?", 2), repeats=2)
    assert count_proving(store, 2) == (2, 4)
    assert count_proving(store, 5) == (2, 3)


def test_a_question_is_ordered_where_it_is_planned_as_often_as_it_is_wanted(store: RunStore) -> None:
    assert not is_ordered(store, about(), repeats=1)
    ordered(store, about(attempts=2))
    assert is_ordered(store, about(attempts=2), repeats=1) and not is_ordered(store, about(attempts=3), repeats=3)
    assert not is_ordered(store, about(witness=True), repeats=1)


def test_a_question_of_the_plan_is_ordered_as_often_as_the_run_asks_it(store: RunStore) -> None:
    plan_asks(store)
    assert is_ordered(store, about(attempts=2), repeats=2) and not is_ordered(store, about(attempts=2), repeats=1)
    ordered(store, about(attempts=2))
    assert is_ordered(store, about(attempts=2), repeats=1)


def test_judging_again_takes_suspicions_and_their_proofs_away(store: RunStore) -> None:
    ordered(store, about())
    answered(store, (5, 0))
    settled = Verdict(
        "violated",
        "The dog is lost. It is proved.",
        grade="omission",
        conflicts=(
            Conflict("dog", "omission", "lost", (0, 1), state="proved", why="2 and 0."),
            Conflict("cat", "miscount", "number", (0, 1), True, "refuted", "They agree."),
        ),
    )
    with store.transaction():
        record_verdicts(store, [(1, VIOLATED), (2, VIOLATED)])
        record_proofs(store, [(1, settled, [[ProofLine(5, "the source", "2")], []])])
    assert verdict_of(store, 1) == settled and verdict_of(store, 2) == VIOLATED
    proved, refuted = proofs_of(store, 1, settled.conflicts)
    (line,) = proved.lines
    assert (line.part, line.said, line.question, line.answers, refuted.lines) == (
        "the source",
        "2",
        QUESTION,
        ("2",),
        (),
    )
    with store.transaction():
        record_verdicts(store, [(1, VIOLATED)])
    assert store.count("proofs") == 0 and store.count("suspicions") == 4
    with store.transaction():
        record_verdicts(store, [(1, Verdict("holds", "All is well."))])
    assert suspicions_of(store, [1, 2]).keys() == {2}


def test_the_state_of_a_verdict_is_that_of_its_weightiest_suspicion(store: RunStore) -> None:
    conflicts = (
        Conflict("dog", "omission", "lost", (0, 1), state="refuted"),
        Conflict("cat", "omission", "lost", (0, 1), state="lead"),
    )
    with store.transaction():
        record_verdicts(store, [(1, Verdict("lead", "Perhaps.", conflicts=conflicts)), (2, Verdict("holds", "Well."))])
    assert store.connection.execute('SELECT state FROM verdicts ORDER BY "case"').fetchall() == [("lead",), (None,)]


def test_suspected_cases_come_scene_by_scene_while_they_are_settled(tmp_path: Path) -> None:
    with RunStore.create(tmp_path / "run", {"config": {}}) as store:
        fill(store, scenes=3, images=3)
        with store.transaction():
            record_verdicts(store, [(case, VIOLATED) for case in (6, 1, 2, 5)])
        seen = []
        for scene, cases in suspected_by_scene(store):
            seen.append((scene, [case.id for case, _ in cases]))
            with store.transaction():
                record_proofs(store, [(case.id, verdict, [[], []]) for case, verdict in cases])
        assert seen == [(1, [1, 2]), (3, [5, 6])]


def test_issues_of_several_outcomes_come_in_the_order_of_the_plan_over_all_pages(tmp_path: Path) -> None:
    with RunStore.create(tmp_path / "run", {"config": {}}) as store:
        fill(store, scenes=1, images=3 * ISSUE_PAGE)
        kinds = (Verdict("violated", "v"), Verdict("lead", "l"), Verdict("holds", "h"), Verdict("undecided", "u"))
        cases = range(1, 3 * ISSUE_PAGE)
        with store.transaction():
            record_verdicts(store, [(case, kinds[case % 4]) for case in cases])
        assert [case.id for case, _ in issues(store)] == [case for case in cases if case % 4 == 0]
        assert [case.id for case, _ in issues(store, ("lead",))] == [case for case in cases if case % 4 == 1]
        both = [(case.id, verdict.outcome) for case, verdict in issues(store, ("lead", "violated"))]
        assert both == [(case, kinds[case % 4].outcome) for case in cases if case % 4 < 2]


def test_what_proofs_ask_again_is_no_sample_of_the_systems_noise(store: RunStore) -> None:
    # Of the plan, the first is asked a third time by a proof, and the fifth is a closed question of its own.
    store.connection.execute("UPDATE probes SET attempts = 3 WHERE id = 1")
    ordered(store, about(attempts=2), repeats=2)
    answered(store, (1, 0), (1, 1), (2, 0), (5, 0))
    answered(store, (1, 2), (2, 1), (5, 1), text="3")
    assert flake_counts(store) == (3, 3)
    assert flake_counts(store, repeats=2) == (1, 2)
    assert noise_of_relations(store) == {("m", "r"): (2, 2)}
    assert noise_of_relations(store, repeats=2) == {("m", "r"): (1, 2)}


def steps(connection: sqlite3.Connection, work: Callable[[], object]) -> int:
    """How many instructions of SQLite's machine some work takes: the same on every machine."""
    count = 0

    def tick() -> int:
        nonlocal count
        count += 1
        return 0

    connection.set_progress_handler(tick, 1)
    try:
        work()
    finally:
        connection.set_progress_handler(None, 1)
    return count


WORK: dict[str, Callable[[RunStore], object]] = {
    "closed questions of a scene": lambda store: closed_probes(store, 2),
    "captions of a scene": lambda store: captions_of_scene(store, 2),
    "suspicions of a case": lambda store: suspicions_of(store, [2]),
    "a page of issues": lambda store: next(issues(store)),
    "a page of issues and leads": lambda store: next(issues(store, ("violated", "lead"))),
    "closed questions to ask": lambda store: list(pending_probes(store, 1, "proving")),
    "how many are to be asked": lambda store: count_pending(store, 1, "proving"),
    "calls that prove": lambda store: count_proving(store, 1),
    "a verdict in place of another": lambda store: record_verdicts(store, [(2, VIOLATED)]),
}


@pytest.mark.parametrize("work", WORK)
def test_what_is_done_scene_by_scene_takes_no_longer_in_a_large_run(tmp_path: Path, work: str) -> None:
    counts = []
    for scenes in (60, 600):
        with RunStore.create(tmp_path / str(scenes), {"config": {}}) as store:
            fill(store, scenes, images=3)
            ordered(store, about(scene=2), scene=2)
            with store.transaction():
                record_verdicts(store, [(case, VIOLATED) for case in range(1, 2 * scenes + 1)])
            counts.append(steps(store.connection, functools.partial(WORK[work], store)))
    assert counts[1] < 2 * counts[0]


def test_unfair_edits_are_counted_back_to_the_rule_that_made_them(store: RunStore) -> None:
    with store.transaction() as connection:
        connection.execute('UPDATE cases SET tags = CASE id WHEN 1 THEN \'{"placement": "ground"}\' ELSE tags END')
        record_verdicts(store, [(1, VIOLATED), (2, VIOLATED)])
        assert unfair_by_rule(store) == []
        connection.execute("UPDATE verdicts SET state = 'unfair'")
    # The other case says nothing of its rule.
    assert unfair_by_rule(store) == [("m", "placement ground", 1, 1)]
