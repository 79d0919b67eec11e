"""An object of a photo seen close up: as large as a network can see it, and compared with its outline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np

from anamorph.model import Box, Mask, Pixels, Thing
from anamorph.pixels.masks import mask_area, mask_common, mask_in_window, mask_pixels
from anamorph.pixels.shapes import touched

# How far around an object is looked, as a share of its longer side.
_AROUND = 0.5


def seen_close_up(thing: Thing, pixels: Pixels, look: Callable[[Pixels], Iterable[Thing]]) -> Iterator[Thing]:
    """What a network finds in a square around an object, with masks of the photo's size; what has no mask is left out.

    Labels are compared with no regard to case.
    """
    height, width = pixels.shape[:2]
    side = (1 + 2 * _AROUND) * max(thing.box.width, thing.box.height)
    corner = thing.box.x + (thing.box.width - side) / 2, thing.box.y + (thing.box.height - side) / 2
    left, top, right, bottom = touched(Box(*corner, side, side), height, width)
    for found in look(np.ascontiguousarray(pixels[top:bottom, left:right])):
        if found.mask is not None and mask_area(found.mask) and found.label.lower() == thing.label.lower():
            yield replace(found, mask=mask_in_window(mask_pixels(found.mask), left, top, height, width))


def in_common(one: Thing, other: Thing) -> float:
    """How much of two outlines is the same: intersection over union; 0 where one is not known."""
    return 0.0 if one.mask is None or other.mask is None else _iou(one.mask, other.mask)


def _iou(one: Mask, other: Mask) -> float:
    common = mask_area(mask_common(one, other))
    return common / max(1, mask_area(one) + mask_area(other) - common)
