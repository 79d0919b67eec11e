"""Mirroring."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from anamorph.model import Box, Picture, Thing
from anamorph.pixels.masks import mask_from_pixels, mask_pixels


@dataclass(frozen=True, slots=True)
class Mirror:
    """Swap left and right."""

    kind: ClassVar[str] = "mirror"

    def apply(self, picture: Picture) -> Picture:
        width = picture.pixels.shape[1]
        pixels = np.ascontiguousarray(picture.pixels[:, ::-1])
        return replace(picture, pixels=pixels, things=tuple(_mirrored(thing, width) for thing in picture.things))


def _mirrored(thing: Thing, width: int) -> Thing:
    box = Box(width - thing.box.right, thing.box.y, thing.box.width, thing.box.height)
    mask = None if thing.mask is None else mask_from_pixels(np.ascontiguousarray(mask_pixels(thing.mask)[:, ::-1]))
    return replace(thing, box=box, mask=mask)
