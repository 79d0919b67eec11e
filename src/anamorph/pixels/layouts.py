"""Where objects are after they were moved, without touching a pixel."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import cv2
import numpy as np

from anamorph.errors import BadPicture
from anamorph.model import Box, Hole, ObjectChange, Thing, setting
from anamorph.pixels.shapes import thing_shape, window_of
from anamorph.pixels.warps import Affine

Window: TypeAlias = tuple[slice, slice]

# A turned box has edges between pixels; what sticks out by less is rounding.
_ROUNDING = 0.5


@dataclass(frozen=True, slots=True)
class Move:
    """How one object moves: mirrored, scaled and turned about the centre of its box, then shifted. By default it stays.

    SPOLRE's four relations in one record. Several moves of one object are joined with `then`.
    """

    object: str = setting(help="The id of the object.")
    right: float = setting(0.0, "Pixels to the right.")
    down: float = setting(0.0, "Pixels downwards.")
    degrees: float = setting(0.0, "Turned counter-clockwise.", least=-360, most=360)
    scale: float = setting(1.0, "What its width and height are multiplied by.", least=0.01, most=100)
    mirror: bool = setting(False, "Left and right swapped, before all else.")

    def part(self, share: float) -> Move:
        """This share of the way; an object is mirrored or not."""
        return Move(
            self.object,
            round(self.right * share, 3),
            round(self.down * share, 3),
            round(self.degrees * share, 3),
            round(self.scale**share, 6),
            self.mirror,
        )

    def then(self, next: Move) -> Move:
        """Both moves, one after the other, as one; the centre of the box travels along."""
        if next.object != self.object:
            raise ValueError(f"a move of {next.object!r} cannot follow one of {self.object!r}")
        turned = -self.degrees if next.mirror else self.degrees
        return Move(
            self.object,
            self.right + next.right,
            self.down + next.down,
            math.remainder(turned + next.degrees, 360),
            self.scale * next.scale,
            self.mirror != next.mirror,
        )


def affine_of(move: Move, box: Box) -> Affine:
    """The affine map of box edges (the first pixel begins at 0) for a move of an object with this box."""
    x, y = box.x + box.width / 2, box.y + box.height / 2
    cosine, sine = math.cos(math.radians(move.degrees)), math.sin(math.radians(move.degrees))
    flip = -1.0 if move.mirror else 1.0
    linear = move.scale * np.array([[cosine * flip, sine], [-sine * flip, cosine]])
    shift = np.array([x + move.right, y + move.down]) - linear @ np.array([x, y])
    return np.column_stack([linear, shift])


def of_centres(affine: Affine) -> Affine:
    """The same map for the centres of pixels, where the first is 0, as OpenCV counts."""
    shift = affine[:, 2] + affine[:, :2] @ np.array([0.5, 0.5]) - 0.5
    return np.column_stack([affine[:, :2], shift])


def moved_box(box: Box, move: Move) -> Box:
    """The box around the moved box; the object itself lies within."""
    corners = np.array([(x, y, 1.0) for x in (box.x, box.right) for y in (box.y, box.bottom)])
    xs, ys = affine_of(move, box) @ corners.T
    return Box(float(xs.min()), float(ys.min()), float(np.ptp(xs)), float(np.ptp(ys)))


def moved_outlines(moves: Iterable[Move], things: Mapping[str, Thing]) -> Iterator[ObjectChange]:
    """Where the objects of some moves were, and where they are."""
    for move in moves:
        thing = things.get(move.object)
        if thing is not None and move != Move(move.object):
            yield ObjectChange(thing.label, thing.box, moved_box(thing.box, move))


def kept_inside(box: Box, move: Move, width: int, height: int) -> Move | None:
    """The move, shifted as little as possible to keep the moved box on the canvas; None if the box is too large."""
    moved = moved_box(box, move)
    if moved.width > width or moved.height > height:
        return None
    right = min(max(moved.x, 0.0), width - moved.width) - moved.x
    down = min(max(moved.y, 0.0), height - moved.height) - moved.y
    return replace(move, right=move.right + right, down=move.down + down)


def moved_shape(thing: Thing, move: Move, width: int, height: int) -> Hole:
    """The object's pixels after its move, nearest neighbour; BadPicture if it leaves the canvas."""
    box = moved_box(thing.box, move)
    if min(box.x, box.y, width - box.right, height - box.bottom) < -_ROUNDING:
        raise BadPicture(f"The object {thing.id!r} would leave the picture of {width} x {height}.")
    shape = thing_shape(thing, height, width)
    result = np.zeros((height, width), np.bool_)
    source, target, affine = windows_of(shape, affine_of(move, thing.box))
    if shape[source].size and result[target].size:
        # A label map must not gain values between its labels.
        result[target] = warped(shape[source].view(np.uint8), affine, target, cv2.INTER_NEAREST)
    return result


def windows_of(shape: Hole, affine: Affine) -> tuple[Window, Window, Affine]:
    """The part of the canvas that a shape is on, the part that a map of box edges takes it to, and the map of pixel
    centres from the one to the other."""
    height, width = shape.shape
    # One pixel more on every side, for interpolation looks beyond the last one.
    rows, columns = source = window_of(shape, 1)
    corners = np.array([(x, y, 1.0) for x in (columns.start, columns.stop) for y in (rows.start, rows.stop)])
    xs, ys = affine @ corners.T
    target = (
        slice(max(0, math.floor(ys.min()) - 1), min(height, max(0, math.ceil(ys.max()) + 1))),
        slice(max(0, math.floor(xs.min()) - 1), min(width, max(0, math.ceil(xs.max()) + 1))),
    )
    between = of_centres(affine)
    between[:, 2] += between[:, :2] @ (columns.start, rows.start) - (target[1].start, target[0].start)
    return source, target, between


def warped(values: Any, affine: Affine, target: Window, flags: int) -> Any:
    """Values taken to a window of the canvas."""
    size = (target[1].stop - target[1].start, target[0].stop - target[0].start)
    return cv2.warpAffine(np.ascontiguousarray(values), affine, size, flags=flags)


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The moved objects' full shapes, lowest first (the largest), and what is visible of each in the end."""

    full: Mapping[str, Hole]
    visible: Mapping[str, Hole]

    def hidden_share(self, id: str) -> float:
        """How much of a moved object those above it hide; 1 if nothing of it is left to see."""
        full = np.count_nonzero(self.full[id])
        return 1 - np.count_nonzero(self.visible[id]) / full if full else 1.0


def laid_out(things: Sequence[Thing], moves: Sequence[Move], width: int, height: int) -> Layout:
    """Move objects and stack them, smaller ones on top."""
    by_id = {thing.id: thing for thing in things}
    shapes = {move.object: moved_shape(by_id[move.object], move, width, height) for move in moves}
    order = sorted(shapes, key=lambda id: (-np.count_nonzero(shapes[id]), id))
    visible: dict[str, Hole] = {}
    above = np.zeros((height, width), np.bool_)
    for id in reversed(order):
        visible[id] = shapes[id] & ~above
        above |= shapes[id]
    return Layout({id: shapes[id] for id in order}, {id: visible[id] for id in order})
