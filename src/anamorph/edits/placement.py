"""Where a new object may go: MetaIC's equations 1 to 5, with every position of one size looked at in one pass."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from anamorph.model import Box, setting

Floats: TypeAlias = npt.NDArray[np.float64]
# For every position of the top left corner, rows first, whether it is allowed.
Feasible: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PlacementRules:
    """How large an inserted object is and how far it may cover others; the defaults are the paper's."""

    intervals: int = setting(4, "The paper's n: how many overlap intervals; the first is no overlap at all.", least=1)
    ratio_max: float = setting(0.45, "The largest share of another object's box that may be covered.", least=0, most=1)
    sizes: tuple[float, float] = setting(
        (0.8, 1.3), "The paper's alpha and beta: the new area as a share of S(b).", least=0.001
    )
    sizes_of_large: tuple[float, float] = setting(
        (0.1, 0.37), "Alpha and beta where the largest object is `large` or larger.", least=0.001
    )
    large: float = setting(0.4, "From this share of the picture on, the largest object is large.", least=0, most=1)
    least_largest: float = setting(
        0.03, "A background whose largest object covers less of it is not used.", least=0, most=1
    )
    most_weighted: float = setting(0.7, "A background whose S(b) is a larger share of it is not used.", least=0, most=1)
    tries: int = setting(12, "How many sizes, and lines for each size, are tried before a pair is given up.", least=1)


def weighted_area(areas: Sequence[float], canvas: float) -> float:
    """S(b), equation 2: the mean area of the objects, weighted with the softmax of their shares of the picture."""
    shares = np.asarray(areas, np.float64) / canvas
    weights = np.exp(shares - shares.max())
    return float((weights * areas).sum() / weights.sum())


def unusable(boxes: Sequence[Box], width: int, height: int, rules: PlacementRules) -> str | None:
    """Why a picture with these objects is no background for an insertion, or None."""
    if not boxes:
        return "no object"
    areas = [box.area for box in boxes]
    if max(areas) < rules.least_largest * width * height:
        return "largest object too small"
    if weighted_area(areas, width * height) > rules.most_weighted * width * height:
        return "objects too large"
    return None


def size_range(boxes: Sequence[Box], width: int, height: int, rules: PlacementRules) -> tuple[float, float]:
    """The least and the largest area of the new object, equation 1."""
    areas = [box.area for box in boxes]
    canvas = width * height
    alpha, beta = rules.sizes if max(areas) / canvas < rules.large else rules.sizes_of_large
    weighted = weighted_area(areas, canvas)
    return alpha * weighted, beta * weighted


def size_of(area: float, cutout: tuple[int, int]) -> tuple[int, int]:
    """Width and height of a cut-out (given as width, height) at another area, equation 3, in whole pixels."""
    factor = math.sqrt(area / (cutout[0] * cutout[1]))
    return max(1, round(cutout[0] * factor)), max(1, round(cutout[1] * factor))


def overlap_interval(index: int, rules: PlacementRules) -> tuple[float, float]:
    """Equation 4: the bounds of an interval, open below and closed above; the first one is 0 alone."""
    if index == 0:
        return 0.0, 0.0
    step = rules.ratio_max / (rules.intervals - 1)
    return step * (index - 1), step * index


@dataclass(frozen=True, slots=True, eq=False)
class OverlapMaps:
    """For every position of one size: the overlap (equation 5) with the largest object, and the most with any other."""

    largest: Floats
    others: Floats

    def feasible(self, index: int, rules: PlacementRules) -> Feasible:
        """Where rules R1 and R2 hold for an interval."""
        low, high = overlap_interval(index, rules)
        within = self.largest == 0 if index == 0 else (self.largest > low) & (self.largest <= high)
        return within & (self.others <= high)


def overlap_maps(boxes: Sequence[Box], size: tuple[int, int], width: int, height: int) -> OverlapMaps:
    """The overlaps at every position of a new object of this size; it must fit the picture."""
    xs = np.arange(width - size[0] + 1, dtype=np.float64)
    ys = np.arange(height - size[1] + 1, dtype=np.float64)
    first = largest_of(boxes)
    largest = np.zeros((len(ys), len(xs)))
    others = np.zeros((len(ys), len(xs)))
    for position, box in enumerate(boxes):
        across = np.minimum(xs + size[0], box.right) - np.maximum(xs, box.x)
        down = np.minimum(ys + size[1], box.bottom) - np.maximum(ys, box.y)
        columns, rows = _span(across > 0), _span(down > 0)
        if columns is None or rows is None:
            continue
        # Elsewhere the overlap is nothing, so only this block of positions is worked out.
        block = np.outer(down[rows], across[columns]) / box.area
        if position == first:
            largest[rows, columns] = block
        else:
            np.maximum(others[rows, columns], block, out=others[rows, columns])
    return OverlapMaps(largest, others)


