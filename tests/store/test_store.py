from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from anamorph import catalog
from anamorph.edits.blur import Blur
from anamorph.errors import RunError, UsageError
from anamorph.model import Answer, Box, Case, Mask, Probe, Scene, Skip, Thing, Verdict
from anamorph.relations.same_answer import SameAnswer
from anamorph.store import plans
from anamorph.store.answers import (
    AttemptResult,
    answers_of,
    count_pending,
    mark_unreadable,
    pending_probes,
    problems_of,
    record_image,
    record_results,
)
from anamorph.store.cache import AnswerCache
from anamorph.store.plans import WRONG_SIZE, PlanWriter, StoredScenes, write_scenes
from anamorph.store.run import RunStore
from anamorph.store.verdicts import issues, record_verdicts, tallies, undecided_reasons


def planned(folder: Path, scenes: int = 3) -> RunStore:
    store = RunStore.create(folder, {"config": {}})
    list(write_scenes(store, (Scene(f"s{i}", f"s{i}.jpg", 4, 4) for i in range(scenes)), None))
    writer = PlanWriter(store)
    for index in range(scenes):
        for sigma in (1.0, 2.0):
            source, follow_up = Probe(f"s{index}"), Probe(f"s{index}", (Blur(sigma),))
            writer.add(Case("deeptest", source, (follow_up,), SameAnswer(), {"edit": "blur"}))
    writer.flush()
    return store


def test_each_distinct_image_and_probe_is_kept_once(tmp_path: Path) -> None:
    with planned(tmp_path) as store:
        assert (store.count("cases"), store.count("images"), store.count("probes")) == (6, 9, 9)
        again = PlanWriter(store)
        again.add(Case("deeptest", Probe("s0"), (Probe("s0", (Blur(1),)),), SameAnswer(), {"edit": "blur"}))
        again.add(Case("deeptest", Probe("s0", question="Q?"), (Probe("s0"),), SameAnswer()))
        again.flush()
        assert (store.count("cases"), store.count("images"), store.count("probes")) == (7, 9, 10)


def test_a_plan_is_the_same_however_small_its_batches_and_its_memory_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rows(store: RunStore) -> list[list[tuple[object, ...]]]:
        # What one method asked about comes up again in the cases of another, long after it was written and forgotten.
        writer = PlanWriter(store)
        for index in (2, 0, 1):
            source = Probe(f"s{index}")
            writer.add(
                Case(
                    "other", source, (Probe(f"s{index}", (Blur(2.0),)), Probe(f"s{index}", (Blur(3.0),))), SameAnswer()
                )
            )
            writer.add(Case("other", source, (Probe(f"s{index}", (Blur(1.0),), "Q?"),), SameAnswer()))
        writer.flush()
        tables = ("images", "probes", "cases")
        return [store.connection.execute(f"SELECT * FROM {table} ORDER BY id").fetchall() for table in tables]

    with planned(tmp_path / "one batch") as store:
        expected = rows(store)
    monkeypatch.setattr(plans, "BATCH", 1)
    monkeypatch.setattr(plans, "REMEMBERED", 1)
    with planned(tmp_path / "many batches") as store:
        assert rows(store) == expected
    assert [len(table) for table in expected] == [12, 15, 12]


def test_work_that_is_not_synced_leaves_syncing_as_it_was(tmp_path: Path) -> None:
    with RunStore.create(tmp_path, {}) as store:
        names = ("synchronous", "wal_autocheckpoint")

        def settings() -> list[int]:
            return [store.connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names]

        before = settings()
        with pytest.raises(ZeroDivisionError), store.not_synced():
            assert settings()[0] == 1
            raise ZeroDivisionError
        assert settings() == before
        assert before[0] == 2


def test_a_probe_on_a_scene_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with planned(tmp_path) as store, pytest.raises(UsageError, match="the scene 'nowhere'"):
        PlanWriter(store).add(Case("m", Probe("nowhere"), (Probe("s0"),), SameAnswer()))


