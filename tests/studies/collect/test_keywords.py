from __future__ import annotations

import itertools

import pytest
from hypothesis import given, strategies as st

from anamorph.errors import UnknownName
from anamorph.model import Label, LabelSpace
from anamorph.reading.labels import label_space
from anamorph.studies.collect.keywords import _by_total, keywords

SPACE = LabelSpace(
    "toy",
    (
        Label("bicycle", "vehicle", ("bike", "cycle")),
        Label("cake", "food", ("gateau",)),
        Label("person"),
    ),
)


def test_the_default_keyword_is_first_and_the_simple_one_last() -> None:
    queries = list(keywords(("bicycle", "cake"), SPACE))
    assert queries[0].words == queries[-1].words == ("bicycle", "cake")
    assert [query.simple for query in queries] == [False] * 6 + [True]
    products = {query.words for query in queries[:-1]}
    assert products == set(itertools.product(("bicycle", "bike", "cycle"), ("cake", "gateau")))


def test_every_term_has_its_super_category_or_itself() -> None:
    (first, *_) = keywords(("cake", "person"), SPACE)
    assert [term.category for term in first.terms] == ["food", "person"]


def test_a_cut_leaves_the_far_fetched_out_and_keeps_the_simple_one() -> None:
    queries = list(keywords(("bicycle", "cake"), SPACE, 3))
    assert [query.words for query in queries[:3]] == [("bicycle", "cake"), ("bicycle", "gateau"), ("bike", "cake")]
    assert len(queries) == 4 and queries[-1].simple


def test_a_product_of_millions_is_not_held() -> None:
    queries = keywords(("dog", "person", "tv", "zebra"), label_space("coco"), 5)
    assert len(list(queries)) == 6


def test_an_unknown_label_is_named() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'bicycle'"):
        list(keywords(("bycicle",), SPACE))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_every_choice_comes_once_by_its_total(sizes: list[int]) -> None:
    places = list(_by_total(sizes))
    assert sorted(places) == sorted(itertools.product(*map(range, sizes)))
    assert [sum(place) for place in places] == sorted(sum(place) for place in places)
