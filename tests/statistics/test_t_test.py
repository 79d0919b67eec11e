from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from anamorph.statistics.t_test import t_test


@given(
    st.lists(st.floats(-50, 50).map(lambda x: round(x, 3)), min_size=2, max_size=40), st.sampled_from((0.0, 0.5, 3.0))
)
def test_it_is_that_of_scipy(values: list[float], mean: float) -> None:
    stats = pytest.importorskip("scipy.stats")
    found = t_test(values, mean)
    if found is None:
        assert len(set(values)) < 2
        return
    other = stats.ttest_1samp(values, mean)
    assert found.t == pytest.approx(other.statistic, rel=1e-6, abs=1e-9)
    assert found.p_value == pytest.approx(other.pvalue, rel=1e-6, abs=1e-9)


def test_values_that_are_all_alike_have_no_test() -> None:
    assert t_test([1.0, 1.0, 1.0], 0.5) is None and t_test([1.0], 0.5) is None
