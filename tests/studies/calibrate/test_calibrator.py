from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pytest

from anamorph import catalog
from anamorph.config import resolve
from anamorph.edits.melt import Melt
from anamorph.engine.plan import plan_stage
from anamorph.engine.run import start
from anamorph.errors import UsageError
from anamorph.methods.deeptest import DeepTest
from anamorph.model import (
    Answer,
    Ask,
    Case,
    Conflict,
    Failure,
    Manner,
    Outcome,
    Pixels,
    Probe,
    Scene,
    SuspicionState,
    Table,
    Tally,
    Verdict,
    setting,
)
from anamorph.relations.only_loses import OnlyLoses
from anamorph.relations.same_answer import SameAnswer
from anamorph.statistics.intervals import clustered, wilson
from anamorph.store.plans import PlanWriter
from anamorph.studies.calibrate.calibrator import QUESTION, CalibrationSettings, Calibrator, form_of, trials
from anamorph.studies.calibrate.counts import _Tally
from anamorph.studies.calibrate.files import share_text
from anamorph.studies.calibrate.records import Example, LeftOut, Measurement, Share
from anamorph.studies.calibrate.styles import SPEAKS, STYLES
from anamorph.studies.calibrate.truth import TruthfulSystem, Truths, true_answer, true_caption
from anamorph.toybox.drawing.classes import CLASSES
from anamorph.toybox.faults.system import FAULTS, TOUCHES, Fault, FaultySystem
from anamorph.toybox.scenes import ToyboxScenes
from anamorph.toybox.truth import Seen, Truth, truth
from anamorph.toybox.wrongness import Assessment, assess

SCENES, SEED = 8, 5


def measured(folder: Path, **changes: Any) -> list[Measurement | LeftOut]:
    settings = CalibrationSettings(
        **{"scenes": SCENES, "seed": SEED, "systems": (), "methods": ("deeptest",), "styles": (), **changes}
    )
    calibrator = Calibrator(settings, folder / "runs", folder / "plans")
    return [found for trial in trials(settings) for found in calibrator.measure(trial)]


def row_of(found: Sequence[Measurement | LeftOut], form: str, fault: str | None) -> Measurement:
    (row,) = [each for each in found if isinstance(each, Measurement) and (each.form, each.fault) == (form, fault)]
    return row


@functools.cache
def scenes() -> dict[str, Scene]:
    return {scene.id: scene for scene in ToyboxScenes(SCENES, SEED).scan() if isinstance(scene, Scene)}


def planned(question: str | None = None) -> list[Case]:
    cases = DeepTest(question=question).plan(scenes().values(), Random(0))
    return [case for case in cases if isinstance(case, Case)]


@functools.cache
def seen_in(probe: Probe) -> Truth:
    return truth(scenes()[probe.scene], probe.edits)


# --- figures --------------------------------------------------------------------------------------------------------


def verdict(reported: bool) -> Verdict:
    return Verdict("violated" if reported else "holds", "")


NO_EXAMPLE = Example("", "", "", "", (), ())
WRONG = Assessment("wrong", ("number",))


def test_intervals_are_clustered_by_scene() -> None:
    tally = _Tally()
    # Three scenes whose cases are all alike: as good as three cases, and not twelve.
    for scene, caught in ((1, True), (2, True), (3, False)):
        for _ in range(4):
            tally.add(scene, verdict(caught), [WRONG], NO_EXAMPLE, alone=False)
    share = tally.recall.share
    assert (share.hits, share.total) == (8, 12)
    assert share.interval == clustered([(4, 4), (4, 4), (4, 0)])
    plain = wilson(8, 12)
    assert share.interval is not None
    assert share.interval[0] < plain[0] and share.interval[1] > plain[1]
    assert tally.caught["number"].share == share
    # All that was reported was right: each scene counts once, and only those with a report.
    assert tally.precision.share == Share(8, 8, clustered([(4, 4), (4, 4)]))


def test_cases_of_one_scene_have_a_share_and_no_interval() -> None:
    tally = _Tally()
    for caught in (True, False):
        tally.add(1, verdict(caught), [WRONG], NO_EXAMPLE, alone=False)
    assert tally.recall.share == Share(1, 2, None)
    assert share_text(tally.recall.share) == ".50"


