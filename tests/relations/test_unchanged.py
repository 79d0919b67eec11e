"""Claims that an answer stays as it was: one test for all of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from anamorph.model import AnswerReading, Reading, Relation
from anamorph.relations.order_does_not_matter import OrderDoesNotMatter
from anamorph.relations.unaffected_by_insertion import UnaffectedByInsertion
from anamorph.relations.unaffected_by_removal import UnaffectedByRemoval
from tests.relations.readings import NO, UNREADABLE, YES, amounts, answers, between, number, numbers, vague

# By the paper's name: what may be asked, and why nothing may change.
FREE: dict[str, type[Any]] = {"insertion": UnaffectedByInsertion, "removal": UnaffectedByRemoval}
CLAIMS: dict[str, tuple[Relation, str]] = {
    "insertion": (UnaffectedByInsertion(), "what was inserted was not asked for"),
    "removal": (UnaffectedByRemoval(), "what was removed was not asked for"),
    "reordering": (OrderDoesNotMatter(), "the question only names its objects in another order"),
}
# The entries of the catalogue that need no test file of their own beside this one.
COVERS = {claim.kind for claim, _ in CLAIMS.values()}
EACH = pytest.mark.parametrize("claim", [claim for claim, _ in CLAIMS.values()], ids=CLAIMS)
EACH_FREE = pytest.mark.parametrize("cls", FREE.values(), ids=FREE)


@pytest.mark.parametrize(("name", "claim", "although"), [(n, *c) for n, c in CLAIMS.items()], ids=CLAIMS)
def test_another_number_is_a_violation_with_the_two_answers_as_evidence(
    name: str, claim: Relation, although: str
) -> None:
    verdict = claim.judge([number(2), number(2), number(3)])
    assert verdict.violated == verdict.categories == (name,)
    assert verdict.reason == f"The answer changed from 2 to 3 although {although}."
    assert [(e.probe, e.text) for e in verdict.evidence] == [(0, "2"), (2, "3")]


@EACH
def test_the_reason_says_what_stays(claim: Relation) -> None:
    assert claim.judge([number(3), number(3)]).reason == "The answer stays 3."


@EACH_FREE
@pytest.mark.parametrize(
    ("asks", "readings", "outcome"),
    [
        pytest.param(None, [YES, YES], "holds", id="a-yes-stays-a-yes"),
        pytest.param(None, [YES, NO], "violated", id="a-yes-becomes-a-no"),
        pytest.param(None, [YES, number(2)], "holds", id="a-number-is-a-yes"),
        pytest.param("is-there", [number(1), number(2)], "holds", id="two-numbers-are-two-yeses"),
        pytest.param("is-there-no", [NO, number(2)], "holds", id="a-no-to-is-there-no-is-a-number"),
        pytest.param("how-many", [YES, number(2)], "undecided", id="a-yes-does-not-say-how-many"),
        pytest.param(None, [vague("several"), number(7)], "undecided", id="several-may-be-seven"),
        pytest.param(None, [vague("several"), number(0)], "violated", id="several-are-not-none"),
        pytest.param(None, [between(2, 3), between(4, 6)], "violated", id="two-or-three-are-not-four-to-six"),
        pytest.param(None, [between(2, 4), between(4, 6)], "undecided", id="both-may-be-four"),
        pytest.param("is-there", [between(0, 3), number(2)], "undecided", id="at-most-three-may-be-none"),
        pytest.param(None, [UNREADABLE, YES], "undecided", id="unreadable-before"),
        pytest.param(None, [YES, UNREADABLE], "undecided", id="unreadable-after"),
    ],
)
def test_the_answer_stays(cls: type[Any], asks: Any, readings: list[Reading], outcome: str) -> None:
    assert cls(asks).judge(readings).outcome == outcome


@EACH_FREE
@given(answer=answers, asks=st.sampled_from([None, "how-many", "is-there", "is-there-no"]))
def test_the_same_answer_again_is_never_a_violation_whatever_is_asked(
    cls: type[Any], answer: AnswerReading, asks: Any
) -> None:
    assert cls(asks).judge([answer, answer]).outcome != "violated"


def test_a_question_that_names_its_objects_in_order_always_asks_how_many() -> None:
    claim = OrderDoesNotMatter()
    assert claim.judge([vague(), number(2)]).outcome == "undecided"
    assert claim.judge([YES, YES]).outcome == "undecided"


@EACH
@given(answer=answers)
def test_the_same_answer_again_is_never_a_violation(claim: Relation, answer: AnswerReading) -> None:
    assert claim.judge([answer, answer]).outcome != "violated"


@EACH
@given(one=numbers, other=numbers)
def test_two_numbers_agree_exactly_when_they_are_equal(
    claim: Relation, one: AnswerReading, other: AnswerReading
) -> None:
    assert claim.judge([one, other]).outcome == ("holds" if one.number == other.number else "violated")


@EACH
@given(one=amounts, other=amounts)
def test_the_order_of_the_two_answers_does_not_matter_either(
    claim: Relation, one: AnswerReading, other: AnswerReading
) -> None:
    assert claim.judge([one, other]).outcome == claim.judge([other, one]).outcome
