"""Amounts of things with an attribute: "five cars, two of which are red", "there is a cat, but it is white"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from anamorph.language.amounts import Amount
from anamorph.readers.answer.question import Question

# Attributes of one group exclude each other.
_GROUPS = (
    frozenset(
        "red orange yellow green blue purple pink brown black white grey gray golden silver beige tan maroon".split()
    ),
    frozenset("standing sitting seated walking running lying jumping sleeping kneeling crouching".split()),
    frozenset("open opened closed shut".split()),
    frozenset("parked moving driving".split()),
    frozenset("empty full filled".split()),
    frozenset("small large big tiny little huge".split()),
    frozenset("awake asleep sleeping".split()),
    frozenset("wooden metal plastic leather glass".split()),
)
_SAME = {
    "seated": "sitting",
    "sits": "sitting",
    "sit": "sitting",
    "stands": "standing",
    "stand": "standing",
    "walks": "walking",
    "walk": "walking",
    "runs": "running",
    "run": "running",
    "gray": "grey",
    "opened": "open",
    "shut": "closed",
    "asleep": "sleeping",
    "sleeps": "sleeping",
    "reads": "reading",
    "wears": "wearing",
    "rides": "riding",
    "wear": "wearing",
    "ride": "riding",
    "big": "large",
    "little": "small",
    "tiny": "small",
}
_STOPS = frozenset((".", ";", "!", "?"))
_DENIALS = frozenset(("not", "n't", "no", "none", "neither", "never", "without"))
_ALL_BUT = re.compile(r"\ball\s+but\s+(\w+)\s+of\s+(?:the\s+)?(\w+)", re.IGNORECASE)
_HALF_OF = re.compile(r"\bhalf\s+of\s+(?:the\s+|these\s+|those\s+)?(\w+)", re.IGNORECASE)
_ALL_ARE = re.compile(r"\b(?:all|both)\b", re.IGNORECASE)


def attribute_amount(
    text: str, lowers: Sequence[str], tags: Sequence[str], amounts: Sequence[Amount], asked: Question
) -> tuple[int, int | None] | None:
    """How many have the attribute that was asked for; None where the answer does not speak of it."""
    wanted = {_plain(word) for word in asked.attributes}
    places = [place for place, word in enumerate(lowers) if _plain(word) in wanted]
    if places:
        return _said_of(text, lowers, amounts, places[0])
    if _says_otherwise(lowers, tags, wanted, amounts):
        return 0, 0
    return None


def _plain(word: str) -> str:
    return _SAME.get(word, word)


def _said_of(
    text: str, lowers: Sequence[str], amounts: Sequence[Amount], place: int
) -> tuple[int, int | None] | None:
    numbers = {amount.last: amount for amount in amounts}
    if found := _ALL_BUT.search(text):
        left, all_of = _value(found[1], amounts, lowers), _value(found[2], amounts, lowers)
        if left is not None and all_of is not None:
            return all_of - left, all_of - left
    if found := _HALF_OF.search(text):
        whole = _value(found[1], amounts, lowers)
        if whole is not None:
            return whole // 2, whole // 2
    each = place - 1
    article: Amount | None = None
    while each >= 0 and lowers[each] not in _STOPS:
        if lowers[each] in _DENIALS and place - each <= 3 and lowers[each] not in ("no", "none", "neither"):
            return 0, 0
        amount = numbers.get(each)
        if amount is not None:
            if amount.kind != "article":
                amount = _of_whole(amount, numbers, lowers)
                return amount.least, amount.most
            article = article or amount
        each -= 1
    if article is not None:
        return 1, 1
    return None


def _of_whole(amount: Amount, numbers: Mapping[int, Amount], lowers: Sequence[str]) -> Amount:
    """The "one" of "one of the four"."""
    each = amount.first - 1
    while each >= 0 and lowers[each] in ("the", "these", "those", "all"):
        each -= 1
    if each > 0 and lowers[each] == "of":
        return numbers.get(each - 1, amount)
    return amount


def _value(word: str, amounts: Sequence[Amount], lowers: Sequence[str]) -> int | None:
    for amount in amounts:
        if amount.kind == "number" and lowers[amount.first] == word.lower():
            return amount.least
    return None


def _says_otherwise(
    lowers: Sequence[str], tags: Sequence[str], wanted: set[str], amounts: Sequence[Amount]
) -> bool:
    """Whether what there is is said to be of another colour, posture or state."""
    del tags, amounts
    for group in _GROUPS:
        if wanted & {_plain(word) for word in group} and any(
            word in group and _plain(word) not in wanted for word in lowers
        ):
            return True
    return False
