from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamorph.model import AnswerReading, Reading
from anamorph.relations.unaffected_by_removal import UnaffectedByRemoval
from tests.relations.expectations import UNCHANGED, expect_two_numbers_to_be_compared
from tests.relations.readings import YES, answers, number, numbers

CLAIM = UnaffectedByRemoval()


def test_another_number_is_a_violation_with_the_two_answers_as_evidence() -> None:
    verdict = CLAIM.judge([number(2), number(2), number(3)])
    assert verdict.violated == verdict.categories == ("removal",)
    assert verdict.reason == "The answer changed from 2 to 3 although what was removed was not asked for."
    assert [(e.probe, e.text) for e in verdict.evidence] == [(0, "2"), (2, "3")]


def test_what_stays_is_told() -> None:
    assert CLAIM.judge([YES, YES]).reason == "The answer stays yes."


@pytest.mark.parametrize(("asks", "readings", "outcome"), UNCHANGED)
def test_the_answer_stays(asks: Any, readings: list[Reading], outcome: str) -> None:
    assert UnaffectedByRemoval(asks).judge(readings).outcome == outcome


@given(answers, st.sampled_from([None, "how-many", "is-there", "is-there-no"]))
def test_the_same_answer_again_is_never_a_violation(answer: AnswerReading, asks: Any) -> None:
    assert UnaffectedByRemoval(asks).judge([answer, answer]).outcome != "violated"


@given(numbers, numbers)
def test_two_numbers_agree_exactly_when_they_are_equal(one: AnswerReading, other: AnswerReading) -> None:
    expect_two_numbers_to_be_compared(CLAIM, one, other)
