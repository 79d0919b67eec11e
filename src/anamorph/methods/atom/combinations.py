"""Label combinations: which scenes have them, what captions name them, and how many of them a collection covers."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from anamorph.model import CaptionReading

# Labels in alphabetical order.
Combination: TypeAlias = tuple[str, ...]


def combinations_in(labels: Iterable[str], sizes: Iterable[int]) -> list[Combination]:
    """Every combination of some sizes that a set of labels has."""
    ordered = sorted(set(labels))
    return [combination for size in sorted(set(sizes)) for combination in itertools.combinations(ordered, size)]


def caption_names(reading: CaptionReading, combination: Combination) -> bool:
    """Whether a caption speaks of every label as a thing of its own (ATOM, section II-B).

    The reader works with dictionary forms, and takes only nouns that do not describe another noun for things. What is
    left to do here is to refuse labels that follow each other directly, which tend to be one thing: "orange cake".
    """
    if not all(reading.names(label) for label in combination):
        return False
    spans = sorted(
        (mention.start, mention.end, label) for label in combination for mention in reading.mentions_of(label)
    )
    return not any(
        one[2] != other[2] and not reading.text[one[1] : other[0]].strip() for one, other in itertools.pairwise(spans)
    )


class Samples:
    """A random sample of at most `most` scenes for each combination, all equally likely; only ids are kept."""

    def __init__(self, most: int, rng: Random) -> None:
        self._most, self._rng = most, rng
        self._chosen: dict[Combination, list[str]] = {}
        self._seen: Counter[Combination] = Counter()

    def add(self, combination: Combination, scene: str) -> None:
        """Take a scene in, perhaps in the place of another (reservoir sampling)."""
        self._seen[combination] += 1
        chosen = self._chosen.setdefault(combination, [])
        if len(chosen) < self._most:
            chosen.append(scene)
        elif (place := self._rng.randrange(self._seen[combination])) < self._most:
            chosen[place] = scene

    def __iter__(self) -> Iterator[tuple[Combination, list[str]]]:
        """Combinations, small ones first, with their scenes."""
        for combination in sorted(self._chosen, key=lambda each: (len(each), each)):
            yield combination, self._chosen[combination]


def random_choice(scenes: Sequence[str], photos: int, repeats: int, rng: Random) -> dict[str, list[int]]:
    """Photos chosen at random, again in each repeat, and the repeats from 1 on that chose each; in the given order."""
    chosen: dict[int, list[int]] = {}
    for repeat in range(1, repeats + 1):
        for place in rng.sample(range(len(scenes)), photos):
            chosen.setdefault(place, []).append(repeat)
    return {scenes[place]: chosen[place] for place in sorted(chosen)}


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of a label space's combinations of one size some label sets have, and how many a random choice would.

    `expected` is the mean over all ways to choose as many sets as were chosen from the whole collection.
    """

    size: int
    covered: int
    possible: int
    expected: float | None = None

    @property
    def share(self) -> float:
        return self.covered / self.possible if self.possible else 0.0

    @property
    def expected_share(self) -> float | None:
        return None if self.expected is None else self.expected / self.possible if self.possible else 0.0


def coverage(
    chosen: Sequence[Iterable[str]],
    space: Iterable[str],
    size: int,
    collection: Sequence[Iterable[str]] | None = None,
) -> Coverage:
    """What chosen label sets cover of a label space; with the collection that they were chosen from, also what a
    random choice of as many sets covers on average.
    """
    labels = frozenset(space)
    possible = math.comb(len(labels), size)
    covered = len(_counted(chosen, labels, size))
    if collection is None:
        return Coverage(size, covered, possible)
    if len(chosen) > len(collection):
        raise ValueError(f"{len(chosen)} label sets cannot be chosen from {len(collection)}")
    expected = expected_coverage(collection, labels, size, len(chosen))
    return Coverage(size, covered, possible, expected)


def expected_coverage(collection: Sequence[Iterable[str]], space: Iterable[str], size: int, draws: int) -> float:
    """The mean number of combinations in `draws` label sets of a collection, chosen at random without repetition.

    A combination that m of n sets have is missed with probability C(n - m, draws) / C(n, draws); nothing is sampled.
    """
    total = len(collection)
    if not 0 <= draws <= total:
        raise ValueError(f"{draws} label sets cannot be chosen from {total}")
    frequencies = Counter(_counted(collection, frozenset(space), size).values())
    return math.fsum(count * (1 - _missed(total, having, draws)) for having, count in sorted(frequencies.items()))


def _missed(total: int, having: int, draws: int) -> float:
    if draws > total - having:
        return 0.0
    return math.exp(
        math.lgamma(total - having + 1)
        - math.lgamma(total - having - draws + 1)
        - math.lgamma(total + 1)
        + math.lgamma(total - draws + 1)
    )


def _counted(label_sets: Iterable[Iterable[str]], space: frozenset[str], size: int) -> Counter[Combination]:
    """How many label sets have each combination."""
    counts: Counter[Combination] = Counter()
    for labels in label_sets:
        counts.update(combinations_in(space.intersection(labels), (size,)))
    return counts
