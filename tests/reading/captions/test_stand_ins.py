from __future__ import annotations

import pytest

from anamorph.model.reading import CaptionReading
from tests.english import caption_reader


@pytest.mark.parametrize(
    ("text", "stand_in"),
    [
        ("Two dogs play. A third one sleeps.", "A third one"),
        ("One wears a red tie and the other a blue one.", "a blue one"),
        ("A dog sleeps, and another is barking.", "another"),
        ("Two dogs play, and two more are asleep.", "two more"),
    ],
)
def test_what_stands_for_a_noun_is_a_mention_of_its_own(text: str, stand_in: str) -> None:
    reading = caption_reader().read_text(text)
    assert isinstance(reading, CaptionReading)
    assert stand_in in [mention.text for mention in reading.mentions]


@pytest.mark.parametrize("text", ["One of them is asleep.", "one dog", "the first one", "no one"])
def test_a_bare_one_names_nothing_new(text: str) -> None:
    reading = caption_reader().read_text(text)
    assert isinstance(reading, CaptionReading)
    assert not [mention for mention in reading.mentions if mention.text.lower().endswith("one")]
