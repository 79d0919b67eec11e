"""What classes are called in English: one of them, many of them, and a number of them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from anamorph.reading.morphology import PAIRED, PLURAL_ONLY, plural_of, singular_of
from anamorph.reading.quantity import UNITS

# What labels are called where that is not their name: "one", or "one / many" where no rule gives the many.
_NAMES = {
    "tv": "TV",
    "tvmonitor": "TV monitor",
    "diningtable": "dining table",
    "pottedplant": "potted plant",
    "broccoli": "broccoli / pieces of broccoli",
    "clothes": "clothing / pieces of clothing",
}
# Everyday words for some of COCO's classes: one of it, and many.
OTHER_WORDS: dict[str, tuple[str, str]] = {
    "airplane": ("plane", "planes"),
    "bicycle": ("bike", "bikes"),
    "couch": ("sofa", "sofas"),
    "cup": ("mug", "mugs"),
    "dining table": ("table", "tables"),
    "sports ball": ("ball", "balls"),
    "tv": ("television", "televisions"),
}

_WORDS = {value: word for word, value in UNITS.items() if value > 0}
# Letters mislead: the first begin with the sound of a consonant, the others with that of a vowel.
_LIKE_CONSONANTS = ("uni", "use", "usa", "eu", "ewe", "one", "once", "uk", "uri")
_LIKE_VOWELS = ("hour", "heir", "honest", "honou", "honor")


@dataclass(frozen=True, slots=True)
class Noun:
    """What a class is called: one of it, many of it after a measure ("pairs of "), and whether one is a plural word."""

    one: str
    many: str
    measure: str = ""
    plural: bool = False


@functools.lru_cache(maxsize=65536)
def noun_of(label: str, name: str | None = None) -> Noun:
    """The noun of a class; `name` is what to call it, as "one" or as "one / many"."""
    one, slash, many = (part.strip() for part in (name or _NAMES.get(label, label)).partition("/"))
    last = one.rpartition(" ")[2].lower()
    if slash:
        measure, of, many = many.rpartition(" of ")
        return Noun(one, many, measure + of, last in PAIRED or last in PLURAL_ONLY)
    head, of, rest = one.partition(" of ")
    if of:
        return Noun(one, f"{plural_of(head)} of {rest}")
    if last in PAIRED:
        return Noun(one, one, "pairs of ", True)
    return Noun(one, plural_of(one), "", last in PLURAL_ONLY)


def counted(label: str, count: int, name: str | None = None) -> str:
    """A number of a class, as a word up to twelve: "a dog", "two people", "three pairs of skis"."""
    noun = noun_of(label, name)
    if count == 1:
        if noun.measure and noun.one == noun.many:
            measure, _, of = noun.measure.partition(" ")
            return f"{article(measure)} {singular_of(measure) or measure} {of}{noun.many}"
        return noun.one if noun.plural else f"{article(noun.one)} {noun.one}"
    number = _WORDS[count] if count in _WORDS and count <= 12 else str(count)
    return f"{number} {noun.measure}{noun.many}"


def article(noun: str) -> str:
    """The indefinite article that a noun has."""
    word = noun.lower()
    if word.startswith(_LIKE_CONSONANTS):
        return "a"
    return "an" if word.startswith(_LIKE_VOWELS) or word[:1] in "aeiou" else "a"


def enumerated(phrases: Sequence[str]) -> str:
    """Phrases as a list: "two dogs, a person and a bench"."""
    return " and ".join(part for part in (", ".join(phrases[:-1]), phrases[-1]) if part) if phrases else ""