def test_scenes_come_back_as_they_were_and_a_repeated_id_is_a_skip(tmp_path: Path) -> None:
    found: list[Scene | Skip] = [
        Scene("a", "a.jpg", 4, 4, captions=("a cat",)),
        Skip("b.jpg", "broken"),
        Scene("a", "b.jpg", 4, 4),
    ]
    with RunStore.create(tmp_path, {}) as store:
        assert list(write_scenes(store, found, None)) == found
        assert list(StoredScenes(store, catalog.find)) == found[:1]
        skips = store.connection.execute("SELECT what, reason FROM skips ORDER BY id").fetchall()
        assert skips == [("b.jpg", "broken"), ("a", "another scene of this source has the same id")]


def test_an_object_whose_mask_has_another_size_takes_up_ground_and_is_counted(tmp_path: Path) -> None:
    small, fitting = Mask(2, 2, "04"), Mask(4, 6, "0h0")
    things = (Thing("1", "cat", Box(0, 0, 2, 2), small), Thing("2", "dog", Box(0, 0, 6, 4), fitting))
    with RunStore.create(tmp_path, {}) as store:
        found = list(write_scenes(store, [Scene("a", "a.jpg", 6, 4, things)], None))
        assert found[1:] == [Skip("a: cat 1", WRONG_SIZE)] and store.count("skips") == 1
        (kept,) = StoredScenes(store, catalog.find)
    assert kept.things == (Thing("1", "cat", Box(0, 0, 2, 2), crowd=True), things[1])


def test_a_limit_counts_scenes_and_not_skips(tmp_path: Path) -> None:
    found: list[Scene | Skip] = [
        Skip("x", "broken"),
        Scene("a", "", 1, 1),
        Skip("y", "broken"),
        Scene("b", "", 1, 1),
        Scene("c", "", 1, 1),
    ]
    with RunStore.create(tmp_path, {}) as store:
        assert list(write_scenes(store, found, 2)) == found[:4]


def test_only_what_has_no_answer_is_pending(tmp_path: Path) -> None:
    with planned(tmp_path) as store:
        assert count_pending(store, 1) == 9
        record_results(
            store, [AttemptResult(1, 0, Answer("a cat"), "", 0.1, 1), AttemptResult(2, 0, None, "it was down", 0.1, 3)]
        )
        assert [probe.id for probe in pending_probes(store, 1)] == [2, 3, 4, 5, 6, 7, 8, 9]
        assert count_pending(store, 1) == 8
        assert next(pending_probes(store, 2)).attempts == (1,)
        assert count_pending(store, 2) == 17


def test_an_unreadable_answer_is_pending_and_goes_to_the_failures_when_it_is_replaced(tmp_path: Path) -> None:
    with planned(tmp_path) as store:
        record_results(store, [AttemptResult(1, 0, Answer("I cannot see."), "", 0.1, 1)])
        mark_unreadable(store, [(1, 0)])
        assert next(pending_probes(store, 1)).id == 1
        record_results(store, [AttemptResult(1, 0, Answer("a cat"), "", 0.1, 1)])
        assert answers_of(store, [1])[1] == {0: Answer("a cat")}
        assert next(pending_probes(store, 1)).id == 2
        (message,) = store.connection.execute("SELECT message FROM failures").fetchone()
        assert message == "unreadable answer: I cannot see."


def test_why_there_is_no_answer_is_told_by_the_latest_failure_or_the_picture(tmp_path: Path) -> None:
    with planned(tmp_path) as store:
        record_results(store, [AttemptResult(1, 0, None, "first", 0, 1), AttemptResult(1, 0, None, "second", 0, 1)])
        record_image(store, 2, None, "the photo is broken")
        assert problems_of(store, [1, 2, 3]) == {1: "second", 2: "the photo is broken"}


@settings(max_examples=25)
@given(st.text(st.characters()), st.dictionaries(st.text(max_size=5), st.floats(0, 1), max_size=3))
def test_whatever_a_system_says_comes_back(
    tmp_path_factory: pytest.TempPathFactory, text: str, labels: dict[str, float]
) -> None:
    with planned(tmp_path_factory.mktemp("run"), scenes=1) as store:
        record_results(
            store, [AttemptResult(1, 0, Answer(text), "", 0, 1), AttemptResult(2, 0, Answer(labels=labels), "", 0, 1)]
        )
        found = answers_of(store, [1, 2])
        assert found[2][0].labels == labels or "\\ud" in json.dumps(labels)
        if not any("\ud800" <= letter <= "\udfff" for letter in text):
            assert found[1][0].text == text


