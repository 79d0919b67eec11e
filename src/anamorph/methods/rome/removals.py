"""Which objects ROME removes: pairs of removals, the ancestor's within the descendant's, all or an even sample of them.

A removal is a set of units as the bits of a number, so that subsets are cheap. It is closed: a unit goes only with all
that it needs gone.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import TypeAlias

Removal: TypeAlias = int
# (what the ancestor lacks, what the descendant lacks)
Pair: TypeAlias = tuple[Removal, Removal]
# Whether a descendant may lack all of this at once.
Fits: TypeAlias = Callable[[Removal], bool]

# Up to here a list of all pairs is made; beyond, pairs are drawn.
_LISTED = 20_000
# Draws for each pair that is wanted, before all pairs are enumerated instead.
_DRAWS = 50
# A scene that may have more pairs is not planned with all of them.
MOST_PAIRS = 10_000_000
# At most this many pairs are enumerated; a scene that has more is sampled from the first ones.
_CONSIDERED = 1_000_000


def members(removal: Removal) -> Iterator[int]:
    """The positions of the units of a removal, ascending."""
    while removal:
        lowest = removal & -removal
        yield lowest.bit_length() - 1
        removal ^= lowest


def removals(needs: Sequence[Removal], most: int) -> Iterator[Removal]:
    """Every closed removal of one to `most` units, each once; `needs` must hold what the needed units need, too."""
    # In this order a unit comes after all that it needs, so every closed removal grows through closed ones.
    order = sorted(range(len(needs)), key=lambda unit: needs[unit].bit_count())

    def grown(start: int, taken: Removal, size: int) -> Iterator[Removal]:
        for place in range(start, len(order)):
            unit = order[place]
            if needs[unit] & ~taken:
                continue
            yield taken | 1 << unit
            if size + 1 < most:
                yield from grown(place + 1, taken | 1 << unit, size + 1)

    return grown(0, 0, 0)


def pairs(needs: Sequence[Removal], most: int) -> Iterator[Pair]:
    """Every pair of closed removals with the ancestor's a proper subset of the descendant's; it may be empty."""
    needy = sum(1 << unit for unit, needed in enumerate(needs) if needed)
    for descendant in removals(needs, most):
        ancestor = descendant
        while ancestor:
            ancestor = (ancestor - 1) & descendant
            if not ancestor & needy or closed(ancestor, needs):
                yield ancestor, descendant


def too_many(units: int, most: int) -> bool:
    """Whether a scene with this many units may have more pairs than anybody wants all of."""
    return sum(_free_pairs(units, most)) > MOST_PAIRS


def closed(removal: Removal, needs: Sequence[Removal]) -> bool:
    """Whether a removal has everything that its units need."""
    return not any(needs[unit] & ~removal for unit in members(removal))


def sampled_pairs(
    needs: Sequence[Removal], most: int, wanted: int, rng: Random, fits: Fits = lambda _: True
) -> list[Pair]:
    """All pairs that fit if there are at most `wanted`; otherwise that many of them, every choice equally likely."""
    free = _free_pairs(len(needs), most)
    if sum(free) <= _LISTED:
        found = [pair for pair in pairs(needs, most) if fits(pair[1])]
        if len(found) <= wanted:
            return found
        return [found[place] for place in sorted(rng.sample(range(len(found)), wanted))]
    return _drawn(needs, free, wanted, rng, fits) or _reservoir(needs, most, wanted, rng, fits)


def _free_pairs(units: int, most: int) -> list[int]:
    """How many pairs have a descendant of 1, 2, ... units if no unit needs another."""
    return [math.comb(units, size) * (2**size - 1) for size in range(1, min(units, most) + 1)]


def _drawn(needs: Sequence[Removal], free: Sequence[int], wanted: int, rng: Random, fits: Fits) -> list[Pair]:
    """Pairs drawn as if no unit needed another, except those that are not closed; empty if that leaves too few."""
    taken: dict[Pair, None] = {}
    sizes = range(1, len(free) + 1)
    bounds = list(itertools.accumulate(free))
    for _ in range(_DRAWS * wanted):
        draw = rng.randrange(bounds[-1])
        size = next(size for size in sizes if draw < bounds[size - 1])
        units = rng.sample(range(len(needs)), size)
        descendant = sum(1 << unit for unit in units)
        picked = rng.randrange(2**size - 1)
        ancestor = sum(1 << unit for place, unit in enumerate(units) if picked >> place & 1)
        if closed(descendant, needs) and closed(ancestor, needs) and fits(descendant):
            taken[ancestor, descendant] = None
            if len(taken) == wanted:
                return list(taken)
    return []


def _reservoir(needs: Sequence[Removal], most: int, wanted: int, rng: Random, fits: Fits) -> list[Pair]:
    kept: list[Pair] = []
    fitting = (pair for pair in itertools.islice(pairs(needs, most), _CONSIDERED) if fits(pair[1]))
    for place, pair in enumerate(fitting):
        if place < wanted:
            kept.append(pair)
        elif (slot := rng.randrange(place + 1)) < wanted:
            kept[slot] = pair
    return kept
