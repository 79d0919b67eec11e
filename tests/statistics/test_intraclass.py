from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from anamorph.statistics.intraclass import Form, f_quantile, intraclass, mean_squares

# Shrout and Fleiss 1979, Intraclass correlations: uses in assessing rater reliability, Psychological Bulletin 86, table
# 2: six targets (rows) rated by four judges (columns).
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def test_the_mean_squares_are_those_of_shrout_and_fleiss() -> None:
    """Their table 3: BMS 11.24, WMS 6.26, JMS 32.49, EMS 1.02."""
    squares = mean_squares(SHROUT_FLEISS)
    found = (squares.between, squares.within, squares.raters, squares.residual)
    assert found == pytest.approx((11.24, 6.26, 32.49, 1.02), abs=0.005)


@pytest.mark.parametrize(
    ("form", "averaged", "name", "wanted"),
    [
        (1, False, "ICC(1,1)", 0.17),
        (2, False, "ICC(2,1)", 0.29),
        (3, False, "ICC(3,1)", 0.71),
        (1, True, "ICC(1,4)", 0.44),
        (2, True, "ICC(2,4)", 0.62),
        (3, True, "ICC(3,4)", 0.91),
    ],
)
def test_all_six_forms_are_those_of_shrout_and_fleiss(form: Form, averaged: bool, name: str, wanted: float) -> None:
    """Their table 4."""
    found = intraclass(SHROUT_FLEISS, form, averaged=averaged)
    assert found is not None and found.name == name
    assert found.value == pytest.approx(wanted, abs=0.005)


@pytest.mark.parametrize(
    ("form", "averaged", "low", "high"),
    [
        (1, False, -0.133, 0.72),
        (2, False, 0.019, 0.76),
        (3, False, 0.342, 0.95),
        (1, True, -0.884, 0.91),
        (2, True, 0.071, 0.93),
        (3, True, 0.676, 0.99),
    ],
)
def test_the_intervals_are_those_of_the_package_psych(form: Form, averaged: bool, low: float, high: float) -> None:
    """The same ratings are the example of `ICC` in R's package psych (Revelle), which prints these 95 % bounds."""
    found = intraclass(SHROUT_FLEISS, form, averaged=averaged)
    assert found is not None
    assert found.interval[0] == pytest.approx(low, abs=0.0006)
    assert found.interval[1] == pytest.approx(high, abs=0.006)


@pytest.mark.parametrize(
    ("first", "second", "wanted"), [(1, 1, 647.79), (5, 10, 4.24), (4, 20, 3.51), (10, 120, 2.16), (30, 30, 2.07)]
)
def test_the_points_of_f_are_those_of_printed_tables(first: int, second: int, wanted: float) -> None:
    """The upper 2.5 % points of Merrington and Thompson 1943, as every textbook prints them."""
    assert f_quantile(0.975, first, second) == pytest.approx(wanted, abs=0.006)


def test_raters_who_agree_exactly_have_a_correlation_of_1() -> None:
    for form in (1, 2, 3):
        found = intraclass([[1, 1], [2, 2], [4, 4]], form)
        assert found is not None and found.value == 1 and found.interval == (1, 1)


def test_a_rater_who_is_always_one_lower_is_consistent_but_does_not_agree() -> None:
    ratings = [[1, 2], [2, 3], [3, 4], [4, 5]]
    consistent, agreeing = intraclass(ratings, 3), intraclass(ratings, 2)
    assert consistent is not None and consistent.value == pytest.approx(1)
    assert agreeing is not None and agreeing.value < 0.8


def test_where_nothing_varies_there_is_no_correlation() -> None:
    assert intraclass([[3, 3], [3, 3]], 2) is None
    assert intraclass([], 2) is None and intraclass([[1, 2]], 2) is None and intraclass([[1], [2]], 1) is None


def test_a_missing_rating_is_refused() -> None:
    with pytest.raises(ValueError, match="same number of ratings"):
        intraclass([[1, 2], [3]], 2)


@given(st.lists(st.lists(st.integers(1, 4), min_size=3, max_size=3), min_size=2, max_size=12))
def test_a_correlation_lies_in_its_interval(ratings: list[list[int]]) -> None:
    for form in (1, 2, 3):
        found = intraclass(ratings, form)
        if found is not None:
            assert found.value <= 1 + 1e-9
            assert found.interval[0] - 1e-9 <= found.value <= found.interval[1] + 1e-9
