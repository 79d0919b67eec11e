"""The pixels that objects cover, and what is left of them when something covers those."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import cv2
import numpy as np

from anamorph.errors import BadPicture
from anamorph.model import Box, Hole, Mask, Picture, Thing
from anamorph.pixels.masks import mask_area, mask_box, mask_common, mask_complement, mask_from_pixels, mask_pixels


def thing_shape(thing: Thing, height: int, width: int) -> Hole:
    """The pixels of an object: its mask, or every pixel that its box touches where it has none."""
    if thing.mask is not None:
        return mask_pixels(own_mask(thing, height, width))
    left, top, right, bottom = touched(thing.box, height, width)
    shape = np.zeros((height, width), np.bool_)
    shape[top:bottom, left:right] = True
    return shape


def own_mask(thing: Thing, height: int, width: int) -> Mask:
    """The mask of an object that has one; BadPicture if it is not of the picture's size."""
    assert thing.mask is not None
    if (thing.mask.height, thing.mask.width) != (height, width):
        size = f"{thing.mask.width} x {thing.mask.height}"
        raise BadPicture(f"The mask of {thing.id!r} is {size}, but the picture is {width} x {height}.")
    return thing.mask


def union_shape(things: Iterable[Thing], height: int, width: int) -> Hole:
    """The pixels of several objects."""
    union = np.zeros((height, width), np.bool_)
    for thing in things:
        union |= thing_shape(thing, height, width)
    return union


def touched(box: Box, height: int, width: int) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of all pixels on the canvas that a box touches; right and bottom lie beyond them."""
    left, top = max(0, math.floor(box.x)), max(0, math.floor(box.y))
    right, bottom = min(width, math.ceil(box.right)), min(height, math.ceil(box.bottom))
    return left, top, max(left, right), max(top, bottom)


def whole_box(box: Box, height: int, width: int) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of a box in whole pixels, at least one; BadPicture if it leaves the canvas."""
    left, top = math.floor(box.x + 0.5), math.floor(box.y + 0.5)
    right = max(left + 1, math.floor(box.right + 0.5))
    bottom = max(top + 1, math.floor(box.bottom + 0.5))
    if left < 0 or top < 0 or right > width or bottom > height:
        raise BadPicture(
            f"The box {box.x:g}, {box.y:g}, {box.width:g} x {box.height:g} "
            f"does not lie on the picture of {width} x {height}."
        )
    return left, top, right, bottom


def melting_kernel(height: int, width: int) -> int:
    """The side of the square that a mask is dilated with: sqrt(H * W) / 35, made odd so that it has a centre."""
    return 2 * (round(math.sqrt(height * width) / 35) // 2) + 1


def hole_kernel(thing: Thing, height: int, width: int) -> int:
    """The side of the square that one object's mask is dilated with: half as much again where a network drew it."""
    kernel = melting_kernel(height, width)
    return kernel if thing.score is None else 2 * (3 * kernel // 4) + 1


def widened(shape: Hole, kernel: int) -> Hole:
    """A shape grown by half a square kernel on all sides."""
    grown = np.zeros_like(shape)
    window = window_of(shape, kernel // 2)
    part = np.ascontiguousarray(shape[window]).view(np.uint8)
    if part.size:
        grown[window] = cv2.dilate(part, np.ones((kernel, kernel), np.uint8))
    return grown


def size_at_area(area: float, size: tuple[int, int]) -> tuple[int, int]:
    """Width and height at another area and the same proportions, in whole pixels (MetaIC, equation 3)."""
    factor = math.sqrt(area / (size[0] * size[1]))
    return max(1, round(size[0] * factor)), max(1, round(size[1] * factor))


def window_of(shape: Hole, margin: int = 0) -> tuple[slice, slice]:
    """The rows and columns of a shape with a margin around them, as far as the canvas reaches; empty if it is."""
    left, top, width, height = cv2.boundingRect(np.ascontiguousarray(shape).view(np.uint8)) if shape.size else [0] * 4
    if not width:
        return slice(0, 0), slice(0, 0)
    return (
        slice(max(0, top - margin), min(shape.shape[0], top + height + margin)),
        slice(max(0, left - margin), min(shape.shape[1], left + width + margin)),
    )


def thing_with_shape(thing: Thing, shape: Hole) -> Thing | None:
    """The object with these pixels and the box around them, or None if there are none."""
    mask = mask_from_pixels(shape)
    return replace(thing, mask=mask, box=mask_box(mask)) if mask_area(mask) else None


def covered(things: Sequence[Thing], cover: Hole | Mask) -> tuple[Thing, ...]:
    """The visible rest of objects under a cover; one that is wholly covered is gone.

    An object without a mask keeps its box for as long as any pixel of it shows: its outline is not known.
    """
    mask = cover if isinstance(cover, Mask) else mask_from_pixels(cover)
    height, width, around = mask.height, mask.width, mask_box(mask)
    shown = mask_complement(mask)
    pixels: Hole | None = None
    left: list[Thing] = []
    for thing in things:
        # A box may be a little off its mask, so it is only trusted with a pixel to spare.
        near = Box(thing.box.x - 1, thing.box.y - 1, thing.box.width + 2, thing.box.height + 2)
        if not near.overlap(around):
            left.append(thing)
            continue
        if thing.mask is None:
            pixels = mask_pixels(shown) if pixels is None else pixels
            start, top, stop, bottom = touched(thing.box, height, width)
            if pixels[top:bottom, start:stop].any():
                left.append(thing)
            continue
        rest = mask_common(own_mask(thing, height, width), shown)
        area = mask_area(rest)
        if area == mask_area(thing.mask) and area:
            left.append(thing)
        elif area:
            left.append(replace(thing, mask=rest, box=mask_box(rest)))
    return tuple(left)


def chosen(picture: Picture, ids: Sequence[str]) -> tuple[list[Thing], list[Thing]]:
    """The objects with these ids, in their order, and the others; BadPicture names an id that is not there."""
    by_id = {thing.id: thing for thing in picture.things}
    for id in ids:
        if id not in by_id:
            known = ", ".join(by_id) or "none"
            raise BadPicture(f"The picture has no object {id!r}; it has: {known}.")
    return [by_id[id] for id in dict.fromkeys(ids)], [thing for thing in picture.things if thing.id not in set(ids)]
