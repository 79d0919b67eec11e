from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from anamorph.config import GateSettings, resolve
from anamorph.engine.ask.stage import ask_stage
from anamorph.engine.budget import Spending
from anamorph.engine.gate import (
    FEWEST_PHOTOS,
    AnswerCounts,
    CommonAnswer,
    GateInput,
    GateResult,
    MethodOutcomes,
    counts_for_gate,
    gate,
)
from anamorph.engine.judge import judge_stage
from anamorph.engine.plan import plan_stage
from anamorph.engine.run import carry_out, start
from anamorph.model import (
    Answer,
    AnswerReading,
    Ask,
    CaptionReading,
    Failure,
    LabelSet,
    Manner,
    Reading,
    System,
    Unreadable,
    Wording,
)
from anamorph.report.numbers import read_numbers
from anamorph.studies.calibrate.truth import TruthfulSystem, Truths
from anamorph.toybox.faults.system import Form
from anamorph.toybox.pool import toybox_pool
from tests.engine.fakes import Ran, Script, config_for, go, use


def gated(*methods: MethodOutcomes, settings: dict[str, Any] | None = None, **tested: Any) -> GateResult:
    return gate(GateInput(methods, **tested), GateSettings(**(settings or {})))


@pytest.mark.parametrize(
    ("counts", "settings", "code"),
    [
        ((10, 0, 0), {}, 0),
        ((9, 1, 0), {}, 1),
        ((95, 5, 0), {"fail_over": "5%"}, 0),
        ((94, 6, 0), {"fail_over": "5%"}, 1),
        ((90, 10, 0), {"fail_on": 11}, 0),
        ((90, 10, 0), {"fail_on": 10}, 1),
        ((90, 10, 0), {"fail_on": 11, "fail_over": "5%"}, 1),
        ((999, 3, 0), {"fail_on": 3, "fail_over": "50%"}, 1),
        ((0, 0, 10), {}, 4),
        ((0, 0, 10), {"max_undecided": "100%"}, 4),
        ((0, 0, 0), {}, 4),
        ((95, 0, 5), {}, 0),
        ((94, 0, 6), {}, 4),
        ((4, 0, 6), {"max_undecided": "60%"}, 0),
        ((4, 1, 6), {}, 1),
        ((4, 1, 90), {"fail_over": "50%"}, 4),
        ((75, 0, 0, 18), {}, 0),
        ((75, 0, 0, 19), {}, 4),
        ((75, 0, 0, 19), {"max_vacuous": "50%"}, 0),
        ((70, 5, 0, 60), {}, 1),
        ((70, 5, 0, 60), {"fail_over": "10%"}, 4),
    ],
)
def test_the_exit_code_follows_the_limits(counts: tuple[int, ...], settings: dict[str, object], code: int) -> None:
    result = gated(MethodOutcomes("rome", *counts), settings=settings)
    assert result.exit_code == code, result.sentence
    assert result.sentence.endswith(".")


def test_the_sentence_says_which_and_why_with_the_numbers() -> None:
    result = gated(MethodOutcomes("rome", 40, 0, 5, 30), MethodOutcomes("metaic", 0, 0, 0))
    assert result.outcome == "inconclusive"
    assert result.sentence == (
        "Inconclusive: metaic planned no case for these scenes; 5 of 45 cases are undecided (11.1%), more than the 5% "
        "that the gate allows; 30 of 40 decided cases of rome hold only because the answers name nothing that could be "
        "compared (75.0%), more than the 25% that the gate allows."
    )
    kinds = [(reason.kind, reason.method, reason.count, reason.total, reason.limit) for reason in result.reasons]
    assert kinds == [
        ("no-cases", "metaic", 0, 0, None),
        ("undecided", None, 5, 45, "5%"),
        ("vacuous", "rome", 30, 40, "25%"),
    ]


def test_a_failed_run_also_says_what_would_have_made_it_inconclusive() -> None:
    result = gated(MethodOutcomes("rome", 8, 2, 10))
    assert result.exit_code == 1
    assert [reason.kind for reason in result.reasons] == ["violations", "undecided"]
    assert result.sentence.startswith("Failed: 2 of 10 decided cases are violated (20.0%), more than the 0% that")
    assert "10 of 20 cases are undecided" in result.sentence


