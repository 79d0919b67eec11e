from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from anamorph.model import Answer, LabelSet, Reading, Unreadable, Verdict
from anamorph.readers.plain import PlainReader
from anamorph.relations.same_answer import SameAnswer


def judge(*answers: str | dict[str, float]) -> Verdict:
    reader = PlainReader()
    given_ = [Answer(a) if isinstance(a, str) else Answer(labels=a) for a in answers]
    return SameAnswer().judge([reader.read(answer) for answer in given_])


def test_case_spacing_and_final_marks_do_not_matter() -> None:
    assert judge("A dog on a couch.", "a dog  on a couch").outcome == "holds"


def test_another_caption_is_a_violation_with_both_texts_as_evidence() -> None:
    verdict = judge("a dog", "a dog", "a cat")
    assert verdict.outcome == "violated" and verdict.violated == ("same-answer",)
    assert verdict.categories == ("answer-changed",)
    assert [(e.probe, e.text) for e in verdict.evidence] == [(0, "a dog"), (2, "a cat")]


def test_a_label_that_is_lost_and_one_that_is_gained_are_named() -> None:
    verdict = judge({"dog": 0.9, "car": 0.2}, {"dog": 0.4, "car": 0.8})
    assert verdict.reason.startswith("The label set lost 'dog' and gained 'car'")
    assert verdict.categories == ("labels-changed",)
    assert [(e.probe, e.text) for e in verdict.evidence] == [(0, "dog"), (1, "car")]


def test_scores_that_stay_on_their_side_of_the_threshold_are_the_same_set() -> None:
    assert judge({"dog": 0.9}, {"dog": 0.51, "car": 0.49}).outcome == "holds"


def test_an_empty_label_set_is_an_answer() -> None:
    assert judge({}, {"dog": 0.1}).outcome == "holds"
    assert judge({}, {"dog": 0.9}).outcome == "violated"


def test_an_answer_that_cannot_be_read_leaves_the_case_undecided() -> None:
    verdict = judge("a dog", "  ")
    assert verdict.outcome == "undecided"
    assert verdict.reason == "The answer to the follow-up cannot be read: the answer is empty."


def test_a_text_and_labels_cannot_be_compared() -> None:
    assert judge("a dog", {"dog": 1.0}).outcome == "undecided"


readings: st.SearchStrategy[Reading] = st.one_of(
    st.text().map(lambda text: PlainReader().read(Answer(text))),
    st.frozensets(st.text(max_size=3), max_size=3).map(LabelSet),
    st.just(Unreadable("", "no")),
)


@given(st.lists(readings, min_size=2, max_size=5))
def test_it_holds_exactly_when_all_readings_are_equal(given_: list[Reading]) -> None:
    verdict = SameAnswer().judge(given_)
    if verdict.outcome == "holds":
        assert len({getattr(reading, "normal", reading) for reading in given_}) == 1
    if verdict.outcome == "violated":
        assert len(set(given_)) > 1 and verdict.evidence


@given(readings)
def test_a_reading_never_contradicts_itself(reading: Reading) -> None:
    assert SameAnswer().judge([reading, reading]).outcome != "violated"


def test_empty_label_sets_hold_vacuously_and_texts_never_do() -> None:
    assert judge({}, {"dog": 0.1}).vacuous
    assert not judge({"dog": 0.9}, {"dog": 0.8}).vacuous and not judge("things", "things").vacuous


def test_short_answers_contradict_each_other_and_long_ones_may_be_worded_otherwise() -> None:
    assert judge("2", "3").grade == "contradiction"
    assert judge("a man walks his dog on the beach", "someone is out with a dog").grade == "omission"
    verdict = judge({"dog": 0.9}, {"car": 0.8})
    assert verdict.grade == "omission" and [each.what for each in verdict.conflicts] == ["lost", "gained"]