def test_a_suspicion_is_no_report_until_it_is_proved_and_captions_alone_count_apart() -> None:
    settled: list[tuple[Outcome, SuspicionState | None, bool]] = [
        ("violated", "proved", True),
        ("lead", "lead", True),
        ("holds", "refuted", False),
        ("holds", "unfair", False),
        ("holds", None, False),
        ("undecided", "undecided", True),
    ]
    tally = _Tally()
    for outcome, state, alone in settled:
        conflicts = (Conflict("dog", "omission", "lost", (0, 1), state=state),) if state else ()
        tally.add(1, Verdict(outcome, "", conflicts=conflicts), [WRONG], NO_EXAMPLE, alone=alone)
    assert (tally.cases, tally.undecided) == (6, 1)
    assert (tally.violated.share.hits, tally.suspected.share.hits, tally.violated_alone.share.hits) == (1, 4, 2)
    assert tally.recall.share == Share(1, 5) and tally.recall_suspected.share == Share(4, 5)
    assert tally.recall_alone.share == Share(2, 5)
    assert tally.settled == {"proved": 1, "lead": 1, "refuted": 1, "unfair": 1}


def test_nothing_to_count_has_no_share() -> None:
    assert _Tally().recall.share == Share(0, 0, None) and Share(0, 0).value is None
    assert (share_text(Share(0, 0)), share_text(Share(8, 10, (0.49, 0.94)))) == ("-", ".80 [.49,.94]")


# --- the truthful system --------------------------------------------------------------------------------------------


def test_the_truthful_system_says_what_is_visible() -> None:
    dog, cat = Seen("1", "dog", ("brown",), 1.0, 0.1), Seen("2", "cat", (), 0.3, 0.1)
    assert true_caption(Truth((dog, dog, cat))) == "A picture of two dogs."
    assert true_caption(Truth((dog, Seen("3", "apple", (), 1.0, 0.1)))) == "A picture of an apple and a dog."
    assert true_caption(Truth(())) == "An empty place."
    assert true_answer(Truth((dog, dog)), "How many dogs are in the image?") == "2"
    assert true_answer(Truth((dog,)), "Is there any black dog in the image?") == "no"
    assert true_answer(Truth((dog,)), "Is there no cat in the image?") == "yes"
    assert true_answer(Truth(()), "Why?") is None


def test_without_a_fault_the_truth_is_never_wrong(tmp_path: Path) -> None:
    found = measured(tmp_path, faults=("delays",))
    for form in ("caption", "answer", "labels"):
        for fault in (None, "delays"):
            row = row_of(found, form, fault)
            relation = "same-answer" if form == "answer" else "same-objects"
            assert (row.method, row.relation, row.cases, row.wrong) == ("deeptest", relation, 4 * SCENES, 0)
            assert row.undecided == row.untold == row.right == 0
    assert not list((tmp_path / "runs").iterdir())


# --- figures by hand ------------------------------------------------------------------------------------------------


def test_always_zero_is_wrong_wherever_there_is_somebody_and_never_reported(tmp_path: Path) -> None:
    row = row_of(measured(tmp_path, faults=("always-zero",)), "answer", "always-zero")
    cases = planned(QUESTION)
    wrong = sum(any(seen_in(probe).count("person").least > 0 for probe in case.probes) for case in cases)
    assert 0 < wrong < len(cases)
    assert (row.cases, row.reports, row.wrong, row.right) == (len(cases), 0, wrong, 0)
    assert row.recall.value == 0 and row.precision.value is None
    assert row.recall_by_category == {"number": row.recall}
    assert row.recall.total == wrong
    assert len(row.missed) == 3 and row.missed[0].answers == ("0", "0")


@dataclass(frozen=True)
class Told:
    """Tells the truth about one probe."""

    kind: ClassVar[str] = "told"
    text: str

    @property
    def manner(self) -> Manner:
        return Manner()

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {}

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        return [Answer(self.text)] * len(batch)

    def close(self) -> None:
        pass


def unseen() -> Pixels:
    raise AssertionError("nobody looks")


def spoilt(fault: Fault, text: str, probe: Probe, rate: float) -> str:
    (reply,) = FaultySystem(fault, Told(text), rate, SEED).ask([Ask(probe.digest, probe.question, None, unseen)], 1)
    assert isinstance(reply, Answer) and reply.text is not None
    return reply.text


