"""Samples of issues."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given, strategies as st

from anamorph.studies.review.sampling import Stratified, stratified_sample

ITEMS = [
    Stratified(f"{method}{cause}{n}", (method, "same-answer", ""), cause)
    for method, causes in (("rome", 8), ("metaic", 2))
    for cause in range(causes)
    for n in range(5)
]


def names(places: list[int], items: list[Stratified] = ITEMS) -> list[str]:
    return [items[place].name for place in places]


def test_strata_share_in_proportion_and_every_cause_comes_once_before_any_comes_twice() -> None:
    drawn = stratified_sample(ITEMS, 10, 0)
    assert Counter(ITEMS[place].stratum[0] for place in drawn) == {"rome": 8, "metaic": 2}
    assert len({(ITEMS[place].stratum, ITEMS[place].group) for place in drawn}) == 10


def test_a_small_stratum_has_one_issue_as_long_as_there_is_room() -> None:
    items = [Stratified(str(n), ("rome",), n) for n in range(1000)] + [Stratified("x", ("atom",), 0)]
    assert "x" in names(stratified_sample(items, 5, 0), items)
    assert len(stratified_sample(items, 1, 0)) == 1


def test_another_seed_draws_another_sample_and_the_same_one_the_same() -> None:
    assert stratified_sample(ITEMS, 10, 0) == stratified_sample(ITEMS, 10, 0)
    assert set(stratified_sample(ITEMS, 10, 0)) != set(stratified_sample(ITEMS, 10, 1))


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), max_size=40),
    st.integers(1, 50),
    st.integers(0, 5),
    st.randoms(),
)
def test_a_sample_has_the_size_that_was_asked_for_whatever_the_order(
    drawn: list[tuple[str, int]], most: int, seed: int, rng: random.Random
) -> None:
    items = [Stratified(f"{n:03}", (stratum,), cause) for n, (stratum, cause) in enumerate(drawn)]
    places = stratified_sample(items, most, seed)
    assert len(places) == len(set(places)) == min(most, len(items))
    shuffled = items[:]
    rng.shuffle(shuffled)
    assert names(stratified_sample(shuffled, most, seed), shuffled) == names(places, items)
