"""Covering objects with a solid color."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from anamorph.edits.shrinking.ladders import fewer
from anamorph.model import ObjectChange, Picture, Thing, setting
from anamorph.pixels.shapes import chosen, covered, thing_shape, touched


@dataclass(frozen=True, slots=True)
class Patch:
    """Cover the boxes or masks of objects with a solid color; MetaVQA's removal."""

    kind: ClassVar[str] = "patch"
    reach: ClassVar[str] = "place"
    does: ClassVar[str | None] = "covered"
    objects: tuple[str, ...] = setting(help="The ids of the objects to cover.")
    area: Literal["box", "mask"] = setting("box", "Cover every pixel that the box touches, or only the mask.")
    colour: tuple[int, int, int] = setting((255, 255, 255), "Red, green and blue, 0 to 255.", least=0, most=255)

    def __post_init__(self) -> None:
        if not self.objects:
            raise ValueError("objects must name at least one object")

    def apply(self, picture: Picture) -> Picture:
        gone, kept = chosen(picture, self.objects)
        height, width = picture.pixels.shape[:2]
        cover = np.zeros((height, width), np.bool_)
        for thing in gone:
            if self.area == "box":
                left, top, right, bottom = touched(thing.box, height, width)
                cover[top:bottom, left:right] = True
            # A mask may extend a little beyond its annotated box; none of the object may show.
            cover |= thing_shape(thing, height, width)
        pixels = picture.pixels.copy()
        pixels[cover] = self.colour
        return replace(picture, pixels=pixels, things=covered(kept, cover))

    def takes_away(self) -> Sequence[str]:
        """The covered objects."""
        return self.objects

    def outlines(self, things: Mapping[str, Thing]) -> Iterator[ObjectChange]:
        """Where the objects were."""
        for thing in (things[id] for id in self.objects if id in things):
            yield ObjectChange(thing.label, thing.box, thing.box)

    def smaller(self) -> Iterator[Sequence[Patch]]:
        for objects in fewer(self.objects):
            yield [replace(self, objects=objects)]
