"""Which sizes and positions a new object may have: equations 1 to 5, every position of a size in one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from anamorph.model import Box, setting

Floats: TypeAlias = npt.NDArray[np.float64]
# For every position of the top left corner, rows first, whether it is allowed.
Feasible: TypeAlias = npt.NDArray[np.bool_]
Size: TypeAlias = tuple[int, int]
# Whether a new object in this box would hide too much of another one, by their masks.
Hides: TypeAlias = Callable[[Box], bool]

_BLOCK = 8


@dataclass(frozen=True, slots=True)
class PlacementRules:
    """How large an inserted object is and how far it may cover others; the numbers are the paper's."""

    # A text in place of the table is the mode.
    short_form: ClassVar[str] = "mode"
    mode: Literal["supported", "paper"] = setting(
        "supported",
        "supported: the object rests on the ground, a table or water, in the size that its class has there, or flies. "
        "paper: equations 1 to 5 alone.",
    )
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
        0.03, "With mode paper, a background whose largest object covers less of it is not used.", least=0, most=1
    )
    most_weighted: float = setting(
        0.7, "With mode paper, a background whose S(b) is a larger share of it is not used.", least=0, most=1
    )
    tries: int = setting(
        12, "How many random sizes, and lines for each size, are tried; then come all other sizes.", least=1
    )
    least_area: float = setting(
        0.018,
        "A supported object's box has at least this share of the picture, or nobody would name it.",
        least=0,
        most=1,
    )
    most_enlarged: float = setting(
        1.3, "A supported cut-out is made at most this much larger than it was in its own photo.", least=0.1
    )
    spare_masks: bool = setting(
        True,
        "Nor may any object lose more than ratio_max of its own pixels to the new one's. Off: boxes alone (the paper).",
    )


def weighted_area(areas: Sequence[float], canvas: float) -> float:
    """S(b), equation 2: the mean area of the objects, weighted with the softmax of their shares of the picture."""
    shares = np.asarray(areas, np.float64) / canvas
    weights = np.exp(shares - shares.max())
    return float((weights * areas).sum() / weights.sum())


def unusable(boxes: Sequence[Box], width: int, height: int, rules: PlacementRules) -> str | None:
    """Why a picture with these objects cannot be the background of an insertion, or None."""
    if not boxes:
        return "no object"
    # Sizes of supported objects do not follow from those that are there.
    if rules.mode == "supported":
        return None
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


def overlap_interval(index: int, rules: PlacementRules) -> tuple[float, float]:
    """Equation 4: the bounds of an interval, open below and closed above; the first one is 0 alone."""
    if index == 0:
        return 0.0, 0.0
    step = rules.ratio_max / (rules.intervals - 1)
    return step * (index - 1), step * index


@dataclass(frozen=True, slots=True, eq=False)
class OverlapMaps:
    """What a new object of one size would cover, at every position (of its top left corner, rows first).

    `free` is True where it covers no object at all. `largest` (equation 5 for the largest object) and `others` (the
    most of any other one) are worked out for the positions in `window` only, which overlap the largest object.
    """

    free: Feasible
    window: tuple[slice, slice]
    largest: Floats
    others: Floats

    def feasible(self, index: int, rules: PlacementRules) -> Feasible:
        """Where rules R1 and R2 hold for an interval."""
        if index == 0:
            return self.free
        allowed = np.zeros_like(self.free)
        allowed[self.window] = self._in_window(index, rules)
        return allowed

    def possible(self, rules: PlacementRules) -> bool:
        """Whether every interval has a position; the widest overlap, which fails most often, is looked at first."""
        overlapping = range(rules.intervals - 1, 0, -1)
        return all(self._in_window(index, rules).any() for index in overlapping) and bool(self.free.any())

    def _in_window(self, index: int, rules: PlacementRules) -> Feasible:
        low, high = overlap_interval(index, rules)
        return (self.largest > low) & (self.largest <= high) & (self.others <= high)