def test_many_cases_of_one_method_do_not_hide_that_nothing_of_another_could_be_decided() -> None:
    result = gated(MethodOutcomes("deeptest", 1000), MethodOutcomes("rome", 0, 0, 20))
    assert result.exit_code == 4
    assert result.sentence == "Inconclusive: none of the 20 cases of rome could be decided."


def test_many_cases_of_one_method_do_not_hide_that_those_of_another_hold_for_nothing() -> None:
    result = gated(MethodOutcomes("deeptest", 1000), MethodOutcomes("rome", 20, 0, 0, 20))
    assert result.exit_code == 4 and "20 of 20 decided cases of rome hold only" in result.sentence


def test_what_the_melt_check_left_out_is_no_doubt_about_the_system() -> None:
    assert gated(MethodOutcomes("rome", 80, 0, 20), discarded=20).exit_code == 0
    assert gated(MethodOutcomes("rome", 80, 0, 26), discarded=20).exit_code == 4
    assert gated(MethodOutcomes("rome", 0, 0, 20), discarded=20).exit_code == 4


def test_violations_of_a_system_that_does_not_look_at_its_photos_are_no_bugs() -> None:
    same = CommonAnswer("a photo of a dog", 60, 60)
    result = gated(MethodOutcomes("rome", 90, 10), common=(same,))
    assert result.exit_code == 4
    assert result.sentence == (
        "Inconclusive: the answers do not depend on the photo: 60 of 60 about different photos are 'a photo of a dog' "
        "(100.0%), more than the 90% that the gate allows."
    )
    assert gated(MethodOutcomes("rome", 90, 10), common=(CommonAnswer("a dog", 54, 60),)).exit_code == 1
    assert gated(MethodOutcomes("rome", 90), common=(same,), settings={"max_same": "100%"}).exit_code == 0


def test_a_system_that_answered_nothing_does_not_work() -> None:
    result = gated(MethodOutcomes("rome", 0, 0, 4), worked=False, failures=8)
    assert (result.exit_code, result.outcome) == (3, "broken")
    assert "answered none of 8 calls" in result.sentence
    assert gated(MethodOutcomes("rome", 0, 0, 4), failures=8).exit_code == 4


def test_a_run_that_its_budget_stopped_says_too_little_whatever_it_found() -> None:
    spent = Spending(12, 0.5, 6.0, 6.2, exhausted=True)
    result = gated(MethodOutcomes("rome", 3, 3, 1), spending=spent, lacking=1)
    assert result.exit_code == 4
    assert result.sentence == (
        "Inconclusive: stopped before the budget of 6.2 was exceeded: 6.00 spent on 12 images sent, 1 answers are "
        "missing, 1 of 7 cases are undecided."
    )
    assert gated(MethodOutcomes("rome", 7), spending=spent).exit_code == 0


def commonest(readings: list[Reading], asked: bool = False) -> tuple[CommonAnswer, ...]:
    counts = AnswerCounts()
    for photo, reading in enumerate(readings):
        counts.add(photo, asked, reading)
    return counts.commonest


def test_equal_answers_are_counted_whatever_their_case_and_marks() -> None:
    texts = ["A dog.", "a dog", "A DOG!", "a cat"] * 3
    assert commonest([CaptionReading(text) for text in texts]) == (CommonAnswer("a dog", 9, 12),)
    assert commonest([LabelSet(frozenset({"dog", "cat"}))] * 10) == (CommonAnswer("cat, dog", 10, 10),)
    assert commonest([LabelSet(frozenset())] * 10) == (CommonAnswer("no label", 10, 10),)


@pytest.mark.parametrize("text", ["yes", "No", "Yes, there is one.", "no, sir"])
def test_a_constant_yes_or_no_may_be_right_for_every_photo(text: str) -> None:
    assert commonest([Wording(text, text.casefold().strip("."))] * 20, asked=True) == ()


@pytest.mark.parametrize("text", ["noodles on a plate", "several", "2", "nobody"])
def test_any_other_constant_answer_counts(text: str) -> None:
    assert commonest([Wording(text, text)] * 20, asked=True) == (CommonAnswer(text, 20, 20),)


