from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from anamorph.model import AnswerReading
from anamorph.relations.unaffected_by_removal import UnaffectedByRemoval
from tests.relations.readings import NO, UNREADABLE, YES, answers, number, numbers, vague

CLAIM = UnaffectedByRemoval()


def test_another_number_is_a_violation_with_the_two_answers_as_evidence() -> None:
    verdict = CLAIM.judge([number(2), number(2), number(3)])
    assert verdict.violated == verdict.categories == ("removal",)
    assert verdict.reason == "The answer changed from 2 to 3 although what was removed was not asked for."
    assert [(e.probe, e.text) for e in verdict.evidence] == [(0, "2"), (2, "3")]


def test_a_yes_stays_a_yes() -> None:
    assert CLAIM.judge([YES, YES]).reason == "The answer stays yes."
    assert CLAIM.judge([YES, NO]).outcome == "violated"


def test_a_number_is_a_yes_where_one_was_asked_for() -> None:
    assert CLAIM.judge([YES, number(2)]).outcome == "holds"
    assert UnaffectedByRemoval("is-there").judge([number(1), number(2)]).outcome == "holds"
    assert UnaffectedByRemoval("is-there-no").judge([NO, number(2)]).outcome == "holds"
    assert UnaffectedByRemoval("how-many").judge([YES, number(2)]).outcome == "undecided"


def test_vague_agrees_with_everything() -> None:
    assert CLAIM.judge([vague("several"), number(7)]).outcome == "holds"


def test_an_unreadable_answer_leaves_it_undecided() -> None:
    assert CLAIM.judge([UNREADABLE, YES]).outcome == CLAIM.judge([YES, UNREADABLE]).outcome == "undecided"


@given(answers, st.sampled_from([None, "how-many", "is-there", "is-there-no"]))
def test_the_same_answer_again_is_never_a_violation(answer: AnswerReading, asks: None) -> None:
    assert UnaffectedByRemoval(asks).judge([answer, answer]).outcome != "violated"


@given(numbers, numbers)
def test_two_numbers_agree_exactly_when_they_are_equal(one: AnswerReading, other: AnswerReading) -> None:
    assert CLAIM.judge([one, other]).outcome == ("holds" if one.number == other.number else "violated")
