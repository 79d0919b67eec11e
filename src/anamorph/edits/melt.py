"""Removing objects and inpainting the background."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from anamorph.edits.shrinking.ladders import fewer
from anamorph.model import Box, Hole, MadeUp, ObjectChange, Picture, Thing, setting
from anamorph.pixels.shadows import foot_shadow
from anamorph.pixels.shapes import chosen, covered, hole_kernel, thing_shape, union_shape, widened

# A mask that covers this share of an object is behind it.
_GROUND = 0.25
# A much larger object whose box covers this share of another's may be its ground.
_HELD = 0.8
# An object with this share of the hole's rim is its ground; with this share, objects surround the hole.
_BORDERS, _HEAP = 0.45, 0.55
_SOFT = 9


@dataclass(frozen=True, slots=True)
class Melt:
    """Remove objects and inpaint the hole, once for all of them."""

    kind: ClassVar[str] = "melt"
    reach: ClassVar[str] = "place"
    does: ClassVar[str | None] = "removed"
    objects: tuple[str, ...] = setting(help="The ids of the objects to remove.")
    inpainter: str = setting("telea", "The name of the inpainter.")
    spare: bool = setting(False, "Leave other objects unchanged where the widened hole meets them.")
    shadows: bool = setting(False, "Also remove the dark patch on the ground at an object's foot.")

    def __post_init__(self) -> None:
        if not self.objects:
            raise ValueError("objects must name at least one object")

    def apply(self, picture: Picture) -> Picture:
        gone, kept = chosen(picture, self.objects)
        hole = self._hole(picture, gone, kept)
        pixels = picture.tools().inpaint(self.inpainter, picture.pixels, hole, partial(others_near, gone, kept, hole))
        return replace(picture, pixels=pixels, things=covered(kept, hole))

    def made_up(self, picture: Picture) -> MadeUp:
        """The hole, and the objects in it."""
        gone, kept = chosen(picture, self.objects)
        return MadeUp(self._hole(picture, gone, kept), tuple(gone))

    def takes_away(self) -> Sequence[str]:
        """The removed objects."""
        return self.objects

    def outlines(self, things: Mapping[str, Thing]) -> Iterator[ObjectChange]:
        """Where the objects were."""
        for thing in (things[id] for id in self.objects if id in things):
            yield ObjectChange(thing.label, thing.box, thing.box)

    def smaller(self) -> Iterator[Sequence[Melt]]:
        for objects in fewer(self.objects):
            yield [replace(self, objects=objects)]

    def _hole(self, picture: Picture, gone: Sequence[Thing], kept: Sequence[Thing]) -> Hole:
        height, width = picture.pixels.shape[:2]
        hole = melting_hole(gone, kept if self.spare else (), height, width)
        if not self.shadows:
            return hole
        others = union_shape(_beside(gone, kept), height, width)
        shade = np.zeros_like(hole)
        for thing in gone:
            shade |= foot_shadow(picture.pixels, thing_shape(thing, height, width), hole, others)
        # A shadow has a soft edge.
        return hole | (widened(shade, _SOFT) & ~others)


def _beside(gone: Sequence[Thing], kept: Sequence[Thing]) -> list[Thing]:
    """The other objects near enough to overlap the search area for shadows."""
    reaches = [
        Box(box.x - box.width, box.y, 3 * box.width, 2 * box.height + box.width)
        for box in (thing.box for thing in gone)
    ]
    return [other for other in kept if any(reach.overlap(other.box) for reach in reaches)]


def melting_hole(gone: Sequence[Thing], spared: Sequence[Thing], height: int, width: int) -> Hole:
    """The widened union of the masks, minus the masks of spared objects; never less than the union."""
    core, hole = np.zeros((height, width), np.bool_), np.zeros((height, width), np.bool_)
    for thing in gone:
        shape = thing_shape(thing, height, width)
        core |= shape
        hole |= widened(shape, hole_kernel(thing, height, width))
    for thing in spared:
        if thing.mask is None or thing.crowd:
            continue
        shape = thing_shape(thing, height, width)
        # An annotated bed includes the book on it: a mask through the object is ground, not a neighbor.
        if (shape & core).sum() < _GROUND * core.sum():
            hole = hole & ~shape
    return hole | core


def others_near(gone: Sequence[Thing], kept: Sequence[Thing], hole: Hole) -> Hole:
    """The pixels of other objects, which must not be copied into the hole, except of those that hold the removed ones.

    A table is the ground of the cup on it, and a pizza that of the fork; a dog is not that of the hydrant beside it. In
    a heap, where other objects surround the hole, they are its ground.
    """
    height, width = hole.shape
    ring = widened(hole, 5) & ~hole
    main = max(gone, key=lambda thing: thing.box.area)
    around, others = max(1, int(ring.sum())), np.zeros_like(hole)
    for thing in kept:
        if _holds(thing, main):
            continue
        shape = thing_shape(thing, height, width)
        if int((shape & ring).sum()) < _BORDERS * around:
            others |= shape
    return others & ~hole if int((others & ring).sum()) < _HEAP * around else np.zeros_like(hole)


def _holds(thing: Thing, other: Thing) -> bool:
    return thing.box.area > 2 * other.box.area and thing.box.overlap(other.box) > _HELD * other.box.area
