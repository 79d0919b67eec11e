"""Our figures against those of scipy and scikit-learn, which the tests have and the product does without."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, strategies as st

from anamorph.statistics.agreement import cohen
from anamorph.statistics.exact_tests import binomial
from anamorph.statistics.intervals import student, wilson
from anamorph.statistics.intraclass import f_quantile


# Imported by the tests, because that takes seconds of every worker's collection.
def scipy_stats() -> Any:
    return pytest.importorskip("scipy.stats", reason="needs scipy, which scikit-learn brings")


def metrics() -> Any:
    return pytest.importorskip("sklearn.metrics", reason="needs scikit-learn")


@given(st.integers(1, 5000), st.data())
def test_wilsons_interval_is_scipys(total: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, total))
    wanted = scipy_stats().binomtest(hits, total).proportion_ci(method="wilson")
    assert wilson(hits, total) == pytest.approx((wanted.low, wanted.high), abs=1e-6)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 6, 8, 12, 20, 50, 200, 5000])
def test_students_points_are_scipys(freedom: int) -> None:
    assert student(freedom) == pytest.approx(scipy_stats().t.ppf(0.975, freedom), abs=1e-3)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=60))
def test_cohens_kappa_is_scikit_learns(pairs: list[tuple[str, str]]) -> None:
    ours = cohen(pairs)
    if ours is None:
        assert len({each for pair in pairs for each in pair}) == 1
        return
    theirs = metrics().cohen_kappa_score(*zip(*pairs, strict=True))
    assert math.isclose(ours, theirs, abs_tol=1e-9)


@given(st.integers(0, 400), st.floats(0.01, 0.99), st.data())
def test_the_exact_test_is_scipys(total: int, share: float, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, total))
    wanted = scipy_stats().binomtest(hits, total, share).pvalue if total else 1.0
    assert binomial(hits, total, share) == pytest.approx(wanted, rel=1e-6, abs=1e-12)


@given(st.floats(1, 300), st.floats(1, 300))
def test_the_points_of_f_are_scipys(first: float, second: float) -> None:
    assert f_quantile(0.975, first, second) == pytest.approx(scipy_stats().f.ppf(0.975, first, second), rel=1e-6)
