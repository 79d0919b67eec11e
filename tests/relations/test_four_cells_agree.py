from __future__ import annotations

import pytest

from anamorph.model import Reading
from anamorph.relations.four_cells_agree import FourCellsAgree
from tests.relations.readings import NO, UNREADABLE, YES, number, vague


@pytest.mark.parametrize(
    ("others", "cells", "axis"),
    [
        ((3, 2, 3), ("image", "both"), "image-breaks"),
        ((2, 3, 3), ("question", "both"), "question-breaks"),
        ((3, 4, 2), ("image", "question"), "each-breaks"),
        ((2, 2, 3), ("both",), "together-break"),
    ],
)
def test_the_category_says_which_axis_breaks_the_answer(
    others: tuple[int, ...], cells: tuple[str, ...], axis: str
) -> None:
    verdict = FourCellsAgree().judge([number(2), *map(number, others)])
    assert (verdict.outcome, verdict.violated, verdict.categories) == ("violated", cells, (axis,))


def test_the_evidence_is_the_first_broken_cell() -> None:
    verdict = FourCellsAgree().judge([number(2), number(2), number(5), number(2)])
    assert [(each.probe, each.text) for each in verdict.evidence] == [(0, "2"), (2, "5")]
    assert verdict.reason == "The answer changed from 2 to 5 although the question is only reworded."


@pytest.mark.parametrize(
    ("readings", "outcome"),
    [
        pytest.param([number(2)] * 4, "holds", id="all-agree"),
        pytest.param([number(2), number(2), UNREADABLE, number(2)], "undecided", id="one-cannot-be-read"),
        pytest.param([UNREADABLE, number(2), number(3), number(2)], "undecided", id="the-clean-one-cannot-be-read"),
        pytest.param([number(2), vague("many"), number(2), number(2)], "undecided", id="a-vague-number"),
        pytest.param([YES, NO, YES, YES], "violated", id="a-yes-becomes-a-no"),
    ],
)
def test_a_cell_that_cannot_be_decided_is_never_a_pass(readings: list[Reading], outcome: str) -> None:
    assert FourCellsAgree().judge(readings).outcome == outcome


def test_a_broken_cell_counts_although_another_is_open_and_no_axis_is_named() -> None:
    verdict = FourCellsAgree().judge([number(2), number(3), UNREADABLE, number(3)])
    assert (verdict.outcome, verdict.violated, verdict.categories) == ("violated", ("image", "both"), ("axis-open",))
