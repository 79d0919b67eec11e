from __future__ import annotations

import pytest

from tests.reading.captions.conftest import Classes


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("a dog", "1"),
        ("one dog", "1"),
        ("the dog", "1"),
        ("two dogs", "2"),
        ("both dogs", "2"),
        ("a couple of dogs", "2"),
        ("a pair of dogs", "2"),
        ("dogs", "2+"),
        ("some dogs", "2+"),
        ("several dogs", "2+"),
        ("a group of dogs", "2+"),
        ("lots of dogs", "2+"),
        ("dozens of dogs", "24+"),
        ("a dozen dogs", "12"),
        ("half a dozen dogs", "6"),
        ("hundreds of dogs", "200+"),
        ("at least three dogs", "3+"),
        ("more than three dogs", "4+"),
        ("at most three dogs", "0-3"),
        ("up to three dogs", "0-3"),
        ("between 3 and 5 dogs", "3-5"),
        ("three or four dogs", "3-4"),
        ("no dogs", "0"),
        ("a group of four dogs", "4"),
        ("two groups of dogs", "2+"),
        ("a 3 year old dog", "1"),
    ],
)
def test_an_amount_before_a_noun_is_an_interval(classes: Classes, text: str, number: str) -> None:
    assert classes(f"There are {text} in a field." if text[-1] == "s" else f"{text} in a field") == {"dog": number}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a 4 wheel drive truck", {"truck": "1"}),
        ("a 1967 sedan", {"car": "1"}),
        ("a pair of skis", {"skis": "1"}),
        ("two pairs of skis", {"skis": "2"}),
        ("a pair of scissors", {"scissors": "1"}),
        ("some steamed broccoli", {"broccoli": "1+"}),
        ("two pieces of broccoli", {"broccoli": "2"}),
        ("Three guinea fowl walk on the grass", {"bird": "3"}),
        ("a guinea fowl pecks at the grass", {"bird": "1"}),
        ("a flock of guinea fowl", {"bird": "2+"}),
        ("a man eating pizza", {"person": "1", "pizza": "1+"}),
        ("a slice of pizza", {"pizza": "1"}),
        ("three slices of pizza", {"pizza": "3"}),
        ("a crowd of people", {"person": "2+"}),
        ("a family", {"person": "2+"}),
        ("a family of four is posing", {"person": "4"}),
        ("a family of elephants", {"elephant": "2+"}),
        ("a couple on a bench", {"person": "2", "bench": "1"}),
        ("a girl and her parents", {"person": "3"}),
        ("a horse-drawn carriage", {"horse": "1+"}),
    ],
)
def test_pairs_masses_and_gatherings(classes: Classes, text: str, expected: dict[str, str]) -> None:
    assert classes(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Three hikers, each with a backpack, rest.", {"person": "3", "backpack": "3"}),
        ("Two cups with a spoon beside each.", {"cup": "2", "spoon": "2"}),
        ("Three plates, each with a slice of pizza on it.", {"pizza": "3"}),
        ("A man with a parrot on each shoulder.", {"person": "1", "bird": "2"}),
    ],
)
def test_what_each_has_is_there_as_often(classes: Classes, text: str, expected: dict[str, str]) -> None:
    assert classes(text) == expected
