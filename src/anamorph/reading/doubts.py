"""Why the number of an answer may not be what was asked for: what is doubtful is open or unread, never exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from anamorph.reading.cues import Found, cues_of, words
from anamorph.reading.groups import Item, Parse, Statement

Interval: TypeAlias = tuple[int, int | None]
_Cues: TypeAlias = dict[str, list[Found]]

_CUES = cues_of("doubts")
_NEAR = 6
_HEDGES = ("guess", "guess_extra", "guess_if", "suppose", "open")
_LIKENESSES = ("likeness", "imitation", "perhaps_not", "looks")
CONTRADICTION = "it contradicts itself"
ADDITIONS = words("words", "another", "words") | words("words", "ordinal", "words") | words("words", "extra", "words")
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


def is_hedged(parse: Parse, statement: Statement) -> bool:
    """Whether a statement says only what may be, or what something looks like."""
    if parse.cues_in(statement, *_HEDGES):
        return True
    found = _CUES.find(parse.lowers, statement.first, statement.end)
    return any(cue.kind in _LIKENESSES for cue in found)


def doubted(
    parse: Parse, claim: Interval, decided: Decided, others: Sequence[Item], is_named: Callable[[Item], bool]
) -> Interval | str:
    """The claim as far as it can be relied on; or why it cannot.

    `others` are the groups after the decided one that are of what was asked for; some are called so (`is_named`).
    """
    found: _Cues = {}
    for cue in _CUES.find(parse.lowers):
        found.setdefault(cue.kind, []).append(cue)
    why = _unsaid(parse, claim, decided, found)
    if why is not None:
        return why
    if claim[1] == 0:
        return _none(parse, claim, decided, others, found)
    if any(_is_denied_again(parse, other) and is_named(other) for other in others):
        return CONTRADICTION
    if any(cue.first > decided.item.last for cue in found.get("imitation", ())):
        return "it is only a likeness"
    for cue in found.get("likeness", ()):
        subject = parse.lowers[max(0, cue.first - 3) : cue.first]
        if subject and subject[-1] in _ANAPHORS:
            return "it is only a likeness"
        if not _SINGLES.isdisjoint(subject):
            return max(0, claim[0] - 1), claim[1]
    return _bounds(parse, claim, decided, others, found)


def _unsaid(parse: Parse, claim: Interval, decided: Decided, found: _Cues) -> str | None:
    """Why a number is none of what was asked for, if it is not."""
    item, statement = decided.item, decided.statement
    if any(cue.first < statement.end for cue in found.get("never", ())):
        return "it compares, or does not say"
    if any(cue.first <= item.first <= cue.last + 1 and cue.last > cue.first + 1 for cue in found.get("compare", ())):
        return "it only compares"
    near = [each for each in parse.items_in(statement) if each is not item]
    if claim[0] and any(each.kind == "none" and each.head is None and each.first < item.first for each in near):
        return "it begins with a denial"
    taken_back = (cue.first for cue in parse.cues_in(statement, "correct") if cue.first > item.last)
    if any(each.kind == "number" and each.first > cue for cue in taken_back for each in near):
        return "it corrects itself"
    if claim[0] == 1 and not _ODD.isdisjoint(parse.lowers[max(0, item.first - 1) : item.last]):
        return "it may be one or two"
    if item.kind == "the" and any(item.first - cue.last == 1 for cue in found.get("besides", ())):
        return "it names only an exception"
    return None


def _bounds(parse: Parse, claim: Interval, decided: Decided, others: Sequence[Item], found: _Cues) -> Interval:
    """A claim, open where one of its number may be something else, or where more may be counted in."""
    after = decided.item.last + 1
    for cue in found.get("perhaps_not", ()):
        if cue.first >= after and not _SINGLES.isdisjoint(parse.lowers[max(after, cue.first - _NEAR) : cue.first]):
            claim = max(0, claim[0] - 1), claim[1]
    if "unless" in found:
        return claim[0], None
    first = any(cue.first == decided.statement.first for cue in found.get("counting_first", ()))
    counted_in = claim[0] == claim[1] and ("counting_in" in found or first)
    removed = "removed" in found and any(other.kind == "number" for other in others)
    return (0, claim[1]) if counted_in or removed else claim


def _none(parse: Parse, claim: Interval, decided: Decided, others: Sequence[Item], found: _Cues) -> Interval | str:
    """A claim that there are none, unless it makes an exception or goes on with some."""
    item, statement = decided.item, decided.statement
    if not _ENTIRE.isdisjoint(parse.lowers[max(statement.first, item.first - 3) : item.last]):
        return "it leaves open whether there is a part of one"
    if item.guessed:
        return "it only guesses"
    near = [cue for cue in found.get("besides", ()) if statement.first <= cue.first <= statement.end]
    if any(not _is_of_another(parse, cue, item) for cue in near):
        return "it makes an exception"
    if "counting_in" in found or "unless" in found:
        return 0, None
    if any(_is_guess(parse, other) for other in others):
        return 0, None
    some = [other for other in others if other.kind == "number" and other.head is None and not other.denied]
    return "it says of some that they are there" if item.head is None and some else claim


def _is_guess(parse: Parse, item: Item) -> bool:
    """Whether a group stands behind a guess in its statement: "that could be the handle of a knife"."""
    here = next(each for each in parse.statements if each.first <= item.first < each.end)
    return item.guessed or any(cue.first < item.first for cue in parse.cues_in(here, "guess"))


def _is_of_another(parse: Parse, cue: Found, item: Item) -> bool:
    """Whether what stands aside is of another kind: "besides a fence, there are no dogs"."""
    aside = next((each for each in parse.items if each.first > cue.last), None)
    return aside is not None and aside.first < item.first and item.head is not None and aside.label != item.label


def _is_denied_again(parse: Parse, item: Item) -> bool:
    """ "No actual people", after "one man": nothing but words for what is real stand before the noun."""
    if not (item.kind == "none" or item.denied) or not item.whole or item.kind == "the":
        return False
    if item.head is None:
        return item.kind == "none" and item.first == item.last
    own = parse.lowers[item.first : item.last]
    return ADDITIONS.isdisjoint(own) and all(word in _ACTUAL for word in own[1:])


def is_open_ended(parse: Parse, item: Item) -> bool:
    """Whether a hedge stands near a word that adds, and no group took it: "possibly the edge of a second"."""
    for cue in parse.cues:
        if cue.kind not in ("guess", "guess_behind", "suppose", "open") or cue.first <= item.last:
            continue
        near = parse.lowers[max(item.last + 1, cue.first - _NEAR) : cue.last + _NEAR]
        if not ADDITIONS.isdisjoint(near):
            return True
    return False
