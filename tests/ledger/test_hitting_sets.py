"""The lightest hitting set is as light as trying every set says."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings, strategies as st

from anamorph.ledger import hitting

MEMBERS = range(7)
ONES = dict.fromkeys(MEMBERS, 1)
families = st.lists(st.frozensets(st.sampled_from(MEMBERS), min_size=1, max_size=4), max_size=10)
weightings = st.just(ONES) | st.fixed_dictionaries({member: st.integers(1, 5) for member in MEMBERS})


@settings(max_examples=150, deadline=None)
@given(families, weightings)
def test_no_lighter_set_hits_the_family(family: list[frozenset[int]], weights: dict[int, int]) -> None:
    found = hitting.lightest_hitting_set(family, weights)
    assert found is not None
    every = [set(members) for size in range(len(MEMBERS) + 1) for members in combinations(MEMBERS, size)]
    lightest = min(sum(weights[key] for key in members) for members in every if all(each & members for each in family))
    assert all(found & each for each in family)
    assert sum(weights[key] for key in found) == lightest
    assert hitting.least_weight(family, weights) <= lightest


def test_members_of_many_sets_come_first_and_then_larger_members() -> None:
    family = [frozenset({1, 2}), frozenset({1, 3}), frozenset({5, 6})]
    assert hitting.lightest_hitting_set(family, ONES) == frozenset({1, 6})


def test_the_member_of_most_sets_is_left_out_where_two_others_do_without_it() -> None:
    family = [frozenset(each) for each in ({0, 1, 3}, {0, 1, 4}, {1, 3, 4}, {0, 2, 5}, {0, 2, 6}, {2, 5, 6})]
    assert hitting.lightest_hitting_set(family, ONES) == frozenset({1, 2})


def test_over_the_limit_there_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hitting, "BRANCH_LIMIT", 0)
    triangle = [frozenset({1, 2}), frozenset({2, 3}), frozenset({1, 3})]
    assert hitting.lightest_hitting_set(triangle, ONES) is None
