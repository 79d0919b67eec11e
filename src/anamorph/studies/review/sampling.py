"""A sample of issues that has of every kind in proportion, and of every cause one before any comes twice."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Stratified:
    """Where an item belongs: its `stratum`, and within it the group of which only one is taken in each round."""

    name: str
    stratum: tuple[str, ...]
    group: Hashable


def stratified_sample(items: Sequence[Stratified], most: int, seed: int) -> list[int]:
    """The places of at most `most` items, in random order; the same for the same items and seed, whatever their order.

    Strata share the sample in proportion to their size, each with at least one item as long as there is room.
    """
    if most >= len(items):
        chosen = list(range(len(items)))
    else:
        strata: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for place, item in enumerate(items):
            strata[item.stratum].append(place)
        names = sorted(strata)
        shares = _shares([len(strata[name]) for name in names], most, Random(f"{seed}:shares"))
        chosen = []
        for name, share in zip(names, shares, strict=True):
            places = sorted(strata[name], key=lambda place: items[place].name)
            rounds = in_turn(((items[place].group, place) for place in places), Random(f"{seed}:rounds"))
            chosen += itertools.islice(rounds, share)
    chosen.sort(key=lambda place: items[place].name)
    Random(f"{seed}:order").shuffle(chosen)
    return chosen


def _shares(sizes: Sequence[int], most: int, rng: Random) -> list[int]:
    """How many each stratum gives: one each first, then by the largest remainders."""
    order = list(range(len(sizes)))
    rng.shuffle(order)
    if most < len(sizes):
        lucky = set(order[:most])
        return [int(place in lucky) for place in range(len(sizes))]
    total = sum(sizes)
    wanted = [most * size / total for size in sizes]
    shares = [max(1, min(size, int(want))) for size, want in zip(sizes, wanted, strict=True)]
    while sum(shares) != most:
        up = sum(shares) < most
        possible = [place for place in order if (shares[place] < sizes[place] if up else shares[place] > 1)]
        best = max(possible, key=lambda place: (wanted[place] - shares[place]) * (1 if up else -1))
        shares[best] += 1 if up else -1
    return shares


def in_turn(grouped: Iterable[tuple[Hashable, int]], rng: Random) -> Iterator[int]:
    """One number of each group in turn, groups and numbers in random order."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for group, number in grouped:
        groups[group].append(number)
    rows = list(groups.values())
    rng.shuffle(rows)
    for row in rows:
        rng.shuffle(row)
    return (number for turn in itertools.zip_longest(*rows) for number in turn if number is not None)