@pytest.mark.parametrize("fault", ["omission", "wrong-number", "hallucination"])
def test_precision_and_recall_are_those_counted_by_hand(tmp_path: Path, fault: Fault) -> None:
    # By wording, so that a person can compare the captions, too.
    wording = ("deeptest.compare=wording",)
    row = row_of(measured(tmp_path, faults=(fault,), rate=0.4, sets=wording), "caption", fault)
    reports = right = wrong = 0
    for case in planned():
        truths = [true_caption(seen_in(probe)) for probe in case.probes]
        said = [spoilt(fault, text, probe, 0.4) for text, probe in zip(truths, case.probes, strict=True)]
        violated, mistaken = said[0] != said[1], said != truths
        reports, wrong, right = reports + violated, wrong + mistaken, right + (violated and mistaken)
    assert (right and wrong > right) or fault != "omission"
    assert (row.reports, row.wrong, row.right, row.undecided, row.untold) == (reports, wrong, right, 0, 0)
    assert row.violated.hits == reports and row.violated.total == row.cases
    named = {"omission": "omission", "wrong-number": "quantity", "hallucination": "hallucination"}[fault]
    assert row.recall_by_category == {named: row.recall}
    assert list(row.precision_by_category) == ["answer-changed"]


def test_failed_calls_leave_cases_undecided_and_out_of_the_shares(tmp_path: Path) -> None:
    row = row_of(measured(tmp_path, faults=("failures",), rate=0.3), "labels", "failures")
    failing = FaultySystem("failures", Told(""), 0.3, SEED)
    asks = [[Ask(probe.digest, None, None, unseen) for probe in case.probes] for case in planned()]
    undecided = sum(any(isinstance(reply, Failure) for reply in failing.ask(batch, 1)) for batch in asks)
    assert 0 < undecided < row.cases
    assert (row.undecided, row.reports, row.wrong) == (undecided, 0, 0)


def test_systems_are_measured_as_they_are_and_their_runs_may_stay(tmp_path: Path) -> None:
    settings = CalibrationSettings(4, SEED, ("deeptest",), ("toybox:tagger",), (), styles=())
    calibrator = Calibrator(settings, tmp_path / "runs", tmp_path / "plans", keep=True)
    (trial,) = trials(settings)
    (row,) = calibrator.measure(trial)
    assert isinstance(row, Measurement)
    assert (row.system, row.form, row.fault, row.cases) == ("toybox:tagger", "labels", None, 16)
    assert 0 <= row.right <= min(row.reports, row.wrong)
    (kept,) = (tmp_path / "runs").iterdir()
    assert (kept / "run.sqlite").is_file()


# --- what fits together ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asking:
    """Asks a question of its own of every scene."""

    kind: ClassVar[str] = "asking"
    words: str = setting("Is there any dog in the image?", "The question.")
    relation: ClassVar[Any] = SameAnswer()

    def plan(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case]:
        return (case for scene in scenes for case in self.cases(scene))

    def cases(self, scene: Scene) -> list[Case]:
        probe = Probe(scene.id, question=self.words)
        return [Case(self.kind, probe, (probe,), self.relation)]

    def summarise(self, tallies: Sequence[Tally]) -> tuple[Table, ...]:
        return ()


@dataclass(frozen=True)
class Naming(Asking):
    """Holds captions against each other."""

    kind: ClassVar[str] = "naming"

    def cases(self, scene: Scene) -> list[Case]:
        return [Case(self.kind, Probe(scene.id), (Probe(scene.id),), OnlyLoses(("dog",)))]


@dataclass(frozen=True)
class Idle(Asking):
    """Plans nothing."""

    kind: ClassVar[str] = "idle"

    def cases(self, scene: Scene) -> list[Case]:
        return []


@dataclass(frozen=True)
class Melting(Asking):
    """Melts the first thing of every scene, and claims that nothing changes."""

    kind: ClassVar[str] = "melting"

    def cases(self, scene: Scene) -> list[Case]:
        return [Case(self.kind, Probe(scene.id), (Probe(scene.id, (Melt((scene.things[0].id,)),)),), self.relation)]


def test_edits_that_inpaint_are_understood_and_a_wrong_claim_is_a_false_alarm(tmp_path: Path) -> None:
    catalog._loaded.setdefault("methods", {})["melting"] = Melting
    row = row_of(measured(tmp_path, methods=("melting",), faults=("dark-drop",)), "caption", None)
    assert (row.cases, row.reports, row.right, row.undecided, row.untold) == (SCENES, SCENES, 0, 0, 0)


