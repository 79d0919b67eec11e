from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from anamorph.reading.labels import label_space
from anamorph.studies.label_errors.misspellings import _distance, near_miss

COCO = label_space("coco")


@pytest.mark.parametrize(
    ("text", "label", "word"),
    [
        ("a at sleeps on a sofa", "cat", "at"),
        ("two girrafes by a tree", "giraffe", "girrafes"),
        ("a zerba stands alone", "zebra", "zerba"),
        ("a man on a motrocycle", "motorcycle", "motrocycle"),
        ("an elphant and a bird", "elephant", "elphant"),
        ("The dgo runs", "dog", "dgo"),
    ],
)
def test_a_slip_of_a_letter_or_two_is_found_where_it_stands(text: str, label: str, word: str) -> None:
    found = near_miss(text, COCO.label(label))
    assert found is not None and text[found[0] : found[1]] == word


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("a man looks at a car", "cat"),
        ("a boat on the water", "cat"),
        ("the ten speed bike", "person"),
        ("a horse", "horse"),
        ("a coat on a chair", "boat"),
        ("", "dog"),
    ],
)
def test_a_word_that_english_has_is_no_slip(text: str, label: str) -> None:
    assert near_miss(text, COCO.label(label)) is None


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_the_distance_is_the_same_both_ways_and_zero_only_for_equal_words(one: str, other: str) -> None:
    assert _distance(one, other) == _distance(other, one)
    assert (_distance(one, other) == 0) == (one == other)
    assert abs(len(one) - len(other)) <= _distance(one, other) <= max(len(one), len(other))


def test_swapped_neighbours_are_one_slip() -> None:
    assert _distance("zerba", "zebra") == 1 and _distance("cat", "act") == 1 and _distance("cat", "dog") == 3