def overlap_maps(boxes: Sequence[Box], size: tuple[int, int], width: int, height: int) -> OverlapMaps:
    """The overlaps at every position of a new object of this size; it must fit the picture."""
    across, down = _sides(boxes, size, width, height)
    spans = [(_span(vertical > 0), _span(horizontal > 0)) for horizontal, vertical in zip(across, down, strict=True)]
    free = np.ones((down.shape[1], across.shape[1]), np.bool_)
    for span in spans:
        free[span] = False
    first = largest_of(boxes)
    rows, columns = window = spans[first]
    largest = np.outer(down[first][rows], across[first][columns]) / boxes[first].area
    others = np.zeros_like(largest)
    for position, box in enumerate(boxes):
        common = _common(rows, spans[position][0]), _common(columns, spans[position][1])
        if position == first or common[0].stop <= common[0].start or common[1].stop <= common[1].start:
            continue
        block = np.outer(down[position][common[0]], across[position][common[1]]) / box.area
        part = others[_within(common[0], rows), _within(common[1], columns)]
        np.maximum(part, block, out=part)
    return OverlapMaps(free, window, largest, others)


def _sides(boxes: Sequence[Box], size: tuple[int, int], width: int, height: int) -> tuple[Floats, Floats]:
    """How much of each box's width, and of its height, is covered at every x and y; less than 0 where it is apart."""
    xs = np.arange(width - size[0] + 1, dtype=np.float64)
    ys = np.arange(height - size[1] + 1, dtype=np.float64)
    left, top = np.array([[box.x] for box in boxes]), np.array([[box.y] for box in boxes])
    right, bottom = np.array([[box.right] for box in boxes]), np.array([[box.bottom] for box in boxes])
    across = np.minimum(xs + size[0], right) - np.maximum(xs, left)
    down = np.minimum(ys + size[1], bottom) - np.maximum(ys, top)
    return across, down


def may_overlap(boxes: Sequence[Box], size: tuple[int, int], width: int, height: int, rules: PlacementRules) -> bool:
    """False only if some interval but the first has no position at all: bounds over blocks of positions prove it."""
    across, down = (np.maximum(side, 0) for side in _sides(boxes, size, width, height))
    columns, rows = np.arange(0, across.shape[1], _BLOCK), np.arange(0, down.shape[1], _BLOCK)
    areas = np.array([box.area for box in boxes])[:, None, None]
    least = np.minimum.reduceat(down, rows, axis=1)[:, :, None] * np.minimum.reduceat(across, columns, axis=1)[:, None]
    least /= areas
    first = largest_of(boxes)
    most = np.outer(np.maximum.reduceat(down[first], rows), np.maximum.reduceat(across[first], columns))
    most /= boxes[first].area
    every = least.max(axis=0)
    for index in range(rules.intervals - 1, 0, -1):
        low, high = overlap_interval(index, rules)
        if not ((most > low) & (every <= high)).any():
            return False
    return True


def has_free_place(boxes: Sequence[Box], size: tuple[int, int], width: int, height: int) -> bool:
    """Whether there is a position where no object is covered.

    A free object can be slid left and then up until it meets the edge or another's far side, and stays free: so only
    those positions need a look.
    """
    right = np.array([box.right for box in boxes])
    bottom = np.array([box.bottom for box in boxes])
    xs = np.unique(np.concatenate([[0.0], np.ceil(right)]))
    ys = np.unique(np.concatenate([[0.0], np.ceil(bottom)]))
    xs, ys = xs[xs <= width - size[0]], ys[ys <= height - size[1]]
    beside = (xs[:, None] >= right) | (xs[:, None] + size[0] <= np.array([box.x for box in boxes]))
    above = (ys[:, None] >= bottom) | (ys[:, None] + size[1] <= np.array([box.y for box in boxes]))
    # How many objects are in the way at each position; a cube of all three would take gigabytes.
    in_the_way = (~above).astype(np.float32) @ (~beside).astype(np.float32).T
    return bool((in_the_way == 0).any())


def largest_of(boxes: Sequence[Box]) -> int:
    """The position of the largest box, the first of equals."""
    return max(range(len(boxes)), key=lambda position: boxes[position].area)


def _span(inside: npt.NDArray[np.bool_]) -> slice:
    found = np.flatnonzero(inside)
    return slice(int(found[0]), int(found[-1]) + 1) if found.size else slice(0, 0)


def _common(one: slice, other: slice) -> slice:
    return slice(max(one.start, other.start), min(one.stop, other.stop))


def _within(part: slice, whole: slice) -> slice:
    return slice(part.start - whole.start, part.stop - whole.start)
