from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from anamorph.statistics.exact_tests import binomial, sign


def test_mendels_peas_come_out_as_in_conovers_book() -> None:
    """Conover 1971, Practical Nonparametric Statistics, page 97: 682 giant plants of 925, where Mendel expects three in
    four; R's manual of binom.test repeats the example, with p = 0.3825.
    """
    assert binomial(682, 925, 0.75) == pytest.approx(0.3825, abs=0.00005)


def test_the_legs_of_deer_come_out_as_in_zars_book() -> None:
    """Zar 1999, Biostatistical Analysis, the sign test: of ten deer, eight have longer hind legs; P = 0.10938."""
    assert sign(8, 2) == pytest.approx(0.10938, abs=0.00001)
    assert sign(2, 8) == sign(8, 2)


def test_an_even_split_surprises_nobody() -> None:
    assert sign(5, 5) == 1 and sign(0, 0) == 1
    assert sign(0, 10) == pytest.approx(2 / 2**10)


def test_certainties_are_exact() -> None:
    assert binomial(3, 3, 1.0) == 1 and binomial(2, 3, 1.0) == 0 and binomial(0, 3, 0.0) == 1


def test_more_hits_than_trials_are_refused() -> None:
    with pytest.raises(ValueError, match="got 4 of 3"):
        binomial(4, 3)


@given(st.integers(0, 200), st.data())
def test_a_p_value_is_from_0_to_1(total: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, total))
    assert 0 < binomial(hits, total) <= 1
