"""A new image with the same objects in other places, painted from a class map."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import cv2
import numpy as np

from anamorph.errors import BadPicture
from anamorph.model import AmodalMask, ObjectChange, Picture, Region, Stuff, Thing, setting
from anamorph.pixels.amodal import with_amodal_masks
from anamorph.pixels.layouts import Move, laid_out, moved_outlines
from anamorph.pixels.masks import mask_pixels
from anamorph.pixels.shapes import chosen, covered, thing_shape, thing_with_shape


@dataclass(frozen=True, slots=True)
class Repaint:
    """Move objects on a class map, and have a painter render it; no pixel of the photo is kept."""

    kind: ClassVar[str] = "repaint"
    reach: ClassVar[str] = "anew"
    does: ClassVar[str | None] = "moved"
    moves: tuple[Move, ...] = setting(help="One move for each moved object; the others stay.")
    painter: str = setting("controlnet", "The name of the painter.")
    prompt: str = setting("a photograph", "The painter's prompt.")
    sample: int = setting(0, "The painter's seed: which of the possible images of the map.", least=0)
    wholes: tuple[AmodalMask, ...] = setting((), "Amodal masks of partly hidden objects, which are moved as wholes.")
    counted: tuple[str, ...] = setting(
        (), "Classes whose number is judged: unless a recognizer finds as many, the image is discarded."
    )
    stuff: tuple[Stuff, ...] = setting((), "The ground of the scene, below the objects on the map.")

    def __post_init__(self) -> None:
        objects = [move.object for move in self.moves]
        if len(set(objects)) != len(objects):
            raise ValueError("moves must hold only one move for each object")

    def apply(self, picture: Picture) -> Picture:
        height, width = picture.pixels.shape[:2]
        lifted, rest = chosen(picture, [move.object for move in self.moves])
        layout = laid_out(with_amodal_masks(lifted, self.wholes), self.moves, width, height)
        cover = np.logical_or.reduce([np.zeros((height, width), np.bool_), *layout.full.values()])
        moved = {thing.id: thing_with_shape(thing, layout.visible[thing.id]) for thing in lifted}
        now = {
            **{thing.id: thing for thing in covered(rest, cover)},
            **{id: thing for id, thing in moved.items() if thing is not None},
        }
        things = tuple(now[thing.id] for thing in picture.things if thing.id in now)
        shapes = [(thing, thing_shape(thing, height, width)) for thing in things]
        # Smaller ones on top, as in a layout of cut-outs.
        shapes.sort(key=lambda pair: (-int(pair[1].sum()), pair[0].id))
        objects = (Region(thing.label, shape) for thing, shape in shapes)
        regions = (*_ground(self.stuff, height, width), *objects)
        pixels = picture.tools().paint(self.painter, regions, height, width, self.prompt, self.sample)
        return replace(picture, pixels=pixels, things=things)

    def outlines(self, things: Mapping[str, Thing]) -> Iterator[ObjectChange]:
        """The boxes of the objects before and after."""
        return moved_outlines(self.moves, things)


def _ground(stuff: Sequence[Stuff], height: int, width: int) -> tuple[Region, ...]:
    """Ground all over the map: areas hidden or unlabeled get the nearest labeled ground."""
    numbers = np.zeros((height, width), np.int32)
    for number, each in enumerate(stuff, start=1):
        if (each.mask.height, each.mask.width) != (height, width):
            size = f"{each.mask.width} x {each.mask.height}"
            raise BadPicture(f"The ground {each.label!r} has a mask of {size} on an image of {width} x {height}.")
        numbers[mask_pixels(each.mask)] = number
    known = numbers > 0
    if not known.any():
        return ()
    unknown = np.logical_not(known).view(np.uint8)
    _, nearest = cv2.distanceTransformWithLabels(unknown, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL)
    number_of = np.zeros(int(nearest.max()) + 1, np.int32)
    number_of[nearest[known]] = numbers[known]
    numbers = number_of[nearest]
    return tuple(
        Region(each.label, shape)
        for number, each in enumerate(stuff, start=1)
        if (shape := np.asarray(numbers == number)).any()
    )
