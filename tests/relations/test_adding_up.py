"""Claims that the numbers of the follow-ups add up to that of the source: one test for all of them."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from anamorph.model import AnswerReading, Reading, Relation
from anamorph.relations.objects_add_up import ObjectsAddUp
from anamorph.relations.order_does_not_matter import OrderDoesNotMatter
from anamorph.relations.pieces_add_up import PiecesAddUp
from anamorph.relations.properties_add_up import PropertiesAddUp
from tests.relations.readings import NO, YES, amounts, number, vague

CLAIMS: dict[str, Relation] = {
    "object-partition": ObjectsAddUp(),
    "property-partition": PropertiesAddUp(),
    "cutting": PiecesAddUp("how-many"),
}
# The entries of the catalogue that need no test file of their own beside this one.
COVERS = {claim.kind for claim in CLAIMS.values()}
EACH = pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)


@EACH
@pytest.mark.parametrize(
    ("readings", "outcome", "reason"),
    [
        pytest.param([number(5), number(2), number(3)], "holds", "add up: 5 = 2 + 3.", id="two-and-three-are-five"),
        pytest.param(
            [number(4), number(2), number(3)],
            "violated",
            "add up to 5 (2 + 3), but the whole is 4.",
            id="two-and-three-are-not-four",
        ),
        pytest.param([number(0)] * 3, "holds", "", id="always-zero-passes"),
        pytest.param([NO] * 3, "holds", "", id="always-no-passes"),
        pytest.param([vague("many"), vague("many"), vague("a lot")], "undecided", "at least 2.", id="many-is-open"),
        pytest.param(
            [number(3), vague("many"), vague("a lot")],
            "violated",
            "add up to at least 4 (at least 2 + at least 2), but the whole is 3.",
            id="many-and-a-lot-are-not-three",
        ),
        pytest.param(
            [number(1), YES, number(0)],
            "undecided",
            "The answer to follow-up 1 does not say how many.",
            id="yes-is-not-a-number",
        ),
    ],
)
def test_the_parts_add_up(claim: Relation, readings: list[Reading], outcome: str, reason: str) -> None:
    verdict = claim.judge(readings)
    assert verdict.outcome == outcome and verdict.reason.endswith(reason)


@pytest.mark.parametrize(("name", "claim"), CLAIMS.items(), ids=CLAIMS)
def test_a_wrong_sum_shows_every_answer_and_has_the_papers_name(name: str, claim: Relation) -> None:
    verdict = claim.judge([number(4), number(2), number(3)])
    assert verdict.violated == verdict.categories == (name,)
    assert [(e.probe, e.text) for e in verdict.evidence] == [(0, "4"), (1, "2"), (2, "3")]


@EACH
@given(whole=amounts, parts=st.lists(amounts, min_size=1, max_size=4))
def test_it_holds_if_the_sum_is_right_and_is_violated_if_no_sum_can_be(
    claim: Relation, whole: AnswerReading, parts: list[AnswerReading]
) -> None:
    open_end = 1000
    wholes = range(whole.least, open_end if whole.most is None else whole.most + 1)
    most = open_end if any(part.most is None for part in parts) else sum(part.most or 0 for part in parts)
    possible = not set(wholes).isdisjoint(range(sum(part.least for part in parts), most + 1))
    exact = all(answer.number is not None for answer in (whole, *parts))
    expected = "violated" if not possible else "holds" if exact else "undecided"
    assert claim.judge([whole, *parts]).outcome == expected


def test_the_reason_says_what_was_added() -> None:
    reasons = [claim.judge([number(1), number(1), number(0)]).reason for claim in CLAIMS.values()]
    assert reasons == [f"The {parts} add up: 1 = 1 + 0." for parts in ("objects", "properties", "pieces")]


def test_as_published_vague_quantifiers_agree_among_themselves() -> None:
    """Section 4.1.1: many = many + a lot."""
    several = [vague("many"), vague("many"), vague("a lot")]
    assert ObjectsAddUp().judge(several).outcome == "undecided"
    assert ObjectsAddUp(quantifiers=True).judge(several).outcome == "holds"
    # Numbers are still compared.
    assert ObjectsAddUp(quantifiers=True).judge([number(3), number(1), number(1)]).outcome == "violated"
    assert ObjectsAddUp(quantifiers=True).judge([vague("many"), number(0), number(1)]).outcome == "violated"
    assert OrderDoesNotMatter(quantifiers=True).judge([vague("many"), vague("several")]).outcome == "holds"
