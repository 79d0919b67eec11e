from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from anamorph.model import LabelSet, Reading, Unreadable, Verdict
from anamorph.relations.same_answer import SameAnswer
from tests.english import read_as, wording_reader


def judge(*answers: str | dict[str, float]) -> Verdict:
    readings = [read_as("wording" if isinstance(answer, str) else "labels", answer) for answer in answers]
    return SameAnswer().judge(readings)


def judge_answers(question: str, *answers: str, by_wording: bool = False) -> Verdict:
    readings = [wording_reader().read_text(answer, question) for answer in answers]
    return SameAnswer(by_wording=by_wording).judge(readings)


@pytest.mark.parametrize(
    ("question", "source", "follow_up", "outcome"),
    [
        ("How many people are there?", "I see no people here.", "Zero.", "holds"),
        ("How many people are there?", "There are two people, and a dog.", "It looks like two.", "holds"),
        ("How many people are there?", "Two.", "There are three people in the image.", "violated"),
        ("How many people are there?", "Several.", "None.", "violated"),
        ("How many people are there?", "At least two.", "Three.", "undecided"),
        ("How many people are there?", "Several.", "Several.", "undecided"),
        ("How many people are there?", "A street in the rain.", "A street in the rain.", "undecided"),
        ("Is there a dog?", "Yes.", "There are two dogs on the lawn.", "holds"),
        ("Is there a dog?", "Yes, two.", "Yes, one.", "holds"),
        ("Is there a dog?", "No.", "There is a dog behind the fence.", "violated"),
        ("Is there no dog?", "No, there is one.", "Yes, there is none.", "violated"),
        ("Are there more than two dogs?", "No.", "No, there are not.", "holds"),
        ("Are there more than two dogs?", "No.", "Yes.", "violated"),
        ("Is the man wearing a hat?", "Yes, he is.", "Yes.", "holds"),
        ("Is the man wearing a hat?", "Yes, he is.", "No, he is not wearing one.", "violated"),
        ("What color is the car?", "Red.", "The car is red.", "holds"),
        ("Is the cat black or white?", "Black.", "It is black.", "holds"),
        ("Is the cat black or white?", "Black.", "It is white.", "violated"),
        ("Where is the dog?", "On the couch.", "The dog is on the couch.", "holds"),
        ("What color is the car?", "Red.", "Blue.", "violated"),
        ("What is the man doing?", "He is riding a horse on the beach.", "Riding along the shore.", "undecided"),
    ],
)
def test_answers_to_a_question_are_compared_by_what_they_say(
    question: str, source: str, follow_up: str, outcome: str
) -> None:
    verdict = judge_answers(question, source, follow_up)
    assert verdict.outcome == outcome, verdict.reason
    if outcome == "violated":
        assert (verdict.violated, verdict.categories) == (("same-answer",), ("answer-changed",))
        assert verdict.grade == "contradiction" and [each.text for each in verdict.evidence] == [source, follow_up]


def test_answers_are_compared_by_wording_where_that_is_asked_for() -> None:
    words = ("I see no people here.", "Zero.")
    assert judge_answers("How many people are there?", *words, by_wording=True).outcome == "violated"
    assert judge_answers("How many people are there?", "Several.", "several", by_wording=True).outcome == "holds"


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
    st.text().map(lambda text: wording_reader().read_text(text)),
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
