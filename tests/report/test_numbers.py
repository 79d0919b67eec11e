from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar

import pytest

from anamorph.edits.blur import Blur
from anamorph.methods.deeptest import DeepTest
from anamorph.model import Case, Probe, Scene, Table, Tally
from anamorph.report.numbers import SHORT_CHOICE, OutcomeCounts, RunState, describe_part, read_numbers
from tests.report.fixtures import HandmadeRun


@dataclass(frozen=True, slots=True)
class Clumsy:
    """A method of a user's own whose summary fails."""

    kind: ClassVar[str] = "clumsy"

    def plan(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case]:
        yield from ()

    def summarise(self, tallies: Sequence[Tally]) -> tuple[Table, ...]:
        raise ZeroDivisionError("division by zero")


def test_cases_are_counted_by_method_and_relation(run: HandmadeRun) -> None:
    scene = run.scene("park")
    run.case(scene, "a", "b", method="first")
    run.case(scene, "a", "b", method="second", tags={"x": "1"})
    run.case(scene, "a", "a", question="?", method="second", tags={"x": "2"})
    run.case(scene, "a", None, question="!", method="second")
    run.judge()
    figures = read_numbers(run.store, run.config)
    assert figures.counts == OutcomeCounts(holds=1, violated=2, undecided=1)
    assert [(group.method, group.counts) for group in figures.groups] == [
        ("first", OutcomeCounts(violated=1)),
        ("second", OutcomeCounts(holds=1, violated=1, undecided=1)),
    ]
    assert figures.undecided_reasons == (("The follow-up has no answer: it was not asked yet.", 1),)


def test_the_rate_is_of_the_decided_cases_only() -> None:
    assert OutcomeCounts(holds=3, violated=1, undecided=96).violation_rate == 0.25
    assert OutcomeCounts(undecided=5).violation_rate is None


def test_methods_bring_their_own_tables_and_a_failing_summary_is_shown(new_run: Callable[..., HandmadeRun]) -> None:
    run = new_run(methods=(DeepTest(), Clumsy()))
    run.case(run.scene("park"), "a", "b", tags={"edit": "blur"})
    run.judge()
    first, second = read_numbers(run.store, run.config).tables
    assert first.table is not None and first.table.rows[0] == ("blur", 1, 1, "0", "100.0%", "-")
    assert second.table is None
    assert second.problem == "Its summary failed with ZeroDivisionError: division by zero."


def test_secrets_stay_out_and_references_stay_in(run: HandmadeRun) -> None:
    system = read_numbers(run.store, run.config).system
    assert system is not None and system.kind == "http"
    assert system.settings["model"] == "seer-2"
    assert system.settings["headers"] == {"Authorization": "Bearer ${VISION_KEY}", "X-Key": "(hidden)"}
    assert "secret" not in str(system.settings)


def test_a_run_without_a_named_system_has_none(new_run: Callable[..., HandmadeRun]) -> None:
    run = new_run(plain={})
    figures = read_numbers(run.store, run.config)
    assert figures.system is None and figures.scenes is None


@pytest.mark.parametrize(
    ("planned", "judged", "answered", "state"),
    [
        (False, False, True, "planning"),
        (True, False, True, "unjudged"),
        (True, True, False, "unanswered"),
        (True, True, True, "complete"),
    ],
)
def test_the_state_says_how_far_the_run_has_come(
    run: HandmadeRun, planned: bool, judged: bool, answered: bool, state: RunState
) -> None:
    run.case(run.scene("park"), "a", "b" if answered else None)
    if judged:
        run.judge()
    with run.store.transaction():
        run.store.set_fact("planned", planned)
    figures = read_numbers(run.store, run.config)
    assert figures.state == state
    assert figures.lacking_answers == (0 if answered else 1)
    assert figures.unjudged == (0 if judged else 1)


def test_flakes_are_counted_when_probes_are_repeated(new_run: Callable[..., HandmadeRun]) -> None:
    run = new_run(repeats=2)
    run.case(run.scene("park"), "a", "b")
    run.answer(Probe("park"), "c", attempt=1)
    run.answer(Probe("park", (Blur(1.5),)), "b", attempt=1)
    run.judge()
    figures = read_numbers(run.store, run.config)
    assert (figures.flaky_probes, figures.repeated_probes) == (1, 2)


def test_failures_and_pictures_that_could_not_be_made_are_counted(run: HandmadeRun) -> None:
    run.case(run.scene("park"), "a", None)
    run.fail(Probe("park", (Blur(1.5),)), "HTTP 500")
    run.store.connection.execute("UPDATE images SET problem = 'too dark' WHERE id = 1")
    figures = read_numbers(run.store, run.config)
    assert (figures.failure_count, figures.failed_images) == (1, 1)


def test_a_long_choice_is_shown_by_the_end_that_shows_most() -> None:
    def shown(command: str) -> str:
        part = describe_part("systems", {"kind": "command", "command": command})
        assert part is not None and len(part.choice) <= SHORT_CHOICE
        return part.choice

    assert shown("weights/small.onnx") == "weights/small.onnx"
    path = shown("/srv/models/of/the/whole/team/efficientdet-lite0.tflite")
    assert path.startswith("\u2026") and path.endswith("/team/efficientdet-lite0.tflite")
    program = shown("python caption.py --with many --words that go on and on")
    assert program.startswith("python caption.py --with") and program.endswith("\u2026")


def test_rows_of_a_method_know_their_issues(run: HandmadeRun) -> None:
    scene = run.scene("park")
    run.case(scene, "a", "b", tags={"edit": "blur"})
    run.case(scene, "a", "b", question="?", tags={"edit": "shear"})
    run.case(scene, "a", "a", question="!", tags={"edit": "contrast"})
    run.judge()
    (table,) = read_numbers(run.store, run.config).tables
    assert table.table is not None
    found = dict(zip((row[0] for row in table.table.shown()), table.filters, strict=True))
    assert found == {"blur": ("tag", "edit=blur"), "shear": ("tag", "edit=shear"), "contrast": None, "all": None}


def test_changes_are_counted_where_a_case_has_several(run: HandmadeRun) -> None:
    steady, unsteady = run.scene("park"), run.scene("lake")
    run.case(steady, {"dog": 0.9}, {"dog": 0.9}, {"dog": 0.9})
    run.case(unsteady, {"dog": 0.9}, {"dog": 0.9}, {"cat": 0.9})
    run.judge()
    found = [(each.words, each.tested, each.broken) for each in read_numbers(run.store, run.config).changes]
    assert found == [("blur, sigma 2.5", 2, 1), ("blur, sigma 1.5", 2, 0)]


def test_with_one_follow_up_there_is_no_table_of_changes(run: HandmadeRun) -> None:
    run.case(run.scene("park"), {"dog": 0.9}, {"cat": 0.9})
    run.judge()
    assert read_numbers(run.store, run.config).changes == ()
