from __future__ import annotations

from hypothesis import given, strategies as st

from anamorph.model import AnswerReading
from anamorph.relations.objects_add_up import ObjectsAddUp
from anamorph.relations.removal_takes_one import RemovalTakesOne
from tests.relations.readings import NO, YES, answers, between, number, vague

CLAIM = RemovalTakesOne()


def test_one_less_holds() -> None:
    assert CLAIM.judge([number(3), number(2)]).reason == "One was removed, and the number fell from 3 to 2."
    assert CLAIM.judge([number(1), NO]).outcome == "holds"


def test_a_system_that_always_says_zero_passes_partition_and_fails_here() -> None:
    assert ObjectsAddUp().judge([number(0)] * 3).outcome == "holds"
    verdict = CLAIM.judge([number(0), number(0)])
    assert verdict.violated == verdict.categories == ("removal+",)
    assert verdict.reason == "The number went from 0 to 0 although one was removed."


def test_an_open_number_is_undecided_unless_one_less_is_impossible() -> None:
    assert CLAIM.judge([vague(), vague("a lot")]).outcome == "undecided"
    assert CLAIM.judge([vague(), number(1)]).reason == "The answer to the source is not exact: at least 2."
    verdict = CLAIM.judge([number(2), vague()])
    assert verdict.reason == "The number went from 2 to at least 2 although one was removed."
    assert CLAIM.judge([between(3, 4), between(0, 1)]).outcome == "violated"


def test_yes_does_not_count() -> None:
    assert CLAIM.judge([number(3), YES]).outcome == "undecided"


@given(answers)
def test_the_same_answer_again_never_holds(answer: AnswerReading) -> None:
    outcome = CLAIM.judge([answer, answer]).outcome
    assert outcome == ("undecided" if answer.number is None else "violated")


@given(st.integers(0, 30), st.integers(0, 30))
def test_only_a_difference_of_one_holds(before: int, after: int) -> None:
    assert CLAIM.judge([number(before), number(after)]).outcome == ("holds" if before - after == 1 else "violated")
