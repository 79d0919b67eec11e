from __future__ import annotations

import pytest

from anamorph.reading.totals import is_total


@pytest.mark.parametrize(
    ("text", "noun", "total"),
    [
        ("Only two dogs are on the grass.", "dogs", True),
        ("There are exactly three red cars.", "cars", True),
        ("three cats in total", "cats", True),
        ("There are three dogs in the image.", "dogs", True),
        ("There are three dogs visible in this photo", "dogs", True),
        ("three dogs playing", "dogs", False),
        ("There are three dogs in the image frame of a poster", "dogs", False),
        ("Two dogs only want to play", "dogs", False),
        ("There are three dogs playing in the picture book.", "dogs", False),
    ],
)
def test_a_number_is_all_there_is_only_where_the_text_says_so(text: str, noun: str, total: bool) -> None:
    start = text.index(noun)
    assert is_total(text, start, start + len(noun)) is total
