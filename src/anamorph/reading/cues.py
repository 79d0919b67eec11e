"""Cues: rows of a pack that say what a wording does, found in a text by their words.

A row has `say`, the words as `tokens.py` cuts them ("is n't"), and `example`, which is its test. In `say`, "a|b" is
either word, "a?" may be left out, "..." stands for up to three words, and " / " parts wordings that do the same.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, NamedTuple

ENGLISH = "english"
_GAP, _WIDEST = "...", 3


@functools.cache
def tables(name: str, pack: str = ENGLISH) -> Mapping[str, Any]:
    """The tables of a file of a pack."""
    source = resources.files("anamorph.reading").joinpath("packs", pack, f"{name}.toml")
    return tomllib.loads(source.read_text("utf-8"))


def words(name: str, table: str, column: str) -> frozenset[str]:
    """The words that a column of a table lists, over all of its rows."""
    return frozenset(word for row in tables(name)[table] for word in row[column].split())


class Found(NamedTuple):
    """A cue in a text: the words from `first` to `last`, and what they do."""

    kind: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class _Step:
    """A place of a wording: the words that may stand there; none for a gap."""

    words: frozenset[str]
    optional: bool


@dataclass(frozen=True, slots=True)
class Cues:
    """The wordings of several tables, by the words that they begin with."""

    starts: Mapping[str, tuple[tuple[str, tuple[_Step, ...]], ...]]

    def find(self, lowers: Sequence[str], first: int = 0, end: int | None = None) -> list[Found]:
        """Every cue of a text; of those of one kind that begin at a word, the longest."""
        found: list[Found] = []
        for place in range(first, len(lowers) if end is None else end):
            if lowers[place] in self.starts:
                found.extend(self.at(lowers, place))
        return found

    def at(self, lowers: Sequence[str], place: int) -> Iterable[Found]:
        """The cues that begin at a word."""
        longest: dict[str, int] = {}
        for kind, steps in self.starts.get(lowers[place], ()) if place < len(lowers) else ():
            end = _matched(steps, 0, lowers, place)
            if end > longest.get(kind, place):
                longest[kind] = end
        return [Found(kind, place, end - 1) for kind, end in longest.items()]

    def shortest(self, kind: str, lowers: Sequence[str], place: int) -> int:
        """Where the shortest cue of a kind that begins at a word ends."""
        ends = (_matched(steps, 0, lowers, place) for name, steps in self.starts[lowers[place]] if name == kind)
        return min(end for end in ends if end > place) - 1


def _matched(steps: tuple[_Step, ...], step: int, lowers: Sequence[str], place: int) -> int:
    """Where the words of a wording end in a text; -1 if they are not there."""
    if step == len(steps):
        return place
    here = steps[step]
    if not here.words:
        ends = (_matched(steps, step + 1, lowers, place + skipped) for skipped in range(_WIDEST + 1))
        return next((end for end in ends if end >= 0), -1)
    if place < len(lowers) and lowers[place] in here.words:
        end = _matched(steps, step + 1, lowers, place + 1)
        if end >= 0:
            return end
    return _matched(steps, step + 1, lowers, place) if here.optional else -1


@functools.cache
def cues_of(name: str, *kinds: str) -> Cues:
    """The cues of some tables of a file, or of all of them."""
    starts: dict[str, list[tuple[str, tuple[_Step, ...]]]] = {}
    for kind, rows in tables(name).items():
        if kinds and kind not in kinds:
            continue
        for row in rows:
            for say in row["say"].split(" / "):
                steps = tuple(_steps(say))
                for begins in range(len(steps)):
                    for word in steps[begins].words:
                        starts.setdefault(word, []).append((kind, steps[begins:]))
                    if not steps[begins].optional:
                        break
    return Cues({word: tuple(found) for word, found in starts.items()})


def _steps(say: str) -> Iterable[_Step]:
    for part in say.split():
        if part == _GAP:
            yield _Step(frozenset(), True)
            continue
        optional = part.endswith("?") and len(part) > 1
        yield _Step(frozenset(part.removesuffix("?" if optional else "").split("|")), optional)