@pytest.fixture
def own_methods() -> None:
    for cls in (Asking, Naming, Idle):
        catalog._loaded.setdefault("methods", {})[cls.kind] = cls


def left_out(found: Sequence[Measurement | LeftOut]) -> dict[tuple[str, str], str]:
    return {(each.method, each.form): each.reason for each in found if isinstance(each, LeftOut)}


@pytest.mark.usefixtures("own_methods")
def test_what_does_not_fit_is_left_out_once_with_its_reason(tmp_path: Path) -> None:
    found = measured(tmp_path, methods=("asking", "naming", "idle"), faults=("omission",), systems=("toybox:tagger",))
    reasons = left_out(found)
    assert "asks questions, which a captioner does not answer" in reasons["asking", "caption"]
    assert "asks questions, which a tagger does not answer" in reasons["asking", "labels"]
    assert "asks no question" in reasons["naming", "answer"]
    assert "No case could be decided" in reasons["naming", "labels"]
    assert {reasons["idle", form] for form in ("caption", "answer", "labels")} == {
        "The method plans no case on these scenes."
    }
    assert len([each for each in found if isinstance(each, LeftOut)]) == len(reasons)
    rows = {(each.method, each.form) for each in found if isinstance(each, Measurement)}
    assert rows == {("asking", "answer"), ("naming", "caption")}


@pytest.mark.usefixtures("own_methods")
def test_a_question_that_nobody_knows_the_answer_to_is_left_out(tmp_path: Path) -> None:
    found = measured(tmp_path, methods=("asking",), faults=("always-yes",), sets=("asking.words=Why?",))
    assert "true answer to 'Why?' is not known" in left_out(found)["asking", "answer"]