def largest_of(boxes: Sequence[Box]) -> int:
    """The position of the largest box, the first of equals."""
    return max(range(len(boxes)), key=lambda position: boxes[position].area)


def _span(inside: npt.NDArray[np.bool_]) -> slice | None:
    found = np.flatnonzero(inside)
    return slice(int(found[0]), int(found[-1]) + 1) if found.size else None


@dataclass(frozen=True, slots=True)
class Placement:
    """One size and one place for every interval, as boxes; `off_line` says which ones left the paper's line."""

    boxes: tuple[Box, ...]
    off_line: tuple[bool, ...]


def place(
    boxes: Sequence[Box], cutout: tuple[int, int], width: int, height: int, rules: PlacementRules, rng: Random
) -> Placement | None:
    """A size within equation 1 and a place for every interval, on one line where there is such a line; None if there is
    none at any of the sizes that were tried."""
    least, most = size_range(boxes, width, height, rules)
    sizes = _sizes(least, most, cutout, width, height, rules.tries, rng)
    for size in sizes:
        maps = overlap_maps(boxes, size, width, height)
        feasible = [maps.feasible(index, rules) for index in range(rules.intervals)]
        if not all(each.any() for each in feasible):
            continue
        return _placed(boxes[largest_of(boxes)], size, feasible, rules, rng)
    return None


def _sizes(
    least: float, most: float, cutout: tuple[int, int], width: int, height: int, tries: int, rng: Random
) -> list[tuple[int, int]]:
    """Random sizes, one from each of as many equal parts of the range, in random order, that fit the picture."""
    fit = min(width / cutout[0], height / cutout[1]) ** 2 * cutout[0] * cutout[1]
    most = min(most, fit)
    if most < least:
        return []
    steps = [least + (most - least) * (part + rng.random()) / tries for part in range(tries)]
    rng.shuffle(steps)
    sizes = dict.fromkeys(size_of(area, cutout) for area in steps)
    return [size for size in sizes if size[0] <= width and size[1] <= height]


def _placed(
    largest: Box, size: tuple[int, int], feasible: Sequence[Feasible], rules: PlacementRules, rng: Random
) -> Placement:
    """The farthest interval anywhere, the others on the line from the largest object's centre through it and on."""
    centre = (largest.x + largest.width / 2 - size[0] / 2, largest.y + largest.height / 2 - size[1] / 2)
    candidates = np.flatnonzero(feasible[-1])
    best: list[tuple[int, int] | None] = []
    for _ in range(rules.tries):
        y, x = divmod(int(candidates[rng.randrange(len(candidates))]), feasible[-1].shape[1])
        found = [*_on_line(centre, (x, y), feasible[:-1], rng), (x, y)]
        if not best or _count(found) > _count(best):
            best = found
        if _count(best) == len(feasible):
            break
    places = [spot or _anywhere(feasible[index], rng) for index, spot in enumerate(best)]
    return Placement(
        tuple(Box(x, y, *size) for x, y in places),
        tuple(spot is None for spot in best),
    )


def _count(found: Sequence[tuple[int, int] | None]) -> int:
    return sum(spot is not None for spot in found)


def _on_line(
    centre: tuple[float, float], through: tuple[int, int], feasible: Sequence[Feasible], rng: Random
) -> list[tuple[int, int] | None]:
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
    spots: list[tuple[int, int] | None] = []
    for each in feasible:
        hits = np.flatnonzero(each[ys, xs])
        spot = int(hits[rng.randrange(len(hits))]) if hits.size else None
        spots.append(None if spot is None else (int(xs[spot]), int(ys[spot])))
    return spots


def _anywhere(feasible: Feasible, rng: Random) -> tuple[int, int]:
    candidates = np.flatnonzero(feasible)
    y, x = divmod(int(candidates[rng.randrange(len(candidates))]), feasible.shape[1])
    return x, y
