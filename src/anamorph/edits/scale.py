"""Scaling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import cv2
import numpy as np

from anamorph.edits.shrinking.ladders import towards
from anamorph.model import Box, Picture, Thing, setting
from anamorph.pixels.masks import mask_pixels
from anamorph.pixels.shapes import thing_with_shape


@dataclass(frozen=True, slots=True)
class Scale:
    """Resize the whole image; the canvas changes with it."""

    kind: ClassVar[str] = "scale"
    factor: float = setting(0.8, "The factor for width and height; at least one pixel stays.", least=0.01, most=10)

    def apply(self, picture: Picture) -> Picture:
        height, width = picture.pixels.shape[:2]
        return scaled_to(picture, max(1, round(width * self.factor)), max(1, round(height * self.factor)))

    def scale_of(self, object: str) -> float:
        """The scale factor of every object's sides."""
        return self.factor

    def smaller(self) -> Iterator[Sequence[Scale]]:
        yield [Scale(factor) for factor in towards(1, self.factor)]


def scaled_to(picture: Picture, width: int, height: int) -> Picture:
    """An image and its objects at another size."""
    rows, columns = picture.pixels.shape[:2]
    size = (width, height)
    if size == (columns, rows):
        return picture
    # Area averaging avoids aliasing in smaller images.
    how = cv2.INTER_AREA if width * height < columns * rows else cv2.INTER_LINEAR
    pixels = np.asarray(cv2.resize(picture.pixels, size, interpolation=how), np.uint8)
    scaled = (_scaled(thing, width / columns, height / rows, size) for thing in picture.things)
    return replace(picture, pixels=pixels, things=tuple(thing for thing in scaled if thing is not None))


def _scaled(thing: Thing, across: float, down: float, size: tuple[int, int]) -> Thing | None:
    if thing.mask is None:
        box = thing.box
        return replace(thing, box=Box(box.x * across, box.y * down, box.width * across, box.height * down))
    shape = mask_pixels(thing.mask).astype(np.uint8)
    shape = np.asarray(cv2.resize(shape, size, interpolation=cv2.INTER_NEAREST_EXACT), np.uint8)
    return thing_with_shape(thing, shape.astype(np.bool_))
