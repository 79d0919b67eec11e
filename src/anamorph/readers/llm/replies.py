"""From the reply of a system to a reading: JSON that is looked at with suspicion, and used whole or not at all."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NoReturn, TypeVar

from anamorph.model import AnswerReading, CaptionReading, LabelSet, LabelSpace, Mention, Reading, ReadingKind

T = TypeVar("T")

MOST_CHARACTERS = 100_000
MOST_MENTIONS = 200
MOST_OBJECTS = 1_000_000
# A word that may be any of more classes says nothing.
MOST_MAY_BE = 5
_MOST_STARTS = 50
_THOUGHT = "</think>"
_JSON_KINDS = {dict: "an object", list: "a list", str: "a string", int: "an integer", bool: "true or false"}


class Misfit(Exception):
    """A reply that is not of the form that was asked for; the message says how, in no word of the reply."""


def reading_of(reply: str, kind: ReadingKind, text: str, space: LabelSpace) -> Reading | None:
    """What a reply says of a text; None if it says that the text cannot be read, Misfit where it does not fit."""
    said = _object_in(reply)
    if kind == "caption":
        return _caption(said, text, space)
    if kind == "answer":
        return _answer(said, text)
    labels = _part(said, "labels", list)
    return LabelSet(frozenset(_class(label, space) for label in labels))


# --- the JSON -------------------------------------------------------------------------------------------------------


def _object_in(reply: str) -> dict[str, Any]:
    """The one JSON object of a reply; what is around it, such as a code fence, does not count."""
    if len(reply) > MOST_CHARACTERS:
        raise Misfit(f"it has more than {MOST_CHARACTERS:,} characters")
    found: list[dict[str, Any]] = []
    for each in _objects(reply.rpartition(_THOUGHT)[2]):
        if each not in found:
            found.append(each)
    if not found:
        raise Misfit("it has no JSON object")
    if len(found) > 1:
        raise Misfit("it has several JSON objects")
    return found[0]


def _objects(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder(parse_constant=_not_a_number, object_pairs_hook=_once_each)
    position = text.find("{")
    # Every start may take a look at all of the text.
    for _ in range(_MOST_STARTS):
        if position < 0:
            return
        try:
            value, end = decoder.raw_decode(text, position)
        except RecursionError:
            raise Misfit("its JSON is nested too deeply") from None
        except ValueError:
            end = position + 1
        else:
            yield value
        position = text.find("{", end)
    raise Misfit("its JSON is broken")


def _not_a_number(name: str) -> NoReturn:
    raise Misfit("its JSON has a number that is not finite")


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise Misfit("its JSON has a key twice")
    return table


def _part(table: object, key: str, kind: type[T]) -> T:
    if not isinstance(table, dict):
        raise Misfit("an entry is not an object")
    if key not in table:
        raise Misfit(f'"{key}" is missing')
    value = table[key]
    # Not isinstance: true is not an integer here.
    if type(value) is not kind:
        raise Misfit(f'"{key}" is not {_JSON_KINDS[kind]}')
    return value


def _part_or_null(table: dict[str, Any], key: str, kind: type[T]) -> T | None:
    return None if key in table and table[key] is None else _part(table, key, kind)


def _class(name: object, space: LabelSpace) -> str:
    if isinstance(name, str):
        if name in space:
            return name
        folded = name.strip().casefold()
        for label in space.names:
            if label.casefold() == folded:
                return label
    raise Misfit("it names a class that is not among the given ones")


def _interval(least: int, most: int | None) -> None:
    if not 0 <= least <= MOST_OBJECTS or (most is not None and not least <= most <= MOST_OBJECTS):
        raise Misfit('"least" and "most" are not a possible number of things')


# --- captions -------------------------------------------------------------------------------------------------------


def _caption(said: dict[str, Any], text: str, space: LabelSpace) -> CaptionReading:
    entries = _part(said, "mentions", list)
    if len(entries) > MOST_MENTIONS:
        raise Misfit(f"it has more than {MOST_MENTIONS} mentions")
    places = _Places(text)
    mentions = [_mention(entry, places, space) for entry in entries]
    merged: dict[tuple[int, int], Mention] = {}
    for mention in mentions:
        place = (mention.start, mention.end)
        merged[place] = mention if place not in merged else _both(merged[place], mention)
    return CaptionReading(text, tuple(sorted(merged.values(), key=lambda each: (each.start, each.end))))


def _mention(entry: object, places: _Places, space: LabelSpace) -> Mention:
    quote, head, name = _part(entry, "quote", str), _part(entry, "head", str), None
    assert isinstance(entry, dict)
    if _part_or_null(entry, "class", str) is not None:
        name = _class(entry["class"], space)
    least, most = _part(entry, "least", int), _part_or_null(entry, "most", int)
    present, sure = _part(entry, "present", bool), _part(entry, "sure", bool)
    _interval(least, most)
    if present and most == 0:
        raise Misfit("it says of something that it is there, and that there is none")
    start, end = places.find(quote, name)
    absent = not present and most == 0
    # "A dog" and "one dog" look the same here, so that one is never taken for an exact number.
    exact = least if absent or (least == most and least > 1) else None
    return Mention(
        text=places.text[start:end],
        start=start,
        end=end,
        head=head.strip() or quote,
        label=name if sure else None,
        number="singular" if most == 1 else "plural" if least > 1 else "unknown",
        count=exact,
        least=least,
        most=most,
        unclaimed="" if absent or (present and least) else "guess" if present else "named",
        may_be=() if sure or name is None else (name,),
    )


def _both(one: Mention, other: Mention) -> Mention:
    """What is said twice of the same words: only what they may be can be several things."""
    may_be = tuple(dict.fromkeys((*one.may_be, *other.may_be)))
    if one.label is not None or other.label is not None or not may_be:
        raise Misfit("it lists the same words twice")
    if len(may_be) > MOST_MAY_BE:
        raise Misfit("it takes the same words for too many classes")
    return replace(one, may_be=may_be)


class _Places:
    """Finds where quotes stand in a text; no class stands twice at the same place."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._taken: set[tuple[int, int, str | None]] = set()

    def find(self, quote: str, name: str | None) -> tuple[int, int]:
        """The first free place of a quote; letter case and the width of spaces may differ."""
        quote = quote.strip()
        if not quote:
            raise Misfit("it has an empty quote")
        for start, end in itertools.chain(self._exact(quote), self._alike(quote)):
            if (start, end, name) not in self._taken:
                self._taken.add((start, end, name))
                return start, end
        raise Misfit("it quotes what the text does not say, or does not say that often")

    def _exact(self, quote: str) -> Iterator[tuple[int, int]]:
        start = self.text.find(quote)
        while start >= 0:
            end = start + len(quote)
            if not (self.text[start - 1 : start].isalnum() or self.text[end : end + 1].isalnum()):
                yield start, end
            start = self.text.find(quote, end)

    def _alike(self, quote: str) -> Iterator[tuple[int, int]]:
        words = r"\s+".join(map(re.escape, quote.split()))
        for pattern in (rf"(?<!\w){words}(?!\w)", words):
            yield from (found.span() for found in re.compile(pattern, re.IGNORECASE).finditer(self.text))


# --- answers --------------------------------------------------------------------------------------------------------


def _answer(said: dict[str, Any], text: str) -> AnswerReading | None:
    least, most = _part_or_null(said, "least", int), _part_or_null(said, "most", int)
    yes, unclear = _part_or_null(said, "yes", bool), _part(said, "unclear", bool)
    if unclear:
        return None
    if least is not None:
        _interval(least, most)
        return AnswerReading(text, least, most, yes)
    if most is not None or yes is None:
        raise Misfit('"least" and "yes" are both missing')
    return AnswerReading(text, int(yes), None if yes else 0, yes, whether=True)
