from __future__ import annotations

from hypothesis import given

from anamorph.model import AnswerReading
from anamorph.relations.order_does_not_matter import OrderDoesNotMatter
from tests.relations.readings import UNREADABLE, YES, amounts, answers, number, vague

CLAIM = OrderDoesNotMatter()


def test_giraffes_and_people_are_as_many_as_people_and_giraffes() -> None:
    assert CLAIM.judge([number(3), number(3)]).reason == "The answer stays 3."
    verdict = CLAIM.judge([number(3), number(2)])
    assert verdict.violated == verdict.categories == ("reordering",)
    assert verdict.reason.startswith("The answer changed from 3 to 2 although the question only names")
    assert [(e.probe, e.text) for e in verdict.evidence] == [(0, "3"), (1, "2")]


def test_vague_agrees_with_everything_and_yes_with_nothing() -> None:
    assert CLAIM.judge([vague(), number(2)]).outcome == "holds"
    assert CLAIM.judge([YES, YES]).outcome == "undecided"
    assert CLAIM.judge([UNREADABLE, number(2)]).outcome == "undecided"


@given(answers)
def test_the_same_answer_again_is_never_a_violation(answer: AnswerReading) -> None:
    assert CLAIM.judge([answer, answer]).outcome != "violated"


@given(amounts, amounts)
def test_the_order_of_the_two_answers_does_not_matter_either(one: AnswerReading, other: AnswerReading) -> None:
    assert CLAIM.judge([one, other]).outcome == CLAIM.judge([other, one]).outcome
