from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anamorph.statistics.agreement import cohen, fleiss, pairwise


def test_cohens_kappa_is_what_one_computes_by_hand() -> None:
    # 50 items: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no. Observed 0.7; by chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5.
    pairs = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    assert cohen(pairs) == pytest.approx(0.4)


def test_cohens_kappa_of_three_choices_is_what_one_computes_by_hand() -> None:
    # Observed 7 / 10; by chance (4 * 5 + 3 * 3 + 3 * 2) / 100 = 0.35.
    pairs = [*["ss"] * 3, "sw", *["ww"] * 2, "ws", *["ii"] * 2, "is"]
    assert cohen((pair[0], pair[1]) for pair in pairs) == pytest.approx((0.7 - 0.35) / 0.65)


def test_fleiss_kappa_is_that_of_a_known_example() -> None:
    # Ten items, fourteen raters, five choices; by hand: observed 0.378, by chance 0.213.
    table = [
        *((0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1)),
        *((7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7)),
    ]
    assert fleiss([dict(enumerate(row)) for row in table]) == pytest.approx(0.210, abs=0.0005)


def test_agreement_is_1_and_opposition_below_0() -> None:
    assert cohen([("a", "a"), ("b", "b")]) == 1.0 and fleiss([{"a": 3}, {"b": 3}]) == 1.0
    assert cohen([("a", "b"), ("b", "a")]) == -1.0


def test_where_chance_alone_makes_them_agree_there_is_no_kappa() -> None:
    assert cohen([]) is None and cohen([("a", "a")] * 5) is None
    assert fleiss([]) is None and fleiss([{"a": 2}, {"a": 2}]) is None


def test_items_judged_unequally_often_are_refused() -> None:
    with pytest.raises(ValueError, match=r"got \[2, 3\]"):
        fleiss([{"a": 2}, {"a": 3}])
    with pytest.raises(ValueError, match="at least 2"):
        fleiss([{"a": 1}, {"b": 1}])


def test_pairs_are_over_what_both_judged() -> None:
    judged = {"ann": {1: "s", 2: "w", 3: "i"}, "bob": {2: "w", 3: "i", 4: "s"}, "eve": {9: "s"}}
    assert pairwise(judged) == {("ann", "bob"): 1.0, ("ann", "eve"): None, ("bob", "eve"): None}  # type: ignore[arg-type]


@given(st.lists(st.tuples(st.sampled_from("swi"), st.sampled_from("swi")), min_size=1))
def test_kappa_is_symmetric_and_at_most_1(pairs: list[tuple[str, str]]) -> None:
    kappa = cohen(pairs)
    assert kappa == pytest.approx(cohen((other, one) for one, other in pairs))
    assert kappa is None or kappa <= 1
