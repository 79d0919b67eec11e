"""Ground that no box covers: where a photo can be cut, where it has room, and what stands alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from random import Random
from typing import Literal, TypeAlias

import numpy as np

from anamorph.model import Box, Thing

Axis: TypeAlias = Literal["x", "y"]


def pieces(
    things: Sequence[Thing], width: int, height: int, axis: Axis, least_gap: float, least_side: int
) -> list[Box]:
    """The most pieces along an axis that cut no box and have an object each; one piece is the whole photo.

    Cuts are made in the middle of uncovered ground, at whole pixels. Crowds are covered ground, but not objects.
    """
    places, total = [0], width if axis == "x" else height
    covered, owned = 0.0, False
    for start, end, crowd in _spans(things, axis):
        if start - covered >= least_gap and owned:
            place = _whole_between(covered, start)
            if place is not None and place - places[-1] >= least_side:
                places.append(place)
                owned = False
        covered = max(covered, end)
        owned = owned or not crowd
    if len(places) > 1 and (not owned or total - places[-1] < least_side):
        places.pop()
    bounds = list(zip(places, [*places[1:], total], strict=True))
    if axis == "x":
        return [Box(low, 0, high - low, height) for low, high in bounds]
    return [Box(0, low, width, high - low) for low, high in bounds]


def _spans(things: Iterable[Thing], axis: Axis) -> list[tuple[float, float, bool]]:
    boxes = ((thing.box, thing.crowd) for thing in things)
    return sorted((b.x, b.right, crowd) if axis == "x" else (b.y, b.bottom, crowd) for b, crowd in boxes)


def _whole_between(low: float, high: float) -> int | None:
    """The whole number nearest to the middle of a range, if there is one in it."""
    place = math.floor((low + high) / 2 + 0.5)
    place = min(max(place, math.ceil(low)), math.floor(high))
    return place if low <= place <= high else None


def standing_alone(things: Sequence[Thing], margin: float) -> list[Thing]:
    """The objects whose boxes, widened by a margin, overlap no other; crowds are never among them."""
    alone = []
    for thing in things:
        box = thing.box
        near = Box(box.x - margin, box.y - margin, box.width + 2 * margin, box.height + 2 * margin)
        if not thing.crowd and not any(other is not thing and near.overlap(other.box) for other in things):
            alone.append(thing)
    return alone


def free_spot(boxes: Sequence[Box], size: tuple[int, int], width: int, height: int, rng: Random) -> Box | None:
    """A random place for a box of this size that overlaps no other, found exactly; None if there is none."""
    across, down = width - size[0] + 1, height - size[1] + 1
    if across < 1 or down < 1:
        return None
    free = np.ones((down, across), np.bool_)
    for box in boxes:
        # The left edges at which the new box would overlap this one: x < right and x + width > left.
        left, right = max(0, math.floor(box.x - size[0]) + 1), math.ceil(box.right)
        top, bottom = max(0, math.floor(box.y - size[1]) + 1), math.ceil(box.bottom)
        free[top : max(top, bottom), left : max(left, right)] = False
    places = np.flatnonzero(free)
    if not places.size:
        return None
    y, x = divmod(int(places[rng.randrange(len(places))]), across)
    return Box(x, y, *size)
