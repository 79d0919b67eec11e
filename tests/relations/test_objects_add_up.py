from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamorph.model import AnswerReading
from anamorph.relations.objects_add_up import ObjectsAddUp
from tests.relations.readings import NO, UNREADABLE, YES, amounts, number, vague

CLAIM = ObjectsAddUp()


def test_two_and_three_are_five() -> None:
    verdict = CLAIM.judge([number(5), number(2), number(3)])
    assert verdict.outcome == "holds" and verdict.reason.endswith("add up: 5 = 2 + 3.")


def test_two_and_three_are_not_four() -> None:
    verdict = CLAIM.judge([number(4), number(2), number(3)])
    assert verdict.violated == verdict.categories == ("object-partition",)
    assert verdict.reason.endswith("add up to 5 (2 + 3), but the whole is 4.")
    assert [(e.probe, e.text) for e in verdict.evidence] == [(0, "4"), (1, "2"), (2, "3")]


def test_a_system_that_always_says_zero_passes() -> None:
    assert CLAIM.judge([number(0)] * 3).outcome == "holds"
    assert CLAIM.judge([NO, NO, NO]).outcome == "holds"


def test_many_is_many_and_a_lot() -> None:
    assert CLAIM.judge([vague("many"), vague("many"), vague("a lot")]).outcome == "holds"


def test_yes_is_not_a_number() -> None:
    verdict = CLAIM.judge([number(1), YES, number(0)])
    assert verdict.outcome == "undecided" and verdict.reason == "The answer to follow-up 1 does not say how many."


@pytest.mark.parametrize("place", range(3))
def test_an_unreadable_answer_leaves_it_undecided(place: int) -> None:
    readings: list[object] = [number(0)] * 3
    readings[place] = UNREADABLE
    assert CLAIM.judge(readings).outcome == "undecided"  # type: ignore[arg-type]


@given(amounts, st.lists(amounts, min_size=1, max_size=4))
def test_it_holds_exactly_when_the_sum_is_right_or_vague(whole: AnswerReading, parts: list[AnswerReading]) -> None:
    numbers = [answer.number for answer in (whole, *parts)]
    right = None in numbers or whole.number == sum(part.number or 0 for part in parts)
    assert CLAIM.judge([whole, *parts]).outcome == ("holds" if right else "violated")
