"""What relations that make the same claim about different edits or questions must all judge alike."""

from __future__ import annotations

import pytest

from anamorph.model import AnswerReading, Relation
from tests.relations.readings import NO, UNREADABLE, YES, number, vague

# Readings of the whole and its parts, the outcome, and how the reason ends.
SUMS = [
    pytest.param([number(5), number(2), number(3)], "holds", "add up: 5 = 2 + 3.", id="two-and-three-are-five"),
    pytest.param(
        [number(4), number(2), number(3)],
        "violated",
        "add up to 5 (2 + 3), but the whole is 4.",
        id="two-and-three-are-not-four",
    ),
    pytest.param([number(0)] * 3, "holds", "", id="always-zero-passes"),
    pytest.param([NO] * 3, "holds", "", id="always-no-passes"),
    pytest.param([vague("many"), vague("many"), vague("a lot")], "holds", "", id="many-is-many-and-a-lot"),
    pytest.param(
        [number(1), YES, number(0)],
        "undecided",
        "The answer to follow-up 1 does not say how many.",
        id="yes-is-not-a-number",
    ),
    pytest.param([UNREADABLE, number(0), number(0)], "undecided", "", id="the-whole-is-unreadable"),
    pytest.param([number(0), UNREADABLE, number(0)], "undecided", "", id="the-first-part-is-unreadable"),
    pytest.param([number(0), number(0), UNREADABLE], "undecided", "", id="the-last-part-is-unreadable"),
]

# What was asked, readings before and after, and the outcome.
UNCHANGED = [
    pytest.param(None, [YES, YES], "holds", id="a-yes-stays-a-yes"),
    pytest.param(None, [YES, NO], "violated", id="a-yes-becomes-a-no"),
    pytest.param(None, [YES, number(2)], "holds", id="a-number-is-a-yes"),
    pytest.param("is-there", [number(1), number(2)], "holds", id="two-numbers-are-two-yeses"),
    pytest.param("is-there-no", [NO, number(2)], "holds", id="a-no-to-is-there-no-is-a-number"),
    pytest.param("how-many", [YES, number(2)], "undecided", id="a-yes-does-not-say-how-many"),
    pytest.param(None, [vague("several"), number(7)], "holds", id="vague-agrees-with-everything"),
    pytest.param(None, [UNREADABLE, YES], "undecided", id="unreadable-before"),
    pytest.param(None, [YES, UNREADABLE], "undecided", id="unreadable-after"),
]


def expect_a_sum_to_be_judged(claim: Relation, whole: AnswerReading, parts: list[AnswerReading]) -> None:
    """It holds exactly when the sum is right, or an amount is vague."""
    numbers = [answer.number for answer in (whole, *parts)]
    right = None in numbers or whole.number == sum(part.number or 0 for part in parts)
    assert claim.judge([whole, *parts]).outcome == ("holds" if right else "violated")


def expect_the_evidence_of_a_wrong_sum(claim: Relation, category: str) -> None:
    verdict = claim.judge([number(4), number(2), number(3)])
    assert verdict.violated == verdict.categories == (category,)
    assert [(e.probe, e.text) for e in verdict.evidence] == [(0, "4"), (1, "2"), (2, "3")]


def expect_two_numbers_to_be_compared(claim: Relation, one: AnswerReading, other: AnswerReading) -> None:
    """They agree exactly when they are equal."""
    assert claim.judge([one, other]).outcome == ("holds" if one.number == other.number else "violated")
