"""What a question asks for: how many there are of which classes, or whether there is any."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from anamorph.model import Asks
from anamorph.reading.morphology import plural_of
from anamorph.reading.nouns import OTHER_WORDS, noun_of

# The properties that questions ask for unless somebody chooses others: of people, and of everything else.
ACTIONS = ("standing", "sitting", "walking", "running", "lying", "reading", "waving", "eating", "jumping", "sleeping")
COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "grey")

_PICTURE = (
    r"(?:\s+(?:are|is))?(?:\s+there)?(?:\s+(?:visible|present|shown|depicted|pictured))?"
    r"(?:\s+(?:in|on)\s+(?:the|this)\s+(?:image|picture|photo|photograph))?"
)
_SEEN = r"(?:\s+(?:can\s+you\s+(?:see|count|find|spot)|can\s+be\s+(?:seen|counted)|do\s+you\s+(?:see|count)))"
_HOW_MANY = re.compile(rf"how many (.+?){_SEEN}?{_PICTURE}", re.IGNORECASE)
_IS_THERE = re.compile(rf"(?:is|are) there (any|an?|no) (.+?){_PICTURE}", re.IGNORECASE)
# What makes a question plainer and asks for nothing else, as crosscheck's do.
_AS_WELL = re.compile(
    r",? both kinds together|,? in all its parts together|(?<= )(?:whole (?=image)|anywhere (?=in ))", re.IGNORECASE
)
_BETWEEN = re.compile(r"\s*,?\s+(?:and|or)\s+|\s*,\s*")
_MEASURE = re.compile(r"(?:pairs?|pieces?) of ")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as plain facts: each thing is a class and perhaps a colour or an action that it must have."""

    asks: Asks
    things: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of a world: nouns and the classes they mean, what may go before a noun, and what after it."""

    nouns: Mapping[str, str]
    before: frozenset[str]
    behind: frozenset[str]

    def asked_by(self, question: str) -> Asked | None:
        """What a question asks for; None if it is worded differently, or asks for a thing without a word."""
        text = _AS_WELL.sub("", question.strip().rstrip("?. ").strip())
        how_many = _HOW_MANY.fullmatch(text)
        if how_many:
            return self._asked("how-many", how_many[1])
        is_there = _IS_THERE.fullmatch(text)
        if is_there:
            return self._asked("is-there-no" if is_there[1].lower() == "no" else "is-there", is_there[2])
        return None

    def _asked(self, asks: Asks, phrases: str) -> Asked | None:
        things: list[tuple[str, str | None]] = []
        # From the end: in "red and blue cars" the noun of the second also belongs to the first.
        noun: str | None = None
        for phrase in reversed(_BETWEEN.split(phrases.lower())):
            words = _MEASURE.sub("", phrase, count=1).split()
            if not words:
                return None
            attribute = None
            if " ".join(words) in self.nouns:
                # "Teddy bear" and "hot dog" are nouns as they stand, whatever their first word means elsewhere.
                pass
            elif len(words) > 1 and words[0] in self.before:
                attribute, *words = words
            elif len(words) > 1 and words[-1] in self.behind:
                *words, attribute = words
            # Only plurals are counted, so that an orange among them is a colour.
            colour = len(words) == 1 and words[0] in self.before and (asks == "how-many" or words[0] not in self.nouns)
            if attribute is None and noun is not None and colour:
                attribute, words = words[0], noun.split()
            label = self.nouns.get(" ".join(words))
            if label is None:
                return None
            noun = " ".join(words)
            things.append((label, attribute))
        return Asked(asks, tuple(reversed(things)))


def nouns_for(labels: tuple[str, ...]) -> dict[str, str]:
    """The words for classes in either number, in lower case; a class's own name wins over another's everyday word."""
    nouns: dict[str, str] = {}
    for label in labels:
        noun = noun_of(label)
        for word in (label, plural_of(label), noun.one, noun.many):
            nouns.setdefault(word.lower(), label)
    for label in labels:
        for word in (*OTHER_WORDS.get(label, ()), *(("persons",) if label == "person" else ())):
            nouns.setdefault(word, label)
    return nouns
