from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from anamorph.statistics.agreement import cohen, fleiss, jackknifed, pairwise


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


# Fleiss 1971, Measuring nominal scale agreement among many raters, Psychological Bulletin 76, table 1: how many of six
# psychiatrists gave each of 30 patients each of five diagnoses. The article finds a kappa of .430.
FLEISS_1971 = [
    *((0, 0, 0, 6, 0), (0, 3, 0, 0, 3), (0, 1, 4, 0, 1), (0, 0, 0, 0, 6), (0, 3, 0, 3, 0), (2, 0, 4, 0, 0)),
    *((0, 0, 4, 0, 2), (2, 0, 3, 1, 0), (2, 0, 0, 4, 0), (0, 0, 0, 0, 6), (1, 0, 0, 5, 0), (1, 1, 0, 4, 0)),
    *((0, 3, 3, 0, 0), (1, 0, 0, 5, 0), (0, 2, 0, 3, 1), (0, 0, 5, 0, 1), (3, 0, 0, 1, 2), (5, 1, 0, 0, 0)),
    *((0, 2, 0, 4, 0), (1, 0, 2, 0, 3), (0, 0, 0, 0, 6), (0, 1, 0, 5, 0), (0, 2, 0, 1, 3), (2, 0, 0, 4, 0)),
    *((1, 0, 0, 4, 1), (0, 5, 0, 1, 0), (4, 0, 0, 0, 2), (0, 2, 0, 4, 0), (1, 0, 5, 0, 0), (0, 0, 0, 0, 6)),
]

# Cohen 1960, A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20: two
# clinicians on 200 patients, three diagnoses; the article finds a kappa of .492, with a standard error of about .055.
COHEN_1960 = [
    (first, second)
    for first, row in enumerate(((88, 10, 2), (14, 40, 6), (18, 10, 12)))
    for second, count in enumerate(row)
    for _ in range(count)
]


def test_fleiss_kappa_is_that_of_the_article_of_1971() -> None:
    assert [sum(column) for column in zip(*FLEISS_1971, strict=True)] == [26, 26, 30, 55, 43]
    assert fleiss([dict(enumerate(row)) for row in FLEISS_1971]) == pytest.approx(0.430, abs=0.0005)


def test_cohens_kappa_is_that_of_the_article_of_1960() -> None:
    assert cohen(COHEN_1960) == pytest.approx(0.492, abs=0.0005)


def test_the_interval_of_kappa_is_about_that_of_the_article_of_1960() -> None:
    interval = jackknifed([[pair] for pair in COHEN_1960], cohen)
    assert interval is not None
    low, high = interval
    # Cohen's formula is a simple one that errs to the large side (Fleiss, Cohen and Everitt 1969).
    assert 0.9 < (high - low) / 2 / 1.96 / 0.055 < 1
    assert (low + high) / 2 == pytest.approx(0.492, abs=0.0005)


def test_items_that_stand_together_make_the_interval_wider() -> None:
    """Four copies of each item are worth no more than the item; taken for themselves, they halve the interval."""
    alone = jackknifed([[pair] for pair in COHEN_1960[::4]], cohen)
    copies = jackknifed([[pair] * 4 for pair in COHEN_1960[::4]], cohen)
    apart = jackknifed([[pair] for pair in COHEN_1960[::4] for _ in range(4)], cohen)
    assert alone is not None and copies is not None and apart is not None
    assert copies == pytest.approx(alone)
    assert (apart[1] - apart[0]) / (copies[1] - copies[0]) == pytest.approx(0.5, abs=0.02)


def test_there_is_no_interval_where_there_is_no_kappa() -> None:
    assert jackknifed([], cohen) is None and jackknifed([[(1, 1), (1, 2)]], cohen) is None
    # Without the one item that differs, both would always choose the same.
    assert jackknifed([[(1, 1)], [(1, 1)], [(1, 2)]], cohen) is None


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
