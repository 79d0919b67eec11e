"""Questions about toybox scenes."""

from __future__ import annotations

import functools

from anamorph.reading.labels import label_space
from anamorph.reading.morphology import plural_of
from anamorph.reading.nouns import OTHER_WORDS
from anamorph.reading.questions import Asked, Vocabulary
from anamorph.toybox.drawing.appearances import INKS
from anamorph.toybox.drawing.classes import ACTIONS, CLASSES

__all__ = ["Asked", "asked_by"]


def asked_by(question: str) -> Asked | None:
    """The subject of a question; None if its wording is unknown, or the toybox does not record its subject."""
    return _words().asked_by(question)


@functools.cache
def _words() -> Vocabulary:
    """Every class name, singular and plural, including COCO's classes that the toybox never draws."""
    nouns: dict[str, str] = {"persons": "person"}
    for name in label_space("coco").names:
        nouns[name] = nouns[plural_of(name)] = name
    for one in CLASSES.values():
        for word in (one.name, one.plural, *OTHER_WORDS.get(one.name, ())):
            nouns[word] = one.name
    return Vocabulary(nouns, frozenset((*INKS, *ACTIONS)), frozenset(ACTIONS))
