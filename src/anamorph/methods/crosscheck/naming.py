"""Which classes to ask about: those that the system itself names, and decoys that it does not name."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from random import Random
from typing import Any

from anamorph.model import Answer, CaptionReading, LabelSpace
from anamorph.model.told import Told
from anamorph.reading.morphology import singular_of

# A list of objects has at most this many words in each item; a longer one is a sentence.
# Of an answer that is a list, in characters; ten kinds are asked for.
_LONGEST_LIST = 20_000
_MOST_WORDS = 3
_ITEM = re.compile(r"[,;\n]|\band\b")
_LEADING = re.compile(r"^(?:[-*\u2022\d.)(\s]+)")
_NOUN = re.compile(r"[a-z]+(?:[ -][a-z]+)*")


@functools.cache
def _words() -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Named:
    """A class that the system names, or one that the photo's labels have; `plain` if it is a class of the run."""

    label: str
    plain: bool


def named_classes(told: Told, texts: Sequence[Answer], *, annotated: bool = True) -> list[Named]:
    """The classes that answers name, the most prominent first; classes of the run before free nouns, arguable last.

    With `annotated`, those that the scene is labeled with as well.
    """
    found: dict[str, Named] = {}
    for answer in texts:
        for phrase in _phrases((answer.text or "")[:_LONGEST_LIST]):
            label = _class_of(told, phrase)
            if label is not None:
                found.setdefault(label, Named(label, True))
            elif phrase not in _words()["stuff"] and phrase.rpartition(" ")[2] not in _words()["stuff"]:
                found.setdefault(phrase, Named(phrase, False))
    for label in (*told.scene.labels, *(thing.label for thing in told.scene.things)) if annotated else ():
        found.setdefault(label, Named(label, label in told.space))
    places = {label: place for place, label in enumerate(found)}
    return sorted(found.values(), key=lambda each: (each.label in told.arguable, not each.plain, places[each.label]))


def is_list(named: Sequence[Named]) -> bool:
    """Whether this can be a list of objects: one word that is no class, such as "red", answers another question."""
    return len(named) > 1 or any(each.plain for each in named)


def chosen(named: Sequence[Named], most: int, rng: Random) -> list[Named]:
    """Some of what was named: one half the most prominent, the other half drawn, since small things are missed.

    Free nouns and arguable classes only where there is nothing else.
    """
    first = list(named[: (most + 1) // 2])
    plain = [each for each in named if each.plain and each not in first]
    others = plain or [each for each in named if each not in first]
    return [*first, *rng.sample(others, min(len(others), most - len(first)))]


def _phrases(text: str) -> Iterator[str]:
    """The items of a list, in the singular."""
    for item in _ITEM.split(text.lower()):
        words = _LEADING.sub("", item).strip(" .!:*\"'").split()
        while words and words[0] in _words()["determiners"]:
            words = words[1:]
        phrase = " ".join(words)
        if words and len(words) <= _MOST_WORDS and _NOUN.fullmatch(phrase) and phrase not in _words()["replies"]:
            yield " ".join((*words[:-1], singular_of(words[-1]) or words[-1]))


def _class_of(told: Told, phrase: str) -> str | None:
    """The class of the run that a phrase means; None if it means none, or only may."""
    reading = told.read("caption", Answer(f"There is {phrase} here."))
    labels = reading.labels if isinstance(reading, CaptionReading) else ()
    return labels[0] if len(labels) == 1 else None


def decoys(told: Told, named: Sequence[Named], rng: Random) -> list[tuple[str, str]]:
    """Classes that were not named, with the way they were drawn.

    Those that keep company with what was named (or are of its kind, in a label space of the user's own), frequent ones,
    and any.
    """
    taken = {each.label for each in named}
    rest = [name for name in told.space.names if name not in taken and name not in told.arguable]
    company = {other for each in named for other in _words()["company"].get(each.label, ())}
    kinds = {told.space.supercategory(each.label) for each in named if each.label in told.space} - {None}
    near = [name for name in rest if name in company] or [
        name for name in rest if told.space.supercategory(name) in kinds
    ]
    frequent = [name for name in _words()["frequent"] if name in rest]
    drawn: dict[str, str] = {}
    for way, choices in (("company", near), ("frequent", frequent[:12]), ("random", rest)):
        left = [name for name in choices if name not in drawn]
        if left:
            drawn[rng.choice(left)] = way
    return list(drawn.items())


def fallback_classes(space: LabelSpace) -> list[str]:
    """The classes to look for where a system names nothing."""
    return [name for name in _words()["frequent"] if name in space][:5] or list(space.names[:5])
