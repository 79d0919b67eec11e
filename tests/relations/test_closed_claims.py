"""Claims about closed answers: what each answer states, and when answers cannot all be true."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, strategies as st

from anamorph.model import AnswerReading, ChoiceReading, Reading, Relation, Verdict
from anamorph.readers.closed import form_of, read_closed
from anamorph.relations.accounts.account import Account
from anamorph.relations.blank_shows_none import BlankShowsNone
from anamorph.relations.collage_adds_up import CollageAddsUp
from anamorph.relations.crop_shows_no_more import CropShowsNoMore
from anamorph.relations.mirror_swaps_sides import MirrorSwapsSides
from anamorph.relations.negation_differs import NegationDiffers
from anamorph.relations.number_fits_existence import NumberFitsExistence
from anamorph.relations.options_in_any_order import OptionsInAnyOrder
from anamorph.relations.pieces_cover_whole import PiecesCoverWhole
from anamorph.relations.same_number import SameNumber
from anamorph.relations.sum_in_any_order import SumInAnyOrder
from tests.relations.readings import UNREADABLE

COVERS = (
    "blank-shows-none",
    "collage-adds-up",
    "crop-shows-no-more",
    "mirror-swaps-sides",
    "negation-differs",
    "number-fits-existence",
    "options-in-any-order",
    "pieces-cover-whole",
    "same-number",
    "sum-in-any-order",
)
COUNT, EXISTS = "How many dogs are in the image?", "Is there a dog in the image?"
STATES, DENIES = (f"There is {what} dog in the image. Answer true or false." for what in ("a", "no"))
SIDE = "In which part of the image is the dog? Answer with one of: left, middle, right."
WHICH = "Which of the two is in the image? Answer with one of: dog, cat."
PAIR = OptionsInAnyOrder("dog", ("dog", "cat"))


def said(question: str, text: str) -> Reading:
    form = form_of(question)
    assert form is not None
    return read_closed(text, form, question)


def judged(claim: Relation, *answers: tuple[str, str]) -> Verdict:
    return claim.judge([said(*answer) for answer in answers])


@pytest.mark.parametrize(
    ("claim", "answers", "outcome", "what"),
    [
        (NumberFitsExistence("dog"), [(EXISTS, "yes"), (COUNT, "2")], "holds", None),
        (NumberFitsExistence("dog"), [(EXISTS, "no"), (COUNT, "0")], "holds", None),
        (NumberFitsExistence("dog"), [(EXISTS, "yes"), (COUNT, "0")], "violated", "existence"),
        (NumberFitsExistence("dog"), [(EXISTS, "no"), (COUNT, "1")], "violated", "existence"),
        (NegationDiffers("dog"), [(STATES, "true"), (DENIES, "false")], "holds", None),
        (NegationDiffers("dog"), [(STATES, "false"), (DENIES, "true")], "holds", None),
        (NegationDiffers("dog"), [(STATES, "true"), (DENIES, "true")], "violated", "existence"),
        (NegationDiffers("dog"), [(STATES, "false"), (DENIES, "false")], "violated", "existence"),
        (CropShowsNoMore("dog"), [(COUNT, "2"), (COUNT, "2")], "holds", None),
        (CropShowsNoMore("dog"), [(COUNT, "2"), (COUNT, "3")], "violated", "number"),
        (CropShowsNoMore("dog"), [(EXISTS, "no"), (EXISTS, "yes")], "violated", "existence"),
        (CropShowsNoMore("dog"), [(EXISTS, "yes"), (EXISTS, "no")], "holds", None),
        (PiecesCoverWhole("dog"), [(COUNT, "3"), (COUNT, "2"), (COUNT, "2")], "holds", None),
        (PiecesCoverWhole("dog"), [(COUNT, "3"), (COUNT, "1"), (COUNT, "1")], "violated", "number"),
        (PiecesCoverWhole("dog"), [(EXISTS, "yes"), (EXISTS, "no"), (EXISTS, "no")], "violated", "existence"),
        (PiecesCoverWhole("dog"), [(COUNT, "4"), (COUNT, "0"), (COUNT, "10")], "violated", "number"),
        (CollageAddsUp("dog"), [(COUNT, "3"), (COUNT, "1"), (COUNT, "2")], "holds", None),
        (CollageAddsUp("dog"), [(COUNT, "2"), (COUNT, "1"), (COUNT, "2")], "violated", "number"),
        (CollageAddsUp("dog"), [(COUNT, "0"), (COUNT, "1"), (COUNT, "0")], "violated", "existence"),
        (SameNumber("dog"), [(COUNT, "1"), (COUNT, "1"), (COUNT, "1")], "holds", None),
        (SameNumber("dog"), [(COUNT, "1"), (COUNT, "1"), (COUNT, "2")], "violated", "number"),
        (BlankShowsNone("dog"), [(EXISTS, "no")], "holds", None),
        (BlankShowsNone("dog"), [(EXISTS, "yes")], "violated", "existence"),
        (SumInAnyOrder("dog", "cat"), [(COUNT, "3"), (COUNT, "3"), (COUNT, "1"), (COUNT, "2")], "holds", None),
        (SumInAnyOrder("dog", "cat"), [(COUNT, "3"), (COUNT, "2"), (COUNT, "1"), (COUNT, "2")], "violated", "number"),
        (SumInAnyOrder("dog", "cat"), [(COUNT, "4"), (COUNT, "4"), (COUNT, "1"), (COUNT, "2")], "violated", "number"),
        (MirrorSwapsSides("dog"), [(SIDE, "left"), (SIDE, "right")], "holds", None),
        (MirrorSwapsSides("dog"), [(SIDE, "left"), (SIDE, "middle")], "holds", None),
        (MirrorSwapsSides("dog"), [(SIDE, "left"), (SIDE, "left")], "violated", "answer"),
        (MirrorSwapsSides("dog"), [(SIDE, "right"), (SIDE, "right")], "violated", "answer"),
        (MirrorSwapsSides("dog"), [(SIDE, "middle"), (SIDE, "middle")], "holds", None),
        (PAIR, [(WHICH, "dog"), (WHICH, "dog")], "holds", None),
        (PAIR, [(WHICH, "dog"), (WHICH, "cat")], "violated", "answer"),
    ],
)
def test_what_answers_state_together(
    claim: Relation, answers: list[tuple[str, str]], outcome: str, what: str | None
) -> None:
    verdict = judged(claim, *answers)
    assert verdict.outcome == outcome
    assert [conflict.what for conflict in verdict.conflicts] == ([] if what is None else [what])


def test_only_the_answers_of_the_contradiction_are_blamed() -> None:
    verdict = judged(PiecesCoverWhole("dog"), (COUNT, "4"), (COUNT, "0"), (COUNT, "10"))
    (conflict,) = verdict.conflicts
    assert conflict.probes == (0, 2) and conflict.label == "dog" and conflict.grade == "contradiction"
    assert [item.probe for item in verdict.evidence] == [0, 2]


@pytest.mark.parametrize("claim", [NumberFitsExistence("dog"), CropShowsNoMore("dog"), PAIR])
def test_an_answer_in_another_form_is_undecided(claim: Relation) -> None:
    verdict = claim.judge([UNREADABLE, UNREADABLE])
    assert verdict.outcome == "undecided" and "cannot be read" in verdict.reason
    assert claim.judge([CHOICE, NUMBER] if claim is not PAIR else [NUMBER, CHOICE]).outcome == "undecided"


CHOICE, NUMBER = ChoiceReading("left", "left"), AnswerReading("2", 2, 2)


def _possible(name: str, numbers: tuple[int, ...]) -> bool:
    """The claim as arithmetic over true numbers, written without the ledger."""
    whole, *rest = numbers
    if name == "crop":
        return all(part <= whole for part in rest)
    if name == "pieces":
        return all(part <= whole for part in rest) and whole <= sum(rest)
    if name == "collage":
        return whole == sum(rest)
    return len({whole, *rest}) == 1


@given(
    st.sampled_from([CropShowsNoMore, PiecesCoverWhole, CollageAddsUp, SameNumber]),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2) | st.none()), min_size=2, max_size=3),
)
def test_answers_contradict_each_other_only_where_no_numbers_fit(
    kind: type[CropShowsNoMore], answers: list[tuple[int, int | None]]
) -> None:
    claim = kind("dog")
    ranges = [(least, None if more is None else least + more) for least, more in answers]
    account: Account = claim.account(len(ranges))
    choices = [range(least, 10 if most is None else most + 1) for least, most in ranges]
    possible = any(_possible(claim.name, numbers) for numbers in itertools.product(*choices))
    assert (account.contradiction(ranges) is None) == possible
