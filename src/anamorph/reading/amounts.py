"""Every amount that a text states, as an interval: "two", "at least three", "a few", "between 5 and 7", "none"."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from anamorph.reading.quantity import SCALES, TENS, UNITS, number_of
from anamorph.reading.wordlists import word_list, word_order, word_table

# How an amount is said: a number, a wording for several or none, or an article that implies one.
AmountKind: TypeAlias = Literal["number", "vague", "none", "article"]


class Amount(NamedTuple):
    """The interval that the words from `first` to `last` state; `most` is None where it is open."""

    first: int
    last: int
    least: int
    most: int | None
    kind: AmountKind


def _wordings(name: str) -> list[tuple[str, ...]]:
    """The wordings of a list; an underscore stands for a space."""
    return [tuple(words.split("_")) for words in word_order("amounts", name)]


_PREFIXES = {
    words: kind for kind in ("least", "more", "most", "fewer", "below", "about", "guess") for words in _wordings(kind)
}
_SUFFIXES = tuple((words, kind) for kind in ("least", "about", "most") for words in _wordings(f"{kind}_behind"))
# Between a number and a second one that makes a range.
_RANGE_LINKS = _wordings("range_links")
_SUFFIX_STARTS, _LINK_STARTS = (
    frozenset(words[0] for words, _ in _SUFFIXES),
    frozenset(words[0] for words in _RANGE_LINKS),
)
_VAGUE: dict[tuple[str, ...], tuple[int, int | None]] = {
    words: (least, most)
    for name, least, most in (
        ("several", 2, None),
        ("dozens", 24, None),
        ("hundreds", 200, None),
        ("thousands", 2000, None),
        ("single", 1, 1),
        ("two", 2, 2),
        ("three", 3, 3),
        ("four", 4, 4),
        ("six", 6, 6),
        ("twelve", 12, 12),
    )
    for words in _wordings(name)
}
_NONE = frozenset(_wordings("none"))
_COUNTING = word_list("amounts", "counting")
# "One, two" may be one of this and two of that.
_COUNTED = 3
_ARTICLES = word_list("amounts", "articles")
_LONGEST = 4
_THEM = word_list("amounts", "them")
_BETWEEN = word_table("amounts", "between")
_UNCOUNTED, _HEDGES = word_list("amounts", "uncounted"), word_list("amounts", "hedges")
_NEAR = 20
# Every amount begins with one of these, a digit, a word with a hyphen ("twenty-one"), or is "x3".
_BEGINNINGS = frozenset(
    (*(words[0] for words in (*_PREFIXES, *_VAGUE, *_NONE)), *_ARTICLES, *UNITS, *TENS, *SCALES)
) | {*_BETWEEN, "half", "all"}
# Only before these is an article part of a longer wording: "a few", "an estimated 20", "a dozen".
_AFTER_ARTICLES = frozenset(
    (*(words[1] for words in (*_PREFIXES, *_VAGUE, *_NONE) if words[0] in _ARTICLES and len(words) > 1), *SCALES)
)
_RANGE = re.compile(r"(\d{1,6})[-\u2010-\u2014](\d{1,6})")
_TIMES = re.compile(r"(\d{1,4})[x\u00d7]|[x\u00d7](\d{1,4})")
_ORDINARY = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,9}")


def find_amounts(lowers: Sequence[str]) -> list[Amount]:
    """The amounts of a text whose words are given in lower case, in its order; none lies within another."""
    found: list[Amount] = []
    place = 0
    while place < len(lowers):
        word = lowers[place]
        if word not in _BEGINNINGS and not word[0].isdigit() and "-" not in word and word[0] not in "x\u00d7":
            place += 1
            continue
        amount = _amount_at(lowers, place)
        if amount is None:
            place += 1
            continue
        found.append(amount)
        place = amount.last + 1
    return _without_counting(found, lowers)


def _without_counting(amounts: list[Amount], lowers: Sequence[str]) -> list[Amount]:
    """The amounts, with those that count aloud as one: "1, 2, 3, 4" are four."""
    found: list[Amount] = []
    place = 0
    while place < len(amounts):
        end = place + 1
        while end < len(amounts) and _counts_on(amounts[end - 1], amounts[end], lowers):
            end += 1
        if end - place >= _COUNTED and amounts[place].least == 1:
            found.append(amounts[end - 1]._replace(first=amounts[place].first))
        else:
            found.extend(amounts[place:end])
        place = end
    return found


def _counts_on(before: Amount, amount: Amount, lowers: Sequence[str]) -> bool:
    """Whether a number goes on from the one before."""
    if before.kind != "number" or amount.kind != "number" or amount.least != before.least + 1:
        return False
    between = lowers[before.last + 1 : amount.first]
    return bool(between) and all(word in _COUNTING for word in between)


def _amount_at(lowers: Sequence[str], place: int) -> Amount | None:
    word = lowers[place]
    if word in _ARTICLES and (place + 1 == len(lowers) or lowers[place + 1] not in _AFTER_ARTICLES):
        return Amount(place, place, 1, 1, "article")
    if (between := _between(lowers, place) or _share(lowers, place)) is not None:
        return between
    for length in range(_LONGEST, 0, -1):
        words = tuple(lowers[place : place + length])
        kind = _PREFIXES.get(words) if len(words) == length else None
        if kind is not None and (number := _number_at(lowers, place + length)) is not None:
            return _bounded(lowers, place, kind, *number)
        if words in _NONE and len(words) == length and not _compares(lowers, place, length):
            return Amount(place, place + length - 1, 0, 0, "none")
    if span := _RANGE.fullmatch(lowers[place]):
        low, high = int(span[1]), int(span[2])
        return Amount(place, place, low, high, "vague") if low < high else None
    if (number := _number_at(lowers, place)) is not None:
        return _bounded(lowers, place, "", *number)
    for length in range(_LONGEST, 0, -1):
        words = tuple(lowers[place : place + length])
        if words in _VAGUE and len(words) == length and not _is_a_label(lowers, place + length):
            least, most = _VAGUE[words]
            kind_of: AmountKind = "vague" if least != most else "number"
            return Amount(place, place + length - 1, least, most, kind_of)
    if lowers[place] in _ARTICLES:
        return Amount(place, place, 1, 1, "article")
    return None


def _is_a_label(lowers: Sequence[str], following: int) -> bool:
    """The "a number" of "a number 12 bus" is no amount, nor is the "most" of "most likely"."""
    if lowers[following - 1] == "most" and not _HEDGES.isdisjoint(lowers[following : following + 1]):
        return True
    return lowers[following - 1] == "number" and lowers[following : following + 1] != ["of"]


def _compares(lowers: Sequence[str], place: int, length: int) -> bool:
    """ "No more than", "no longer", "no doubt" say no amount by their "no"."""
    following = lowers[place + length] if place + length < len(lowers) else ""
    return lowers[place] == "no" and following in _UNCOUNTED


def _between(lowers: Sequence[str], place: int) -> Amount | None:
    """ "Between 5 and 7", "from two to four"."""
    link = _BETWEEN.get(lowers[place])
    if link is None:
        return None
    start = place + (2 if lowers[place : place + 2] in (["anywhere", "from"], ["anywhere", "between"]) else 1)
    low = _number_at(lowers, start)
    if low is None or low[1] + 1 >= len(lowers) or lowers[low[1] + 1] not in (link, "and"):
        return None
    high = _number_at(lowers, low[1] + 2)
    if high is None or high[0] < low[0]:
        return None
    return Amount(place, high[1], low[0], high[0], "number" if low[0] == high[0] else "vague")


def _share(lowers: Sequence[str], place: int) -> Amount | None:
    """ "All but one of the six", "half of the eight"."""
    left: tuple[int, int] | None = None
    if lowers[place] == "half":
        if lowers[place + 1 : place + 2] == ["of"] and not _THEM.isdisjoint(lowers[place + 2 : place + 3]):
            return _half_of_them(lowers, place)
        end = place
    elif list(lowers[place : place + 2]) == ["all", "but"] and (left := _number_at(lowers, place + 2)) is not None:
        end = left[1]
    else:
        return None
    end += 1
    while end < len(lowers) and lowers[end] in ("of", "the", "these", "those"):
        end += 1
    whole = _number_at(lowers, end) if lowers[end - 1] != "half" else None
    if whole is None or (left is not None and left[0] > whole[0]):
        return None
    value = whole[0] // 2 if left is None else whole[0] - left[0]
    return Amount(place, whole[1], value, value, "number")


def _half_of_them(lowers: Sequence[str], place: int) -> Amount | None:
    """The four of "eight chairs, half of them blue"."""
    earlier = (number_of([word]) for word in reversed(lowers[max(0, place - _NEAR) : place]))
    whole = next((number for number in earlier if number is not None and number > 1), None)
    return None if whole is None or whole % 2 else Amount(place, place, whole // 2, whole // 2, "number")


def _number_at(lowers: Sequence[str], place: int) -> tuple[int, int] | None:
    """The number that begins at a place, and where it ends."""
    if place >= len(lowers):
        return None
    first = lowers[place]
    if times := _TIMES.fullmatch(first):
        return int(times[1] or times[2]), place
    start = place
    if first in ("a", "half") and place + 1 < len(lowers):
        tail = lowers[place + 1]
        if first == "half" and tail == "a" and lowers[place + 2 : place + 3] == ["dozen"]:
            return 6, place + 2
        if tail in SCALES:
            return SCALES[tail] // (2 if first == "half" else 1), place + 1
        return None
    if not (first in UNITS or first in TENS or _ORDINARY.fullmatch(first) or number_of([first]) is not None):
        return None
    value, last = number_of([first]), place
    if value is None:
        return None
    for end in range(start + 2, min(start + 7, len(lowers) + 1)):
        longer = number_of(lowers[start:end])
        if longer is None:
            if lowers[end - 1] != "and":
                break
            continue
        if lowers[end - 1] != "and":
            value, last = longer, end - 1
    return value, last


def _bounded(lowers: Sequence[str], first: int, kind: str, value: int, last: int) -> Amount | None:
    """A number with what stands before and behind it."""
    low, most = _interval(kind, value)
    end = last
    again = _number_at(lowers, last + 2) if lowers[last + 1 : last + 2] == ["("] else None
    if again is not None and again[0] == value and lowers[again[1] + 1 : again[1] + 2] == [")"]:
        # "Three (3)" is one number.
        return Amount(first, again[1] + 1, low, most, "number" if low == most else "vague")
    if lowers[last + 1 : last + 4] == ["and", "a", "half"]:
        scale = SCALES.get(lowers[last + 4], 0) if last + 4 < len(lowers) else 0
        return Amount(first, last + 3 + bool(scale), value * (scale or 1), (value + 1) * (scale or 1), "vague")
    following = lowers[last + 1] if last + 1 < len(lowers) else ""
    for suffix, effect in _SUFFIXES if kind in ("", "guess") and following in _SUFFIX_STARTS else ():
        if tuple(lowers[last + 1 : last + 1 + len(suffix)]) == suffix:
            low, most = _interval(effect, value)
            return Amount(first, last + len(suffix), low, most, "vague")
    for link in _RANGE_LINKS if following in _LINK_STARTS else ():
        if tuple(lowers[last + 1 : last + 1 + len(link)]) == link:
            high = _number_at(lowers, last + 1 + len(link))
            if high is not None and high[0] > value:
                end = high[1]
                if link == ("/",) and high[0] > value + 1:
                    break  # "3/6 donuts" are three of six
                if kind in ("", "about", "guess"):
                    low, most = value, high[0]
                break
    exact = low == most
    return Amount(first, end, low, most, "number" if exact else "vague")


def _interval(kind: str, value: int) -> tuple[int, int | None]:
    if kind == "least":
        return value, None
    if kind == "more":
        return value + 1, None
    if kind in ("most", "guess"):
        return 0, value
    if kind == "fewer":
        return 0, max(value - 1, 0)
    slack = max(1, math.ceil(value / 5))
    if kind == "below":
        return max(value - slack, 0), value
    if kind == "about":
        return max(value - slack, 0), value + slack
    return value, value
