"""Our figures against those of scipy and scikit-learn, which the tests have and the product does without."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamorph.statistics.agreement import cohen
from anamorph.statistics.intervals import student, wilson

scipy_stats = pytest.importorskip("scipy.stats", reason="needs scipy, which scikit-learn brings")
metrics = pytest.importorskip("sklearn.metrics", reason="needs scikit-learn")


@given(st.integers(1, 5000), st.data())
def test_wilsons_interval_is_scipys(total: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, total))
    wanted = scipy_stats.binomtest(hits, total).proportion_ci(method="wilson")
    assert wilson(hits, total) == pytest.approx((wanted.low, wanted.high), abs=1e-6)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 6, 8, 12, 20, 50, 200, 5000])
def test_students_points_are_scipys(freedom: int) -> None:
    assert student(freedom) == pytest.approx(scipy_stats.t.ppf(0.975, freedom), abs=1e-3)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=60))
def test_cohens_kappa_is_scikit_learns(pairs: list[tuple[str, str]]) -> None:
    ours = cohen(pairs)
    if ours is None:
        assert len({each for pair in pairs for each in pair}) == 1
        return
    theirs = metrics.cohen_kappa_score(*zip(*pairs, strict=True))
    assert math.isclose(ours, theirs, abs_tol=1e-9)
