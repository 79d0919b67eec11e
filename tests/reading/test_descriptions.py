from __future__ import annotations

import re

import pytest

from anamorph.reading.descriptions import described_as, exclude_each_other


def of(text: str, noun: str) -> set[str]:
    found = re.search(rf"\b{noun}\b", text)
    assert found is not None
    return set(described_as(text, *found.span()))


@pytest.mark.parametrize(
    ("text", "noun", "words"),
    [
        ("A red bus.", "bus", {"red"}),
        ("A red and white bus.", "bus", {"red", "white"}),
        ("A black, white and brown dog.", "dog", {"black", "white", "brown"}),
        ("A gray cat.", "cat", {"grey"}),
        ("A woman waving.", "woman", {"waving"}),
        ("A Woman Standing and waving at a bus.", "Woman", {"standing", "waving"}),
        ("A man who is seated on a couch.", "man", {"sitting"}),
        ("The bus is red and white.", "bus", {"red", "white"}),
        ("A sleeping dog.", "dog", {"sleeping"}),
        ("Two sitting brown dogs.", "dogs", {"sitting", "brown"}),
        # What is said of something else, or not said of it.
        ("People reading books.", "books", set()),
        ("A man in a red shirt.", "man", set()),
        ("A man next to a woman sitting.", "man", set()),
        ("A man not sitting.", "man", set()),
        ("A red brick house with a bus.", "bus", set()),
        ("A bus, red flags and a dog.", "bus", set()),
        ("bus", "bus", set()),
    ],
)
def test_colours_and_deeds_belong_to_the_noun_they_stand_beside(text: str, noun: str, words: set[str]) -> None:
    assert of(text, noun) == words


def test_a_long_text_is_not_read_to_its_end() -> None:
    text = "a red " * 100_000 + "bus is red" + " and white" * 100_000
    assert of(text, "bus") == {"red", "white"}


@pytest.mark.parametrize(
    ("one", "other", "exclusive"),
    [
        ({"sitting"}, {"standing"}, True),
        ({"lying"}, {"running"}, True),
        ({"standing"}, {"walking"}, False),
        ({"sitting"}, {"lying"}, False),
        ({"waving"}, {"standing"}, False),
        ({"sitting", "standing"}, {"standing"}, False),
        ({"red"}, {"blue"}, False),
        (set(), {"standing"}, False),
    ],
)
def test_only_postures_that_nobody_can_have_at_once_exclude_each_other(
    one: set[str], other: set[str], exclusive: bool
) -> None:
    assert exclude_each_other(frozenset(one), frozenset(other)) is exclusive
    assert exclude_each_other(frozenset(other), frozenset(one)) is exclusive
