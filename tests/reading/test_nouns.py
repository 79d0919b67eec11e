from __future__ import annotations

import pytest

from anamorph.reading.nouns import article, counted, enumerated


@pytest.mark.parametrize(
    ("label", "count", "phrase"),
    [
        ("dog", 1, "a dog"),
        ("orange", 1, "an orange"),
        ("person", 2, "two people"),
        ("scissors", 1, "a pair of scissors"),
        ("skis", 3, "three pairs of skis"),
        ("broccoli", 1, "a piece of broccoli"),
        ("clothes", 4, "four pieces of clothing"),
        ("sheep", 12, "twelve sheep"),
        ("sheep", 13, "13 sheep"),
        ("dog", 0, "0 dogs"),
    ],
)
def test_a_number_of_a_class_is_plain_english(label: str, count: int, phrase: str) -> None:
    assert counted(label, count) == phrase


def test_the_sound_decides_on_the_article() -> None:
    words = ("umbrella", "unicycle", "hourglass", "horse", "oven", "one-way sign", "apple", "TV", "euro")
    assert [article(word) for word in words] == ["an", "a", "an", "a", "an", "a", "an", "a", "a"]


def test_phrases_are_listed_with_commas_and_an_and() -> None:
    assert [enumerated(["a", "b", "c"][:count]) for count in range(4)] == ["", "a", "a and b", "a, b and c"]
