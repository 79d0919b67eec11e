from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from anamorph.reading.amounts import find_amounts
from anamorph.reading.tokens import tokenize


def amounts(text: str) -> list[tuple[int, int | None]]:
    return [(amount.least, amount.most) for amount in find_amounts(tokenize(text).lowers) if amount.kind != "article"]


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("two", 2, 2),
        ("Three (3)", 3, 3),
        ("twenty-one", 21, 21),
        ("half a dozen", 6, 6),
        ("a couple", 2, 2),
        ("at least three", 3, None),
        ("more than three", 4, None),
        ("no more than three", 0, 3),
        ("fewer than three", 0, 2),
        ("3+", 3, None),
        ("3 or more", 3, None),
        ("between 3 and 5", 3, 5),
        ("3-5", 3, 5),
        ("three or four", 3, 4),
        ("two, maybe three", 2, 3),
        ("several", 2, None),
        ("dozens", 24, None),
        ("not a single one", 0, 0),
        ("none", 0, 0),
        ("1, 2, 3, 4", 4, 4),
        ("2x", 2, 2),
        ("all but one of the six", 5, 5),
        ("half of the eight", 4, 4),
    ],
)
def test_an_amount_is_an_interval(text: str, least: int, most: int | None) -> None:
    assert amounts(text) == [(least, most)]


def test_about_ten_is_around_ten() -> None:
    for text in ("about ten", "10 or so", "~10", "nearly ten"):
        ((least, most),) = amounts(text)
        assert most is not None and least < 10 <= most


@given(
    st.lists(
        st.sampled_from(
            [
                "a",
                "two",
                "or",
                "three",
                "10",
                "-",
                "(",
                ")",
                "at",
                "least",
                ",",
                "and",
                "no",
                "more",
                "than",
                "dozen",
                "half",
                "of",
                "the",
                "x",
            ]
        ),
        max_size=12,
    )
)
def test_amounts_lie_side_by_side_within_the_text(words: list[str]) -> None:
    end = -1
    for amount in find_amounts(words):
        assert end < amount.first <= amount.last < len(words)
        assert amount.most is None or amount.least <= amount.most
        end = amount.last
