from __future__ import annotations

from hypothesis import given, strategies as st

from anamorph.model import AnswerReading
from anamorph.relations.pieces_add_up import PiecesAddUp
from tests.relations.readings import NO, YES, number, numbers, vague, yes_or_no

CLAIM = PiecesAddUp()


def test_numbers_of_pieces_are_summed() -> None:
    assert CLAIM.judge([number(4), number(1), number(3), number(0)]).outcome == "holds"
    verdict = CLAIM.judge([number(4), number(1), number(2)])
    assert verdict.violated == verdict.categories == ("cutting",)
    assert verdict.reason == "The pieces add up to 3 (1 + 2), but the whole is 4."


def test_is_there_any_is_the_or_of_the_pieces() -> None:
    assert CLAIM.judge([YES, NO, YES]).outcome == "holds"
    assert CLAIM.judge([NO, NO, NO]).outcome == "holds"
    verdict = CLAIM.judge([YES, NO, NO])
    assert verdict.outcome == "violated"
    assert verdict.reason == "The whole says yes, but its pieces together say no."


def test_is_there_none_is_the_and_of_the_pieces() -> None:
    claim = PiecesAddUp("is-there-no")
    assert claim.judge([YES, YES, YES]).outcome == "holds"
    assert claim.judge([NO, YES, NO]).outcome == "holds"
    assert claim.judge([NO, YES, YES]).outcome == "violated"
    assert claim.judge([YES, YES, NO]).outcome == "violated"


def test_a_yes_with_a_number_is_still_a_yes() -> None:
    with_number = AnswerReading("Yes, there is a dog.", 1, 1, yes=True)
    assert CLAIM.judge([with_number, with_number, with_number]).outcome == "holds"
    assert PiecesAddUp("how-many").judge([with_number, with_number, with_number]).outcome == "violated"


def test_vague_pieces_leave_it_open_unless_they_are_too_many() -> None:
    assert CLAIM.judge([number(9), vague(), number(2)]).outcome == "undecided"
    assert CLAIM.judge([number(3), vague(), number(2)]).outcome == "violated"


@given(st.lists(numbers, min_size=1, max_size=5))
def test_a_whole_that_is_the_sum_holds(pieces: list[AnswerReading]) -> None:
    whole = number(sum(piece.number or 0 for piece in pieces))
    assert CLAIM.judge([whole, *pieces]).outcome == "holds"


@given(yes_or_no, st.lists(yes_or_no, min_size=1, max_size=4), st.booleans())
def test_the_tables_of_the_paper(whole: AnswerReading, pieces: list[AnswerReading], negated: bool) -> None:
    claim = PiecesAddUp("is-there-no" if negated else "is-there")
    together = all(piece.yes for piece in pieces) if negated else any(piece.yes for piece in pieces)
    assert claim.judge([whole, *pieces]).outcome == ("holds" if whole.yes == together else "violated")
