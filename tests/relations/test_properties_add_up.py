from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamorph.model import AnswerReading, Reading
from anamorph.relations.properties_add_up import PropertiesAddUp
from tests.relations.expectations import SUMS, expect_a_sum_to_be_judged, expect_the_evidence_of_a_wrong_sum
from tests.relations.readings import amounts

CLAIM = PropertiesAddUp()


@pytest.mark.parametrize(("readings", "outcome", "reason"), SUMS)
def test_the_parts_add_up(readings: list[Reading], outcome: str, reason: str) -> None:
    verdict = CLAIM.judge(readings)
    assert verdict.outcome == outcome and verdict.reason.endswith(reason)


def test_a_wrong_sum_shows_every_answer() -> None:
    expect_the_evidence_of_a_wrong_sum(CLAIM, "property-partition")


@given(amounts, st.lists(amounts, min_size=1, max_size=4))
def test_it_holds_exactly_when_the_sum_is_right_or_vague(whole: AnswerReading, parts: list[AnswerReading]) -> None:
    expect_a_sum_to_be_judged(CLAIM, whole, parts)
