"""A size and a place for every overlap interval: what MetaIC's algorithm 1 looks for, without its random walk."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

import numpy as np

from anamorph.methods.inserting.overlaps import (
    Feasible,
    Hides,
    PlacementRules,
    Size,
    has_free_place,
    largest_of,
    may_overlap,
    overlap_interval,
    overlap_maps,
    size_range,
)
from anamorph.model import Box
from anamorph.pixels.shapes import size_at_area

Spot: TypeAlias = tuple[int, int]

# Random positions of an interval that are looked at, by mask, before a size is given up.
_LOOKS = 60
_LOOKS_ON_LINE = 8


@dataclass(frozen=True, slots=True)
class Placement:
    """One size and one place for every interval, as boxes; `off_line` says which ones left the paper's line."""

    boxes: tuple[Box, ...]
    off_line: tuple[bool, ...]


def place(
    boxes: Sequence[Box],
    cutout: Size,
    width: int,
    height: int,
    rules: PlacementRules,
    rng: Random,
    hides: Hides | None = None,
) -> Placement | None:
    """A size within equation 1 and a place for every interval, on one line where there is such a line; None if no size
    has places for all of them."""
    for size in _sizes(boxes, cutout, width, height, rules, rng):
        if not may_overlap(boxes, size, width, height, rules):
            continue
        maps = overlap_maps(boxes, size, width, height)
        if maps.possible(rules):
            feasible = [maps.feasible(index, rules) for index in range(rules.intervals)]
            found = _placed(boxes[largest_of(boxes)], size, feasible, rules, rng, hides)
            if found is not None:
                return found
    return None


def _sizes(
    boxes: Sequence[Box], cutout: Size, width: int, height: int, rules: PlacementRules, rng: Random
) -> Iterator[Size]:
    """Sizes to look at: random ones, one from each of as many equal parts of the range, then all others.

    A larger object has less free ground, and a smaller one cannot cover as much of the largest: so the sizes between
    two bounds are left, and the bounds are found by bisection.
    """
    least, most = size_range(boxes, width, height, rules)
    every = all_sizes(least, most, cutout, width, height)
    if not every or not has_free_place(boxes, every[0], width, height):
        return
    room = bisect.bisect_left(every, True, key=lambda size: not has_free_place(boxes, size, width, height))
    largest = boxes[largest_of(boxes)]
    needed = overlap_interval(rules.intervals - 1, rules)[0] * largest.area if rules.intervals > 1 else -1.0
    reach = bisect.bisect_left(every, True, key=lambda size: _most_common(size, largest) > needed)
    allowed = dict.fromkeys(every[reach:room])
    areas = [least + (most - least) * (part + rng.random()) / rules.tries for part in range(rules.tries)]
    rng.shuffle(areas)
    drawn = dict.fromkeys(size for area in areas if (size := size_at_area(area, cutout)) in allowed)
    yield from drawn
    rest = [size for size in allowed if size not in drawn]
    # The largest first, because most that have failed so far are too small; then each half, quarter, ... of the range.
    steps = (2**level for level in itertools.count(0))
    yielded: set[int] = set()
    for step in steps:
        for place in range(step + 1):
            index = round((len(rest) - 1) * (1 - place / step))
            if rest and index not in yielded:
                yielded.add(index)
                yield rest[index]
        if len(yielded) == len(rest):
            return


def all_sizes(least: float, most: float, cutout: Size, width: int, height: int) -> list[Size]:
    """Every size in whole pixels that an area from `least` to `most` rounds to and that fits the picture, ascending."""
    low, high = (math.sqrt(area / (cutout[0] * cutout[1])) for area in (least, most))
    turns = {low, high}
    for side in cutout:
        # A side gains a pixel where its length passes a half.
        turns.update((whole + 0.5) / side for whole in range(math.floor(low * side), math.ceil(high * side) + 1))
    within = sorted(turn for turn in turns if low <= turn <= high)
    middles = [(one + other) / 2 for one, other in itertools.pairwise(within)] or [low]
    sizes = dict.fromkeys((max(1, round(cutout[0] * f)), max(1, round(cutout[1] * f))) for f in middles)
    return [size for size in sizes if size[0] <= width and size[1] <= height]


def _most_common(size: Size, largest: Box) -> float:
    """The most that a new object of this size can cover of the largest one, in pixels."""
    return min(size[0], largest.width) * min(size[1], largest.height)


def _placed(
    largest: Box,
    size: Size,
    feasible: Sequence[Feasible],
    rules: PlacementRules,
    rng: Random,
    hides: Hides | None,
) -> Placement | None:
    """The farthest interval anywhere, the others on the line from the largest object's centre through it and on."""
    centre = (largest.x + largest.width / 2 - size[0] / 2, largest.y + largest.height / 2 - size[1] / 2)

    def fits(spot: Spot) -> bool:
        return hides is None or not hides(Box(*spot, *size))

    last = _Candidates(feasible[-1], rng, fits)
    best: list[Spot | None] = []
    for _ in range(rules.tries):
        through = last.draw()
        if through is None:
            return None
        found = [*_on_line(centre, through, feasible[:-1], rng, fits), through]
        if not best or _count(found) > _count(best):
            best = found
        if _count(best) == len(feasible):
            break
    places = [spot or _Candidates(feasible[index], rng, fits).draw() for index, spot in enumerate(best)]
    if any(spot is None for spot in places):
        return None
    return Placement(
        tuple(Box(*spot, *size) for spot in places if spot is not None),
        tuple(spot is None for spot in best),
    )


def _count(found: Sequence[Spot | None]) -> int:
    return sum(spot is not None for spot in found)


class _Candidates:
    """Random positions of an interval that fit by mask, too; after enough failed draws there are none."""

    def __init__(self, feasible: Feasible, rng: Random, fits: Callable[[Spot], bool]) -> None:
        self._places, self._columns = np.flatnonzero(feasible), feasible.shape[1]
        self._rng, self._fits = rng, fits

    def draw(self) -> Spot | None:
        for _ in range(_LOOKS):
            y, x = divmod(int(self._places[self._rng.randrange(len(self._places))]), self._columns)
            if self._fits((x, y)):
                return x, y
        return None


def _on_line(
    centre: tuple[float, float],
    through: Spot,
    feasible: Sequence[Feasible],
    rng: Random,
    fits: Callable[[Spot], bool],
) -> list[Spot | None]:
    """A random allowed position for each interval on the ray from `centre` through a position to the picture's edge."""
    if not feasible:
        return []
    step = (through[0] - centre[0], through[1] - centre[1])
    pace = max(abs(step[0]), abs(step[1]))
    if pace == 0:
        return [None] * len(feasible)
    rows, columns = feasible[0].shape
    ahead = np.arange(0, max(rows, columns) + pace, dtype=np.float64)
    xs = np.rint(centre[0] + ahead * (step[0] / pace)).astype(np.int64)
    ys = np.rint(centre[1] + ahead * (step[1] / pace)).astype(np.int64)
    inside = (xs >= 0) & (xs < columns) & (ys >= 0) & (ys < rows)
    xs, ys = xs[inside], ys[inside]
    spots: list[Spot | None] = []
    for each in feasible:
        hits = np.flatnonzero(each[ys, xs])
        order = rng.sample(range(len(hits)), min(len(hits), _LOOKS_ON_LINE))
        drawn = ((int(xs[hits[place]]), int(ys[hits[place]])) for place in order)
        spots.append(next((spot for spot in drawn if fits(spot)), None))
    return spots
