from __future__ import annotations

import pytest

from anamorph.model.reading import AnswerReading
from anamorph.readers.answer.reader import AnswerReader


@pytest.mark.parametrize(
    ("question", "answer", "so"),
    [
        ("Is the door open?", "The door is closed.", False),
        ("Is the TV on?", "The TV is on.", True),
        ("Is the cat looking at the camera?", "The cat isn't looking at the camera.", False),
        ("Is the woman holding an umbrella?", "She is holding a bag, not an umbrella.", False),
        ("Is the street wet?", "It appears to be wet.", True),
        ("Are the lights on?", "They are not.", False),
        ("Are there more cats than dogs?", "Yes, there are two cats and only one dog.", True),
        ("Has the food been eaten?", "It looks like it has been eaten.", True),
    ],
)
def test_a_sentence_says_whether_it_is_so(question: str, answer: str, so: bool) -> None:
    reading = AnswerReader().read_text(answer, question)
    assert isinstance(reading, AnswerReading)
    assert (reading.whether, reading.there, reading.yes) == (True, so, so)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is the bus red or blue?", "The bus is red."),
        ("Is the sky cloudy?", "The sky is above the sea."),
        ("Is the man asleep?", "I cannot tell whether the man is asleep."),
    ],
)
def test_what_does_not_say_it_is_not_read(question: str, answer: str) -> None:
    assert not isinstance(AnswerReader().read_text(answer, question), AnswerReading)
