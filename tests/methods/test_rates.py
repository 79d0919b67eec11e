from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamorph.methods.rates import rate_cells, wilson
from anamorph.model import Tally


def test_the_interval_is_wilsons() -> None:
    # By hand: p = 0.1, n = 50, z = 1.96.
    assert wilson(5, 50) == pytest.approx((0.0435, 0.2136), abs=0.0002)
    assert wilson(0, 10)[0] == 0.0 and wilson(10, 10)[1] == pytest.approx(1.0)


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_share(counts: tuple[int, int]) -> None:
    low, high = wilson(*counts)
    assert 0 <= low <= counts[0] / counts[1] + 1e-12 and counts[0] / counts[1] - 1e-12 <= high <= 1


def test_undecided_cases_count_for_no_rate_but_are_shown() -> None:
    tallies = [Tally("m", "r", {}, holds=30, violated=4, undecided=5), Tally("m", "r", {}, 15, 1, 0)]
    assert rate_cells(tallies) == (55, 5, "5 (9.1%)", "10.0%", "4.3 to 21.4%")


def test_nothing_to_count_is_a_dash() -> None:
    assert rate_cells([]) == (0, 0, "0", "-", "-")
    assert rate_cells([Tally("m", "r", {}, 0, 0, 2)]) == (2, 0, "2 (100.0%)", "-", "-")
