from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from anamorph.reading.labels import label_space
from anamorph.reading.morphology import plural_of, singular_of
from anamorph.reading.quantity import number_of


@pytest.mark.parametrize(
    ("plural", "singular"),
    [
        ("cows", "cow"),
        ("glasses", "glass"),
        ("buses", "bus"),
        ("people", "person"),
        ("men", "man"),
        ("women", "woman"),
        ("geese", "goose"),
        ("knives", "knife"),
        ("leaves", "leaf"),
        ("dishes", "dish"),
        ("horses", "horse"),
        ("cookies", "cookie"),
        ("ladies", "lady"),
        ("frisbees", "frisbee"),
        ("selfies", "selfie"),
        ("snowboarders", "snowboarder"),
    ],
)
def test_a_plural_leads_to_its_singular(plural: str, singular: str) -> None:
    assert singular_of(plural) == singular


@pytest.mark.parametrize(
    "word", ["bus", "grass", "tennis", "dog", "gas", "christmas", "this", "glass", "sheep", "scissors"]
)
def test_a_word_that_only_ends_in_s_is_no_plural(word: str) -> None:
    assert singular_of(word) is None


def test_the_plurals_of_all_coco_classes_lead_back() -> None:
    for name in label_space("coco").names:
        last = plural_of(name).split()[-1]
        assert (singular_of(last) or last) == name.split()[-1] or name == "skis"


@pytest.mark.parametrize(
    ("noun", "plural"),
    [
        ("person", "people"),
        ("sheep", "sheep"),
        ("glass", "glasses"),
        ("wine glass", "wine glasses"),
        ("knife", "knives"),
        ("bus", "buses"),
        ("scissors", "scissors"),
        ("policeman", "policemen"),
        ("toothbrush", "toothbrushes"),
        ("baby", "babies"),
        ("toy", "toys"),
        ("human", "humans"),
    ],
)
def test_plurals_are_correct_english(noun: str, plural: str) -> None:
    assert plural_of(noun) == plural


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("two", 2),
        ("7", 7),
        ("1,000", 1000),
        ("twenty one", 21),
        ("twenty-one", 21),
        ("one hundred and five", 105),
        ("two thousand three hundred", 2300),
        ("dozen", 12),
        ("2-3", None),
        ("two three", None),
        ("twenty thirty", None),
        ("dogs", None),
        ("", None),
        ("1.5", None),
    ],
)
def test_number_words(words: str, number: int | None) -> None:
    assert number_of(words.split()) == number


@given(st.integers(0, 10**9 - 1))
def test_digits_are_the_number_they_write(number: int) -> None:
    assert number_of([str(number)]) == number
    assert number_of([f"{number:,}"]) == number


@given(st.text(max_size=30))
def test_any_word_has_a_plural_and_perhaps_a_singular(word: str) -> None:
    assert isinstance(plural_of(word), str)
    assert singular_of(word) != ""