@pytest.mark.parametrize("photos", range(1, FEWEST_PHOTOS))
def test_answers_about_few_photos_that_are_all_alike_warn_and_change_no_result(photos: int) -> None:
    alike: list[Reading] = [Wording("a dog", "a dog")] * photos
    methods = (MethodOutcomes("deeptest", holds=photos),)
    result = gate(GateInput(methods, commonest([*alike, Unreadable("", "the answer is empty")])), GateSettings())
    assert result.outcome == "passed"
    assert bool(result.warnings) == (photos > 1)
    assert all(f"All {photos} answers about {photos} photos are the same" in said for said in result.warnings)
    if photos < FEWEST_PHOTOS - 1:
        other = gate(GateInput(methods, commonest([*alike, Wording("a cat", "a cat")])), GateSettings())
        assert other.warnings == ()


def test_constant_answers_to_questions_are_seen_beside_captions_that_differ() -> None:
    counts = AnswerCounts()
    for photo in range(20):
        counts.add(photo, False, CaptionReading(f"a dog and {photo} cats"))
        counts.add(photo, True, AnswerReading("several", 2, None))
    assert [each.shown for each in counts.commonest] == ["a dog and 0 cats", "several"]
    assert counts.commonest[1] == CommonAnswer("several", 20, 20)


# --- on the toybox --------------------------------------------------------------------------------------------------

SCENES = 24
VAGUE_PHRASES = (
    "some things",
    "a photo of things",
    "several objects",
    "an interesting picture",
    "a nice view",
    "a place",
    "something on the left",
    "a few shapes",
    "a scene",
    "a composition",
)


@dataclass(frozen=True, eq=False)
class Said:
    """Answers without looking: with what a function makes of the place among all calls and of the truthful answer."""

    kind: ClassVar[str] = "said"
    truthful: System
    say: Callable[[int, Answer | Failure], Answer | Failure]
    asked: Iterator[int] = field(default_factory=itertools.count)
    manner: ClassVar[Manner] = Manner(batch=64, looks=False, remembers=False)
    fingerprint: ClassVar[dict[str, Any]] = {}

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        answers = self.truthful.ask(batch, timeout_seconds)
        return [self.say(next(self.asked), answer) for answer in answers]

    def close(self) -> None:
        pass


def _always(text: str) -> Callable[[int, Answer | Failure], Answer | Failure]:
    return lambda place, truth: Answer(text)


TALKERS: dict[str, Callable[[int, Answer | Failure], Answer | Failure]] = {
    "truthful": lambda place, truth: truth,
    "a photo of things": _always("A photo of things."),
    "vague": lambda place, truth: Answer(VAGUE_PHRASES[place % len(VAGUE_PHRASES)]),
    "empty": _always(" "),
    "a dog": _always("A dog on a lawn."),
    "a zebra": _always("A zebra."),
    "several": _always("several"),
    "two": _always("2"),
    "no labels": lambda place, truth: Answer(labels={"dog": 0.1}),
    "same labels": lambda place, truth: Answer(labels={"zebra": 0.9}),
    "failing": lambda place, truth: Failure("out of memory") if place % 8 == 7 else truth,
}
CAPTIONERS = ("truthful", "a photo of things", "empty", "a dog", "a zebra", "failing")


@pytest.fixture(scope="module")
def truths() -> Truths:
    return Truths()


@pytest.mark.parametrize(
    ("form", "method", "talker", "code"),
    [
        *(
            ("caption", method, talker, 0 if talker == "truthful" else 4)
            for method in ("deeptest", "rome", "spolre", "metaic")
            for talker in CAPTIONERS
        ),
        ("caption", "deeptest", "vague", 4),
        ("caption", "rome", "vague", 4),
        ("answer", "metavqa", "truthful", 0),
        ("answer", "metavqa", "several", 4),
        ("answer", "metavqa", "two", 4),
        ("answer", "metavqa", "empty", 4),
        ("answer", "metavqa", "failing", 4),
        ("labels", "deeptest", "truthful", 0),
        ("labels", "deeptest", "no labels", 4),
        ("labels", "deeptest", "same labels", 4),
        ("labels", "atom", "no labels", 4),
        ("labels", "atom", "same labels", 4),
        ("labels", "atom", "failing", 4),
    ],
)
def test_only_a_system_that_says_something_about_its_photos_passes(
    tmp_path: Path, truths: Truths, form: Form, method: str, talker: str, code: int
) -> None:
    plain: dict[str, Any] = {"methods": [method], "scenes": f"toybox:{SCENES}", method: {}}
    if method == "metaic":
        plain[method] = {"pool": str(toybox_pool(tmp_path / "pool"))}
    elif method == "rome":
        plain[method] = {"pairs_per_scene": 4}
    config = resolve(plain)
    with start(config, tmp_path / "run") as store:
        for _ in plan_stage(store, config):
            pass
        truthful = TruthfulSystem.over(store, config, form, truths)
        for _ in ask_stage(store, config, Said(truthful, TALKERS[talker])):
            pass
        for _ in judge_stage(store, config.readers(), repeats=1):
            pass
        result = read_numbers(store, config).gate
        assert result.exit_code == code, result.sentence


