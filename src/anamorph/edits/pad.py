"""A plain border."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from anamorph.model import Box, Picture, Thing, setting
from anamorph.pixels.masks import mask_from_pixels, mask_pixels


@dataclass(frozen=True, slots=True)
class Pad:
    """Add a plain border on all four sides; the canvas grows."""

    kind: ClassVar[str] = "pad"
    share: float = setting(0.1, "The width of the border, as a share of the side it lengthens.", least=0, most=1)
    gray: int = setting(128, "The gray of the border, from black to white.", least=0, most=255)

    def apply(self, picture: Picture) -> Picture:
        height, width = picture.pixels.shape[:2]
        down, across = round(height * self.share), round(width * self.share)
        if not down and not across:
            return picture
        around = ((down, down), (across, across))
        pixels = np.pad(picture.pixels, (*around, (0, 0)), constant_values=self.gray)
        return replace(picture, pixels=pixels, things=tuple(_moved(thing, around) for thing in picture.things))


def _moved(thing: Thing, around: tuple[tuple[int, int], tuple[int, int]]) -> Thing:
    (down, _), (across, _) = around
    box = Box(thing.box.x + across, thing.box.y + down, thing.box.width, thing.box.height)
    mask = None if thing.mask is None else mask_from_pixels(np.pad(mask_pixels(thing.mask), around))
    return replace(thing, box=box, mask=mask)
