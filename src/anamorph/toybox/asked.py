"""What a question asks for, in the words of the toybox."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from anamorph.language.labels import label_space
from anamorph.language.morphology import plural_of
from anamorph.relations.quantities import Asks
from anamorph.toybox.captions import OTHER_WORDS
from anamorph.toybox.classes import ACTIONS, CLASSES
from anamorph.toybox.looks import INKS

_PICTURE = (
    r"(?:\s+(?:(?:are|is)\s+)?(?:there\s+)?(?:visible\s+)?(?:(?:in|on)\s+(?:the|this)\s+(?:image|picture|photo)))?"
)
_HOW_MANY = re.compile(rf"how many (.+?)(?:\s+(?:are|is)(?:\s+there)?)?{_PICTURE}", re.IGNORECASE)
_IS_THERE = re.compile(rf"(?:is|are) there (any|an?|no) (.+?){_PICTURE}", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*,?\s+(?:and|or)\s+|\s*,\s*")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as data: each thing is a class and perhaps a colour or an action that it must have."""

    asks: Asks
    things: tuple[tuple[str, str | None], ...]


def asked_by(question: str) -> Asked | None:
    """What a question asks for; None if it is put in other words, or for what the toybox keeps no account of."""
    text = question.strip().rstrip("?. ").strip()
    how_many = _HOW_MANY.fullmatch(text)
    if how_many:
        return _asked("how-many", how_many[1])
    is_there = _IS_THERE.fullmatch(text)
    if is_there:
        return _asked("is-there-no" if is_there[1].lower() == "no" else "is-there", is_there[2])
    return None


def _asked(asks: Asks, phrases: str) -> Asked | None:
    things: list[tuple[str, str | None]] = []
    # From the end: in "red and blue cars" the noun of the second goes for the first, too.
    noun: str | None = None
    for phrase in reversed(_BETWEEN.split(phrases.lower())):
        words = phrase.split()
        attribute = None
        if len(words) > 1 and words[0] in _ATTRIBUTES:
            attribute, *words = words
        elif len(words) > 1 and words[-1] in ACTIONS:
            *words, attribute = words
        elif noun is not None and words[0] in _ATTRIBUTES and (asks == "how-many" or words[0] not in _nouns()):
            # Only plurals are counted, so that an orange among them is a colour.
            attribute, words = words[0], noun.split()
        label = _nouns().get(" ".join(words))
        if label is None:
            return None
        noun = " ".join(words)
        things.append((label, attribute))
    return Asked(asks, tuple(reversed(things)))


_ATTRIBUTES = frozenset((*INKS, *ACTIONS))


@functools.cache
def _nouns() -> dict[str, str]:
    """Every name of a class in either number; of COCO's classes that the toybox never draws, there are none."""
    nouns: dict[str, str] = {"persons": "person"}
    for name in label_space("coco").names:
        nouns[name] = nouns[plural_of(name)] = name
    for one in CLASSES.values():
        for word in (one.name, one.plural, *OTHER_WORDS.get(one.name, ())):
            nouns[word] = one.name
    return nouns
