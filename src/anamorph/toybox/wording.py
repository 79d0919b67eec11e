"""What a caption in the toybox's own wording says: how many of each class, and which attributes."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from anamorph.language.nouns import OTHER_WORDS
from anamorph.toybox.captions import NUMBER_WORDS
from anamorph.toybox.drawing.classes import ACTIONS, CLASSES
from anamorph.toybox.drawing.looks import INKS

_NUMBERS = {"a": 1, "an": 1, "a couple of": 2, **{word: k for k, word in enumerate(NUMBER_WORDS) if k > 1}}


def _nouns() -> dict[str, str]:
    nouns = dict.fromkeys(("man", "woman", "child"), "person")
    for one in CLASSES.values():
        for word in (one.name, one.plural, *OTHER_WORDS.get(one.name, ())):
            nouns[word] = one.name
    return nouns


_NOUNS = _nouns()
_PHRASE = re.compile(
    rf"\b({'|'.join(sorted(_NUMBERS, key=len, reverse=True))}) (?:({'|'.join(INKS)}) )?"
    rf"({'|'.join(sorted(_NOUNS, key=len, reverse=True))})\b(?: ({'|'.join(ACTIONS)})\b( books)?)?"
)


@dataclass(frozen=True, slots=True)
class Said:
    """What a caption says; each attribute is a pair of class and word."""

    numbers: dict[str, int]
    attributes: tuple[tuple[str, str], ...]


def said_by(caption: str) -> Said:
    """Read a caption of the toybox; only its own wording is understood, any other needs a real reader."""
    numbers: Counter[str] = Counter()
    attributes: list[tuple[str, str]] = []
    for number, colour, noun, action, books in _PHRASE.findall(caption.lower()):
        label = _NOUNS[noun]
        numbers[label] += _NUMBERS[number]
        attributes += [(label, word) for word in (colour, action) if word]
        if books:
            numbers["book"] += _NUMBERS[number]
    return Said(dict(numbers), tuple(attributes))