def test_a_system_that_fails_every_call_of_a_short_run_does_not_work(tmp_path: Path) -> None:
    use(Script(lambda batch: [Failure("out of memory")] * len(batch)))
    assert gate_in(go(tmp_path / "a", scenes={"count": 3})).exit_code == 3
    use(Script(lambda batch: [Failure("content filter", declined=True)] * len(batch)))
    assert gate_in(go(tmp_path / "b", scenes={"count": 3})).exit_code == 4


def test_a_run_that_its_budget_stopped_is_inconclusive_until_it_has_gone_on(tmp_path: Path) -> None:
    use(Script())
    stopped = gate_in(go(tmp_path, scenes={"count": 10}, ask={"price": 0.5, "budget": 6.2}), ask={"price": 0.5})
    assert stopped.exit_code == 4 and stopped.reasons[0].kind == "out-of-budget"
    assert "6.00 spent on 12 images sent, 8 answers are missing" in stopped.sentence
    assert gate_in(go(tmp_path, scenes={"count": 9})).exit_code == 4, "one caption for ten photos"
    assert gate_in(Ran(tmp_path), gate={"max_same": "100%"}).exit_code == 0


def gate_in(ran: Ran, **changes: Any) -> GateResult:
    with ran.store() as store:
        return read_numbers(store, config_for(ran.folder, **changes)).gate


@pytest.mark.parametrize(
    ("system", "method"), [("captioner", "spolre"), ("answerer", "metavqa"), ("tagger", "atom"), ("tagger", "deeptest")]
)
def test_networks_that_look_and_err_end_with_1(tmp_path: Path, system: str, method: str) -> None:
    scenes = {"spolre": 10, "metavqa": 10, "atom": 10, "deeptest": 30}[method]
    config = resolve({"methods": [method], "scenes": f"toybox:{scenes}", "system": f"toybox:{system}"})
    with start(config, tmp_path) as store:
        for _ in carry_out(store, config):
            pass
        result = read_numbers(store, config).gate
    assert (result.exit_code, [reason.kind for reason in result.reasons]) == (1, ["violations"]), result.sentence


def test_only_the_grades_that_count_fail_a_run() -> None:
    outcomes = MethodOutcomes("rome", 90, 10)
    narrow = {"grades": ("contradiction", "invention")}
    result = gated(outcomes, settings=narrow, counted=2)
    assert result.exit_code == 1
    assert result.sentence.startswith(
        "Failed: 2 of 100 decided cases are violated (2.0%), counting only contradictions and inventions, more than"
    )
    result = gated(outcomes, settings=narrow, counted=0)
    assert result.exit_code == 0 and "0 of 100 decided cases are violated (0.0%), counting only" in result.sentence
    assert gated(outcomes).exit_code == 1


def test_a_violation_without_a_grade_always_counts() -> None:
    narrow = GateSettings(grades=("contradiction",))
    counted = [counts_for_gate(grade, narrow) for grade in ("contradiction", "omission", None)]
    assert counted == [True, False, True]
    assert counts_for_gate("omission", GateSettings())


def test_a_pass_with_leads_does_not_say_that_all_cases_hold() -> None:
    assert gated(MethodOutcomes("rome", 90, leads=1)).sentence == (
        "Passed: nothing is proved in 90 decided cases. 1 lead is not counted."
    )
    within = gated(MethodOutcomes("rome", 90, 1, leads=40), settings={"fail_over": "5%"}).sentence
    assert within.endswith("within the threshold. 40 leads are not counted.")
    assert gated(MethodOutcomes("rome", 90)).sentence == "Passed: all 90 decided cases hold."
