from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anamorph.statistics.intervals import clustered, merged, paired, student, wilson


def test_the_interval_of_independent_cases_is_wilsons() -> None:
    # By hand: p = 0.1, n = 50, z = 1.96.
    assert wilson(5, 50) == pytest.approx((0.0435, 0.2136), abs=0.0005)
    assert wilson(0, 10)[0] == 0.0 and wilson(10, 10)[1] == pytest.approx(1.0)


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_share(counts: tuple[int, int]) -> None:
    low, high = wilson(*counts)
    assert 0 <= low <= counts[0] / counts[1] + 1e-12 and counts[0] / counts[1] - 1e-12 <= high <= 1


@pytest.mark.parametrize(
    ("freedom", "point"),
    [(1, 12.7062), (4, 2.7764), (5, 2.5706), (7, 2.3646), (10, 2.2281), (30, 2.0423), (1000, 1.9623)],
)
def test_students_points_are_those_of_the_printed_tables(freedom: int, point: float) -> None:
    assert student(freedom) == pytest.approx(point, abs=0.0005)


def test_a_clustered_interval_is_what_one_computes_by_hand() -> None:
    # 4 photos of 10 cases, with 0, 10, 2 and 4 violated: rate 0.4, residuals -4, 6, -2, 0, variance 4/3 * 56 / 1600,
    # so 0.24 / 0.046667 = 5.143 effective cases, and (1.96 / 3.182)^2 of these for the few photos: 1.951.
    interval = clustered([(10, 0), (10, 10), (10, 2), (10, 4)])
    effective = 0.24 / (4 / 3 * 56 / 1600) * (1.959964 / 3.182446) ** 2
    assert interval == pytest.approx(wilson(0.4 * effective, effective), abs=1e-6)


def test_photos_that_agree_with_themselves_tell_no_more_than_one_case_each() -> None:
    many = clustered([(50, 50), (50, 0)] * 20)
    few = clustered([(1, 1), (1, 0)] * 20)
    assert many == pytest.approx(few)


def test_the_interval_is_never_narrower_than_that_of_independent_cases() -> None:
    balanced = clustered([(10, 3)] * 50)
    independent = wilson(150, 500)
    assert balanced is not None and balanced[0] <= independent[0] and independent[1] <= balanced[1]


def test_where_nothing_failed_the_number_of_photos_says_how_much_that_means() -> None:
    few, many = clustered([(100, 0)] * 5), clustered([(100, 0)] * 500)
    assert few is not None and many is not None
    assert few[0] == many[0] == 0.0
    assert few[1] > 0.4 and 0.007 < many[1] < 0.008


@pytest.mark.parametrize("clusters", [[], [(10, 3)], [(0, 0), (10, 3), (0, 0)]])
def test_one_photo_tells_nothing_of_others(clusters: list[tuple[int, int]]) -> None:
    assert clustered(clusters) is None


@given(st.lists(st.integers(0, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))), max_size=30))
def test_any_clustered_interval_holds_its_rate(clusters: list[tuple[int, int]]) -> None:
    interval = clustered(clusters)
    if interval is not None:
        rate = sum(v for _, v in clusters) / sum(d for d, _ in clusters)
        assert 0 <= interval[0] <= rate + 1e-12 and rate - 1e-12 <= interval[1] <= 1


def test_sums_by_photo_add_up_over_groups() -> None:
    assert merged([{1: (2, 1), 2: (3, 0)}, {2: (4, 4)}]) == {1: (2, 1), 2: (7, 4)}


# --- simulation: how often the interval holds the truth ---------------------------------------------------------------


def photos(rng: np.random.Generator, count: int, rate: float, likeness: float) -> list[tuple[int, int]]:
    """Photos with 1 to 19 cases each, whose outcomes correlate by `likeness` within a photo (beta-binomial)."""
    sizes = rng.integers(1, 20, count)
    own = rng.beta(rate * (1 - likeness) / likeness, (1 - rate) * (1 - likeness) / likeness, count)
    return list(zip(sizes.tolist(), rng.binomial(sizes, own).tolist(), strict=True))


@pytest.mark.parametrize(
    ("count", "rate", "likeness"), [(100, 0.1, 0.3), (100, 0.3, 0.8), (30, 0.5, 0.3), (400, 0.1, 0.8)]
)
def test_about_95_of_100_intervals_hold_the_truth_where_the_plain_one_is_far_too_narrow(
    count: int, rate: float, likeness: float
) -> None:
    rng, rounds = np.random.default_rng(6), 600
    right = naive = 0
    for _ in range(rounds):
        sample = photos(rng, count, rate, likeness)
        interval = clustered(sample)
        assert interval is not None
        right += interval[0] <= rate <= interval[1]
        low, high = wilson(sum(v for _, v in sample), sum(d for d, _ in sample))
        naive += low <= rate <= high
    assert 0.92 <= right / rounds <= 0.98
    assert naive / rounds < 0.75


def test_few_photos_make_wide_intervals_rather_than_wrong_ones() -> None:
    rng, rounds = np.random.default_rng(2), 600
    for count in (3, 5, 10):
        samples = [photos(rng, count, 0.3, 0.3) for _ in range(rounds)]
        intervals = [interval for sample in samples if (interval := clustered(sample)) is not None]
        assert sum(low <= 0.3 <= high for low, high in intervals) / rounds > 0.9


def test_about_95_of_100_intervals_of_a_difference_hold_it() -> None:
    rng, rounds, right = np.random.default_rng(3), 600, 0
    for _ in range(rounds):
        sizes = rng.integers(1, 20, 80)
        hard = rng.beta(1, 2, 80)
        # The second system fails on a case of a photo half as often as the first.
        first, second = rng.binomial(sizes, hard), rng.binomial(sizes, hard / 2)
        _, interval = paired(list(zip(sizes.tolist(), first.tolist(), second.tolist(), strict=True)))
        assert interval is not None
        right += interval[0] <= -1 / 6 <= interval[1]
    assert 0.92 <= right / rounds <= 0.98


# --- differences of two systems ---------------------------------------------------------------------------------------


def test_a_paired_interval_is_what_one_computes_by_hand() -> None:
    # Differences 2, 0, 1 of 4 cases each: mean 0.25, residuals 1, -1, 0, variance 3/2 * 2 / 144.
    difference, interval = paired([(4, 1, 3), (4, 2, 2), (4, 0, 1)])
    assert difference == pytest.approx(0.25)
    reach = 4.302653 * math.sqrt(1.5 * 2) / 12
    assert interval == pytest.approx((0.25 - reach, 0.25 + reach), abs=1e-5)


def test_systems_that_never_differ_may_yet_do_so_elsewhere() -> None:
    difference, interval = paired([(3, 1, 1)] * 40)
    assert difference == 0 and interval is not None
    assert interval[0] == -interval[1] and 0.05 < interval[1] < 0.12


def test_a_difference_needs_shared_cases_and_two_photos() -> None:
    assert paired([]) == (0.0, None)
    assert paired([(4, 1, 3)]) == (0.5, None)
