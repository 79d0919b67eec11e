"""Cropping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from anamorph.model import Box, ObjectChange, Picture, Thing, setting
from anamorph.pixels.masks import mask_pixels
from anamorph.pixels.shapes import thing_with_shape, whole_box


@dataclass(frozen=True, slots=True)
class Crop:
    """Keep only a box of the image; objects are cropped with it."""

    kind: ClassVar[str] = "crop"
    reach: ClassVar[str] = "cut"
    box: Box = setting(help="The box to keep, rounded to whole pixels: x, y, width and height.")

    def apply(self, picture: Picture) -> Picture:
        left, top, right, bottom = whole_box(self.box, *picture.pixels.shape[:2])
        pixels = np.ascontiguousarray(picture.pixels[top:bottom, left:right])
        return replace(picture, pixels=pixels, things=cut_things(picture.things, left, top, right, bottom))

    def outlines(self, things: Mapping[str, Thing]) -> Iterator[ObjectChange]:
        """The kept box."""
        yield ObjectChange("", self.box, None)


def cut_things(things: Sequence[Thing], left: int, top: int, right: int, bottom: int) -> tuple[Thing, ...]:
    """The objects in a window of whole pixels, in its coordinates."""
    cut = (_cut(thing, left, top, right, bottom) for thing in things)
    return tuple(thing for thing in cut if thing is not None)


def _cut(thing: Thing, left: int, top: int, right: int, bottom: int) -> Thing | None:
    box = thing.box
    x, y = max(box.x, left), max(box.y, top)
    within = Box(x - left, y - top, min(box.right, right) - x, min(box.bottom, bottom) - y)
    if thing.mask is None:
        return replace(thing, box=within) if within.width > 0 and within.height > 0 else None
    shape = mask_pixels(thing.mask)
    window = shape[top:bottom, left:right]
    rest = thing_with_shape(thing, window)
    if rest is not None and within.width == box.width and within.height == box.height and window.sum() == shape.sum():
        # An annotated box has subpixel precision, and keeps it if not cut.
        return replace(rest, box=within)
    return rest
