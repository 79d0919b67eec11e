"""WordNet 3.0's nouns from one packed file: senses, hypernyms, names, and how often a word is which part of speech.

The file (made by scripts/build_wordnet.py) is a table of sections and one zlib stream. Senses and hypernyms stay ranges
of arrays; only the words themselves become Python objects.
"""

from __future__ import annotations

import functools
import json
import struct
import sys
import zlib
from array import array
from collections.abc import Iterator
from importlib import resources
from typing import NamedTuple

from anamorph.errors import AnamorphError

_MAGIC = b"ANAMWN1\n"


class Parts(NamedTuple):
    """How often a word was seen as each part of speech: 0 if never, else 1 + its count in WordNet's tagged texts."""

    noun: int
    verb: int
    adjective: int
    adverb: int


NO_PARTS = Parts(0, 0, 0, 0)


class Taxonomy:
    """Nouns, their senses and what stands above them; a sense is a small integer."""

    def __init__(self, packed: bytes) -> None:
        if not packed.startswith(_MAGIC):
            raise AnamorphError("The noun taxonomy wordnet.bin is damaged. Install anamorph again.")
        (length,) = struct.unpack_from("<I", packed, len(_MAGIC))
        start = len(_MAGIC) + 4
        layout: dict[str, list[int]] = json.loads(packed[start : start + length])
        body = zlib.decompress(memoryview(packed)[start + length :])

        def section(name: str) -> bytes:
            offset, size = layout[name]
            return body[offset : offset + size]

        self._lemmas = section("lemmas").decode("ascii").split("\n")
        self._places = dict(zip(self._lemmas, range(len(self._lemmas)), strict=True))
        self._senses, self._sense_starts = _numbers(section("senses")), _numbers(section("sense_starts"))
        self._above, self._above_starts = _numbers(section("above")), _numbers(section("above_starts"))
        self._names, self._name_starts = _numbers(section("names")), _numbers(section("name_starts"))
        words = section("words").decode("ascii").split("\n")
        self._words = dict(zip(words, range(len(words)), strict=True))
        self._parts = section("parts")
        self.plurals = _pairs(section("plurals"))
        self.verb_forms = _pairs(section("verb_forms"))

    @property
    def nouns(self) -> tuple[str, ...]:
        """All nouns, compounds among them."""
        return tuple(self._lemmas)

    @property
    def size(self) -> int:
        """How many senses there are."""
        return len(self._above_starts) - 1

    def senses(self, noun: str) -> tuple[int, ...]:
        """The senses of a noun in lower case, words separated by spaces, the most frequent first."""
        place = self._places.get(noun)
        if place is None:
            return ()
        return tuple(self._senses[self._sense_starts[place] : self._sense_starts[place + 1]])

    def knows(self, noun: str) -> bool:
        return noun in self._places

    def above(self, sense: int) -> tuple[int, ...]:
        """The direct hypernyms of a sense."""
        return tuple(self._above[self._above_starts[sense] : self._above_starts[sense + 1]])

    def names(self, sense: int) -> tuple[str, ...]:
        """The words for a sense, in lower case."""
        first, last = self._name_starts[sense], self._name_starts[sense + 1]
        return tuple(self._lemmas[place] for place in self._names[first:last])

    def levels(self, sense: int, depth: int) -> Iterator[tuple[int, ...]]:
        """The sense itself, then what stands one step above it, and so on for `depth` steps."""
        level: tuple[int, ...] = (sense,)
        seen = {sense}
        yield level
        for _ in range(depth):
            level = tuple(dict.fromkeys(up for s in level for up in self.above(s) if up not in seen))
            if not level:
                return
            seen.update(level)
            yield level

    def closure(self, sense: int) -> frozenset[int]:
        """The sense and everything above it."""
        found = {sense}
        waiting = [sense]
        while waiting:
            for up in self.above(waiting.pop()):
                if up not in found:
                    found.add(up)
                    waiting.append(up)
        return frozenset(found)

    def parts(self, word: str) -> Parts:
        """How often a word in lower case is a noun, a verb, an adjective and an adverb."""
        place = self._words.get(word)
        return NO_PARTS if place is None else Parts(*self._parts[4 * place : 4 * place + 4])


def _numbers(content: bytes) -> array[int]:
    numbers = array("I")
    numbers.frombytes(content)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _pairs(content: bytes) -> dict[str, str]:
    words = content.decode("ascii").split()
    return dict(zip(words[::2], words[1::2], strict=True))


@functools.cache
def taxonomy() -> Taxonomy:
    """The taxonomy that ships with Anamorph; read once, when it is first needed."""
    return Taxonomy(resources.files("anamorph.reading").joinpath("wordnet.bin").read_bytes())
