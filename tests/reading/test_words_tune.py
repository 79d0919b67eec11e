"""Everyday words and their compounds, with the class that a person gives, written before the tables that read them."""

from __future__ import annotations

from pathlib import Path

from anamorph.model.reading import CaptionReading
from tests.english import caption_reader

ROWS = [
    line.split("|")
    for line in Path(__file__).with_name("words_tune.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
FRAMES = ("There is {} on the left.", "{} in the middle of the picture.")
OF_THE_FRAME = frozenset(("left", "middle", "picture"))


def is_wrong(phrase: str, given: str, frame: str) -> bool:
    """Whether a phrase surely has a class that people do not give it, or a plain word of a class is not read."""
    text = frame.format(phrase)
    reading = caption_reader().read_text(text[0].upper() + text[1:])
    assert isinstance(reading, CaptionReading)
    mentions = [each for each in reading.mentions if each.present and each.head not in OF_THE_FRAME]
    surely = {each.label for each in mentions if each.label is not None}
    if given == "-":
        return bool(surely)
    if given.startswith("?"):
        return not surely <= set(given[1:].split(","))
    perhaps = {label for each in mentions for label in each.may_be}
    return surely != {given} and not (not surely and given in perhaps)


def test_at_most_one_word_in_two_hundred_is_read_wrongly() -> None:
    wrong = [phrase for phrase, given in ROWS if any(is_wrong(phrase, given, frame) for frame in FRAMES)]
    assert len(ROWS) == 873
    assert len(wrong) <= 0.005 * len(ROWS), wrong
