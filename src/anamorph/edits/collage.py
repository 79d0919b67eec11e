"""Two photos side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from anamorph.edits.scale import scaled_to
from anamorph.errors import BadPicture
from anamorph.model import Box, Picture, Thing, setting
from anamorph.pixels.masks import mask_from_pixels, mask_pixels

# The white gap between the photos, as a share of their common side.
GAP = 0.02
NO_PHOTO = "A collage is made of the images of both photos, and that of {!r} is not there."


@dataclass(frozen=True, slots=True)
class Collage:
    """Put the photo of another scene beside the image, scaled to its height or width, with a white gap between."""

    kind: ClassVar[str] = "collage"
    reach: ClassVar[str] = "anew"
    other: str = setting(help="The id of the scene whose photo goes beside this one.")
    below: bool = setting(False, "Put it below instead of to the right.")

    def apply(self, picture: Picture) -> Picture:
        # A run joins the images that the system saw (`engine/render/cuttings.py`).
        raise BadPicture(NO_PHOTO.format(self.other))

    def joined(self, one: Picture, other: Picture) -> Picture:
        """The image with the other one beside it."""
        return joined(one, other, below=self.below, name=self.other)


def joined(one: Picture, other: Picture, *, below: bool, name: str = "other") -> Picture:
    """Two images as one: the second right of the first or below it, its objects' ids prefixed with its name."""
    height, width = one.pixels.shape[:2]
    rows, columns = other.pixels.shape[:2]
    if below:
        other = scaled_to(other, width, max(1, round(rows * width / columns)))
    else:
        other = scaled_to(other, max(1, round(columns * height / rows)), height)
    gap = max(1, round(GAP * (width if below else height)))
    rows, columns = other.pixels.shape[:2]
    size = (height + gap + rows, width) if below else (height, width + gap + columns)
    down, across = (height + gap, 0) if below else (0, width + gap)
    pixels = np.full((*size, 3), 255, np.uint8)
    pixels[:height, :width] = one.pixels
    pixels[down : down + rows, across : across + columns] = other.pixels
    things = [_on(thing, size, 0, 0) for thing in one.things]
    prefix, taken = f"{name}/", {thing.id for thing in one.things}
    while any(f"{prefix}{thing.id}" in taken for thing in other.things):
        prefix = f"{name}/{prefix}"
    things += [replace(_on(thing, size, down, across), id=f"{prefix}{thing.id}") for thing in other.things]
    return replace(one, pixels=pixels, things=tuple(things))


def _on(thing: Thing, size: tuple[int, int], down: int, across: int) -> Thing:
    """An object on the larger canvas."""
    box = Box(thing.box.x + across, thing.box.y + down, thing.box.width, thing.box.height)
    if thing.mask is None:
        return replace(thing, box=box)
    shape = np.zeros(size, np.bool_)
    shape[down : down + thing.mask.height, across : across + thing.mask.width] = mask_pixels(thing.mask)
    return replace(thing, box=box, mask=mask_from_pixels(shape))