def test_a_lone_surrogate_becomes_its_escape_instead_of_an_error(tmp_path: Path) -> None:
    with planned(tmp_path) as store:
        record_results(
            store, [AttemptResult(1, 0, Answer("a \ud800 cat"), "", 0, 1), AttemptResult(2, 0, None, "\udfff", 0, 1)]
        )
        assert answers_of(store, [1])[1][0].text == "a \\ud800 cat"


def test_tallies_issues_and_reasons_follow_the_verdicts(tmp_path: Path) -> None:
    with planned(tmp_path) as store:
        with store.transaction():
            record_verdicts(
                store,
                [
                    (1, Verdict("holds", "fine")),
                    (2, Verdict("violated", "not fine", ("mr1", "mr2"), ("omission",))),
                    (3, Verdict("undecided", "no answer")),
                    (4, Verdict("undecided", "no answer")),
                ],
            )
        (tally,) = tallies(store)
        assert (tally.holds, tally.violated, tally.undecided) == (1, 1, 4)
        assert tally.parts == {"mr1": 1, "mr2": 1} and tally.categories == {"omission": 1}
        assert sum(violated for _, violated in tally.clusters.values()) == 1
        assert sum(decided for decided, _ in tally.clusters.values()) == tally.decided == 2
        ((case, verdict),) = issues(store)
        assert case.id == 2 and verdict.reason == "not fine"
        assert undecided_reasons(store) == [("no answer", 2)]


def test_scores_are_summed_and_a_text_that_looks_like_one_is_not(tmp_path: Path) -> None:
    with planned(tmp_path) as store:
        with store.transaction():
            verdicts = [
                Verdict("holds", "fine", score=0.5),
                Verdict("violated", 'says "score":0.9', ("mr1",), score=0.25),
            ]
            record_verdicts(store, enumerate([*verdicts, Verdict("holds", 'says "score":0.9')], start=1))
        (tally,) = tallies(store)
        assert (tally.graded, tally.score) == (2, 0.75)


def test_a_folder_that_holds_a_run_is_not_overwritten(tmp_path: Path) -> None:
    planned(tmp_path).close()
    with pytest.raises(RunError, match=r"holds a run already\. Continue it with `anamorph resume"):
        RunStore.create(tmp_path, {})


def test_a_folder_without_a_run_and_a_file_that_is_none_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is not a run"):
        RunStore.open(tmp_path)
    (tmp_path / "run.sqlite").write_text("not a database, but long enough to be looked at as one" * 20)
    with pytest.raises((RunError, sqlite3.DatabaseError), match=r"not a run file|not a database"):
        RunStore.open(tmp_path)


def test_two_processes_cannot_write_to_one_run_but_one_may_read(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from anamorph.store.run import RunStore\n"
        "from anamorph.errors import RunError\n"
        "print(RunStore.open(Path(sys.argv[1]), read_only=True).count('cases'))\n"
        "try: RunStore.open(Path(sys.argv[1]))\n"
        "except RunError as problem: print(problem)"
    )
    with planned(tmp_path):
        done = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, text=True, check=True)
    count, complaint = done.stdout.splitlines()
    assert count == "6"
    assert "another process is working on this run" in complaint


def test_a_transaction_happens_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    with RunStore.create(tmp_path, {}) as store:
        with pytest.raises(ZeroDivisionError), store.transaction():
            store.set_fact("a", 1)
            raise ZeroDivisionError
        assert store.fact("a") is None


def test_the_cache_knows_the_same_image_question_system_and_attempt_only(tmp_path: Path) -> None:
    cache = AnswerCache.open(tmp_path / "deep" / "cache.sqlite", {"model": "a"})
    cache.put("x.jpg", None, 0, Answer("a cat"))
    cache.put("y.jpg", "Q?", 0, Answer(labels={"cat": 0.5}))
    cache.put("z.jpg", None, 0, Answer("  "))
    assert cache.get("x.jpg", None, 0) == Answer("a cat")
    assert cache.get("y.jpg", "Q?", 0) == Answer(labels={"cat": 0.5})
    assert cache.get("x.jpg", "Q?", 0) is cache.get("x.jpg", None, 1) is cache.get("z.jpg", None, 0) is None
    cache.close()
    other = AnswerCache.open(tmp_path / "deep" / "cache.sqlite", {"model": "b"})
    assert other.get("x.jpg", None, 0) is None
    other.close()
