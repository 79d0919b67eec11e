"""Why the number of an answer may not be the one that was asked for: what is doubtful is open or unread, never exact."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from anamorph.reading.cues import Found, cues_of, words
from anamorph.reading.groups import Item, Parse, Statement

Interval: TypeAlias = tuple[int, int | None]

_CUES = cues_of("doubts")
_NEAR = 6
CONTRADICTION = "it contradicts itself"
_ADDITIONS = words("words", "another", "words") | words("words", "ordinal", "words") | words("words", "extra", "words")
_ANAPHORS = words("words", "he", "words")
_SINGLES = words("words", "pronoun", "words") | words("words", "ordinal", "words")
_ACTUAL = words("words", "actual", "words")
_ODD = words("words", "odd", "words")
_ENTIRE = words("words", "entire", "words")


@dataclass(frozen=True, slots=True)
class Decided:
    """What an answer was read from: the group whose number it is, in which statement, and whether others were added."""

    item: Item
    statement: Statement
    summed: bool = False


def is_halfway(parse: Parse, first: int) -> bool:
    """Whether an answer begins with neither a yes nor a no: "Not quite"."""
    return any(cue.kind == "halfway" for cue in _CUES.at(parse.lowers, first))


def doubted(
    parse: Parse, claim: Interval, decided: Decided, others: Sequence[Item], wanted: Collection[str], own: set[str]
) -> Interval | str:
    """The claim as far as it can be relied on; or why it cannot.

    `others` are the groups after the decided one that are of what was asked for. `wanted` are the words that say what
    it must be like, and `own` the words that the text says of the decided group.
    """
    item, statement = decided.item, decided.statement
    found = _CUES.find(parse.lowers)
    by_kind: dict[str, list[Found]] = {}
    for cue in found:
        by_kind.setdefault(cue.kind, []).append(cue)
    if any(cue.first < statement.end for cue in by_kind.get("never", ())):
        return "it compares, or does not say"
    if any(cue.first <= item.first <= cue.last + 1 and cue.last > cue.first + 1 for cue in by_kind.get("compare", ())):
        return "it only compares"
    if claim[0] == 1 and not _ODD.isdisjoint(parse.lowers[max(0, item.first - 1) : item.last]):
        return "it may be one or two"
    if claim[0] == 0 == claim[1]:
        if not _ENTIRE.isdisjoint(parse.lowers[item.first : item.last]):
            return "it leaves open whether there is a part of one"
        return "it only guesses" if item.guessed else _none(claim, decided, others, by_kind)
    if item.kind == "the" and any(0 < item.first - cue.last <= 1 for cue in by_kind.get("besides", ())):
        return "it names only an exception"
    if any(_is_denied_again(parse, other) for other in others):
        return CONTRADICTION
    for cue in by_kind.get("likeness", ()):
        subject = parse.lowers[max(0, cue.first - 3) : cue.first]
        if subject and subject[-1] in _ANAPHORS:
            return "it is only a likeness"
        if not _SINGLES.isdisjoint(subject):
            return max(0, claim[0] - 1), claim[1]
    for cue in by_kind.get("perhaps_not", ()):
        if item.last < cue.first and not _SINGLES.isdisjoint(
            parse.lowers[max(item.last + 1, cue.first - _NEAR) : cue.first]
        ):
            claim = max(0, claim[0] - 1), claim[1]
    if by_kind.get("unless") and claim[1] is not None:
        return claim[0], None
    if by_kind.get("removed") and any(other.kind == "number" for other in others):
        return 0, claim[1]
    first = {cue.first for cue in by_kind.get("counting_first", ())}
    if claim[0] == claim[1] and (by_kind.get("counting_in") or statement.first in first):
        return 0, claim[1]
    return claim


def _none(claim: Interval, decided: Decided, others: Sequence[Item], found: dict[str, list[Found]]) -> Interval | str:
    """A claim that there are none, unless it makes an exception or goes on with some."""
    first, end = decided.statement.first, decided.statement.end
    if any(first <= cue.first <= end for cue in found.get("besides", ())):
        return "it makes an exception"
    if found.get("counting_in") or found.get("unless"):
        return 0, None
    lone = decided.item.head is None
    some = [other for other in others if other.kind == "number" and other.head is None and not other.denied]
    return "it says of some that they are there" if lone and some else claim


def _is_denied_again(parse: Parse, item: Item) -> bool:
    """ "No actual people", after "one man": nothing but words for what is real stand before the noun."""
    if not (item.kind == "none" or item.denied) or not item.whole or item.kind == "the":
        return False
    if item.head is None:
        return item.kind == "none" and item.first == item.last
    between = parse.lowers[item.first + 1 : item.last]
    return all(word in _ACTUAL for word in between)


def is_open_ended(parse: Parse, item: Item) -> bool:
    """Whether a hedge stands near a word that adds, and no group took it: "possibly the edge of a second"."""
    for cue in parse.cues:
        if cue.kind not in ("guess", "guess_behind", "suppose", "open") or cue.first <= item.last:
            continue
        near = parse.lowers[max(item.last + 1, cue.first - _NEAR) : cue.last + _NEAR]
        if not _ADDITIONS.isdisjoint(near):
            return True
    return False
