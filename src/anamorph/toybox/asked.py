"""What a question asks for, in the words of the toybox."""

from __future__ import annotations

import functools

from anamorph.language.labels import label_space
from anamorph.language.morphology import plural_of
from anamorph.language.nouns import OTHER_WORDS
from anamorph.language.questions import Asked, Vocabulary
from anamorph.toybox.drawing.classes import ACTIONS, CLASSES
from anamorph.toybox.drawing.looks import INKS

__all__ = ["Asked", "asked_by"]


def asked_by(question: str) -> Asked | None:
    """What a question asks for; None if it is put in other words, or for what the toybox keeps no account of."""
    return _words().asked_by(question)


@functools.cache
def _words() -> Vocabulary:
    """Every name of a class in either number; of COCO's classes that the toybox never draws, there are none."""
    nouns: dict[str, str] = {"persons": "person"}
    for name in label_space("coco").names:
        nouns[name] = nouns[plural_of(name)] = name
    for one in CLASSES.values():
        for word in (one.name, one.plural, *OTHER_WORDS.get(one.name, ())):
            nouns[word] = one.name
    return Vocabulary(nouns, frozenset((*INKS, *ACTIONS)), frozenset(ACTIONS))