def test_a_system_that_does_not_work_is_left_out_and_the_others_are_measured(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Broken(Told):
        """Fails always."""

        kind: ClassVar[str] = "broken"
        text: str = setting("", "Unused.")

        def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
            raise RuntimeError("out of memory")

    catalog._loaded.setdefault("systems", {})["broken"] = Broken
    found = measured(tmp_path, faults=(), systems=("broken", "toybox:tagger"))
    assert isinstance(found[0], LeftOut) and "RuntimeError: out of memory" in found[0].reason
    assert isinstance(found[1], Measurement)


def test_an_answer_that_cannot_be_held_against_the_truth_counts_apart(tmp_path: Path) -> None:
    catalog._loaded.setdefault("methods", {})["asking"] = Asking
    words = ("asking.words=How many men are there?",)
    found = measured(tmp_path, methods=("asking",), faults=(), systems=("toybox:answerer",), sets=words)
    (row,) = [each for each in found if isinstance(each, Measurement)]
    assert (row.untold, row.wrong, row.reports) == (SCENES, 0, 0)


def test_a_method_that_needs_a_setting_is_left_out_unless_it_was_meant(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class NeedsMore:
        """Needs a setting."""

        kind: ClassVar[str] = "needs-more"
        needed: int = setting(help="Needed.")

    catalog._loaded.setdefault("methods", {})["needs-more"] = NeedsMore
    reasons = left_out(measured(tmp_path, methods=("needs-more",), faults=("omission",)))
    assert reasons["needs-more", "caption"] == "needs-more.needed: is missing"
    with pytest.raises(UsageError, match="expected a whole number"):
        measured(tmp_path, methods=("needs-more",), faults=("omission",), sets=("needs-more.needed=x",))


def test_the_form_of_a_system_is_shown_through_faults_around_it() -> None:
    assert form_of("toybox:captioner") == "caption"
    assert form_of("faulty:omission,inner=toybox:answerer") == "answer"
    assert form_of("callable:my_model:caption") is None


def test_every_fault_is_tried_on_every_form_that_it_touches() -> None:
    settings = CalibrationSettings(1, methods=("deeptest",), systems=(), styles=())
    assert len(trials(settings)) == 3 + sum(map(len, TOUCHES.values()))
    assert {trial.fault for trial in trials(settings)} == {None, *FAULTS}
    with pytest.raises(UsageError, match="Did you mean 'deeptest'"):
        trials(CalibrationSettings(1, methods=("deptest",)))


# --- truthful systems -----------------------------------------------------------------------------------------------


def test_every_style_is_tried_on_every_form_that_it_changes() -> None:
    settings = CalibrationSettings(1, methods=("deeptest",), systems=(), faults=())
    tried = [(trial.style, trial.form) for trial in trials(settings) if trial.style is not None]
    assert tried == [
        (style, form) for style in STYLES for form in ("caption", "answer", "labels") if form in SPEAKS[style]
    ]


def test_a_truthful_system_is_counted_by_its_reports_even_where_it_leaves_things_out(tmp_path: Path) -> None:
    found = measured(tmp_path, methods=("rome", "metaic"), faults=(), styles=("terse-1", "chatty"))
    rows = {(row.style, row.method): row for row in found if isinstance(row, Measurement) and row.style}
    assert set(rows) == {(style, method) for style in ("terse-1", "chatty") for method in ("rome", "metaic")}
    for row in rows.values():
        assert row.violated.total == row.cases - row.undecided
        assert sum(row.by_grade.values()) == row.violated.hits
    # It says nothing false, and names only one class.
    assert rows["terse-1", "rome"].wrong > 0
    assert set(rows["terse-1", "rome"].recall_by_category) == {"omission"}
    assert rows["chatty", "rome"].wrong == 0 and rows["chatty", "rome"].violated.hits == 0


def test_what_is_only_terse_is_refuted_by_asking_and_a_wrong_number_is_proved(tmp_path: Path) -> None:
    found = measured(tmp_path, methods=("spolre",), faults=("wrong-number",), rate=1.0, styles=("terse-1",))
    terse = next(row for row in found if isinstance(row, Measurement) and row.style)
    assert terse.suspected.hits == terse.refuted == terse.recall_suspected.hits > 0
    assert terse.violated.hits == terse.leads == terse.unfair == 0
    # It answers questions itself, so that nothing is judged by its captions alone.
    assert terse.recall_alone is None and terse.violated_alone is None
    wrong = row_of([row for row in found if isinstance(row, Measurement) and not row.style], "caption", "wrong-number")
    assert wrong.violated.hits > 0 and wrong.refuted == 0


def test_a_witness_proves_more_of_what_captions_leave_out_than_captions_alone(tmp_path: Path) -> None:
    some = measured(tmp_path / "some", methods=("spolre",), faults=("omission",), rate=0.3)
    row = row_of(some, "caption", "omission")
    assert row.recall_alone is not None and row.violated_alone is not None
    assert 0 < row.recall_alone.hits < row.recall.hits
    # Where every answer leaves something out, even a witness that does so proves only a part.
    found = measured(tmp_path / "all", methods=("spolre",), faults=("omission",), rate=1.0)
    row = row_of(found, "caption", "omission")
    assert row.recall_alone is not None and row.recall_alone.hits < row.recall.hits < row.recall_suspected.hits
    assert row.leads == row.suspected.hits - row.violated.hits > 0
    # The truth, in plain words and without a fault, raises nothing.
    truth = row_of(found, "caption", None)
    assert (truth.suspected.hits, truth.violated.hits, truth.recall_alone) == (0, 0, Share(0, 0))


def test_a_truthful_captioner_answers_questions_that_are_asked_later(tmp_path: Path) -> None:
    config = resolve({"methods": ["deeptest"], "scenes": {"kind": "toybox", "count": 2, "seed": SEED}})
    with start(config, tmp_path / "run") as store:
        for _ in plan_stage(store, config):
            pass
        system = TruthfulSystem.over(store, config, "caption", Truths(), "chatty")
        scene = next(iter(ToyboxScenes(2, SEED).scan()))
        assert isinstance(scene, Scene)
        label = truth(scene).labels[0]
        # Such as a closed question that is to prove something, which is not in the plan at first.
        later = Probe(scene.id, question=f"How many {CLASSES[label].plural} are in the image?")
        writer = PlanWriter(store)
        writer.add(Case("later", later, (Probe(scene.id),), SameAnswer()))
        writer.flush()
        asks = [Ask(probe.digest, probe.question, None, unseen) for probe in (later, Probe(scene.id))]
        answer, caption = system.ask(asks, 1)
    assert isinstance(answer, Answer) and answer.text is not None and "Besides" in answer.text
    assert assess(answer, later.question, truth(scene)) == Assessment("right")
    assert isinstance(caption, Answer) and caption.text is not None and "There are no" in caption.text
