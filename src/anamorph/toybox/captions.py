"""Captions in the toybox's wording: several true ones for each recipe, and a reader for them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from anamorph.reading.nouns import OTHER_WORDS
from anamorph.toybox.drawing.appearances import INKS
from anamorph.toybox.drawing.backgrounds import BACKGROUNDS
from anamorph.toybox.drawing.classes import ACTIONS, CLASSES
from anamorph.toybox.drawing.recipes import Item, Recipe

NUMBER_WORDS = ("no", "a", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_OTHER_WORD_SHARE = 0.3
_PEOPLE_WORDS = {"man": "man", "woman": "woman", "child": "child"}


@dataclass(frozen=True, slots=True)
class _Group:
    """All items of one class; `phrase` names them in this caption."""

    label: str
    count: int
    phrase: str
    near: float | None


def captions_of(recipe: Recipe) -> tuple[str, ...]:
    """Three to five distinct captions; each names every class, with its number."""
    rng = Random(f"captions/{recipe.backdrop}")
    wanted = rng.randint(3, 5)
    found: dict[str, None] = {}
    for _ in range(40):
        found[write_caption(recipe, rng)] = None
        if len(found) == wanted:
            break
    return tuple(found)


def write_caption(recipe: Recipe, rng: Random) -> str:
    """One caption."""
    groups = _groups(recipe, rng)
    place = rng.choice(BACKGROUNDS[recipe.background].places) if rng.random() < 0.6 else ""
    text = _sentence(groups, place, rng)
    return text[0].upper() + text[1:] + "."


def _groups(recipe: Recipe, rng: Random) -> list[_Group]:
    by_label: dict[str, list[Item]] = {}
    for item in recipe.items:
        by_label.setdefault(item.label, []).append(item)
    carried = _carried(recipe, by_label)
    held_books = _held_books(by_label)
    groups: list[_Group] = []
    phrases = {label: _noun_phrase(label, items, rng, held_books) for label, items in by_label.items()}
    for label, items in by_label.items():
        if label == "book" and held_books and _reading(by_label["person"]):
            continue
        if label in carried.values():
            guests = [guest for guest, holder in carried.items() if holder == label]
            phrase = f"{_joined([phrases[guest] for guest in guests])} on {phrases[label]}"
        elif label in carried:
            continue
        else:
            phrase = phrases[label]
        grounded = all(item.rest in ("ground", "table") for item in items)
        groups.append(_Group(label, len(items), phrase, min(item.y for item in items) if grounded else None))
    # People come first, then the largest; sometimes the first group comes last.
    groups.sort(key=lambda group: (group.label != "person", -max(i.unit for i in by_label[group.label])))
    if len(groups) > 1 and rng.random() < 0.25:
        groups = [*groups[1:], groups[0]]
    return groups


def _carried(recipe: Recipe, by_label: dict[str, list[Item]]) -> dict[str, str]:
    """Classes whose items all rest on the single item of another class."""
    carried: dict[str, str] = {}
    for label, items in by_label.items():
        holders = {None if item.on is None or item.rest == "held" else item.on for item in items}
        holder = holders.pop()
        if holders or holder is None:
            continue
        name = recipe.items[holder].label
        if len(by_label[name]) == 1:
            carried[label] = name
    return carried


def _held_books(by_label: dict[str, list[Item]]) -> bool:
    """Whether every book is held by someone, so that "reading a book" names them all."""
    books = by_label.get("book", [])
    return bool(books) and all(book.rest == "held" for book in books)


def _reading(people: Sequence[Item]) -> bool:
    return all(person.action == "reading" for person in people)


def _noun_phrase(label: str, items: list[Item], rng: Random, held_books: bool) -> str:
    count = len(items)
    singular, plural = label, CLASSES[label].plural
    if label in OTHER_WORDS and rng.random() < _OTHER_WORD_SHARE:
        singular, plural = OTHER_WORDS[label]
    if label == "person":
        return _people_phrase(items, rng, held_books)
    noun = singular if count == 1 else plural
    shared = {item.colour for item in items}
    colour = shared.pop()
    if colour and not shared and rng.random() < 0.5:
        noun = f"{colour} {noun}"
    return f"{_number(count, noun, rng)} {noun}"


def _people_phrase(items: list[Item], rng: Random, held_books: bool) -> str:
    count = len(items)
    noun = "people" if count > 1 else "person"
    if count == 1 and rng.random() < 0.65:
        noun = _PEOPLE_WORDS[items[0].form]
    phrase = f"{_number(count, noun, rng)} {noun}"
    if held_books and _reading(items):
        return f"{phrase} reading {'a book' if count == 1 else 'books'}"
    actions = {item.action for item in items}
    action = actions.pop()
    if actions or (count > 1 and rng.random() < 0.3):
        return phrase
    return f"{phrase} {action}" if rng.random() < 0.85 else phrase


def _number(count: int, noun: str, rng: Random) -> str:
    if count == 1:
        return "an" if noun[0] in "aeiou" else "a"
    if count == 2 and rng.random() < 0.08:
        return "a couple of"
    return NUMBER_WORDS[count]


def _sentence(groups: list[_Group], place: str, rng: Random) -> str:
    phrases = [group.phrase for group in groups]
    everything = _joined(phrases)
    tail = f" {place}" if place else ""
    style = rng.random()
    if len(groups) > 1 and style < 0.4:
        rest = _joined(phrases[1:])
        return f"{phrases[0]} {_link(groups, rng)} {rest}{tail}"
    if style < 0.75:
        return f"{everything}{tail}"
    verb = "are" if groups[0].count > 1 and " on " not in phrases[0] else "is"
    if " on " in phrases[0]:
        verb = "are" if not phrases[0].startswith(("a ", "an ")) or phrases[0].startswith("a couple") else "is"
    if style < 0.87:
        return f"there {verb} {everything}{tail}"
    if place and style < 0.94:
        return f"{place} there {verb} {everything}"
    return f"{rng.choice(('a photo of', 'a picture of'))} {everything}{tail}"


def _link(groups: list[_Group], rng: Random) -> str:
    if len(groups) == 2 and rng.random() < 0.5:
        one, other = groups[0].near, groups[1].near
        if one is not None and other is not None and abs(one - other) > 0.08:
            return "in front of" if one > other else "behind"
    return rng.choice(("next to", "near", "with", "beside"))


def _joined(phrases: Sequence[str]) -> str:
    return phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} and {phrases[-1]}"


_NUMBERS = {"a": 1, "an": 1, "a couple of": 2, **{word: k for k, word in enumerate(NUMBER_WORDS) if k > 1}}


def _known_nouns() -> dict[str, str]:
    nouns = dict.fromkeys(("man", "woman", "child"), "person")
    for one in CLASSES.values():
        for word in (one.name, one.plural, *OTHER_WORDS.get(one.name, ())):
            nouns[word] = one.name
    return nouns


_NOUNS = _known_nouns()
_PHRASE = re.compile(
    rf"\b({'|'.join(sorted(_NUMBERS, key=len, reverse=True))}) (?:({'|'.join(INKS)}) )?"
    rf"({'|'.join(sorted(_NOUNS, key=len, reverse=True))})\b(?: ({'|'.join(ACTIONS)})\b( books)?)?"
)


@dataclass(frozen=True, slots=True)
class CaptionFacts:
    """The content of a caption in the toybox's own words: numbers by class, and (class, word) for each attribute."""

    numbers: dict[str, int]
    attributes: tuple[tuple[str, str], ...]


def said_by(caption: str) -> CaptionFacts:
    """Read a toybox caption; any other wording needs a real reader."""
    numbers: Counter[str] = Counter()
    attributes: list[tuple[str, str]] = []
    for number, colour, noun, action, books in _PHRASE.findall(caption.lower()):
        label = _NOUNS[noun]
        numbers[label] += _NUMBERS[number]
        attributes += [(label, word) for word in (colour, action) if word]
        if books:
            numbers["book"] += _NUMBERS[number]
    return CaptionFacts(dict(numbers), tuple(attributes))
