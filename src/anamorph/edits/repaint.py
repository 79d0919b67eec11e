"""A new picture with the same objects in other places, painted from a map of their classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from anamorph.model import AmodalMask, ObjectChange, Picture, Region, Thing, setting
from anamorph.pixels.amodal import with_amodal_masks
from anamorph.pixels.layouts import Move, laid_out, moved_outlines
from anamorph.pixels.shapes import chosen, covered, thing_shape, thing_with_shape


@dataclass(frozen=True, slots=True)
class Repaint:
    """Move objects on a map of classes, and have a painter make a picture of it; no pixel of the photo is kept."""

    kind: ClassVar[str] = "repaint"
    does: ClassVar[str | None] = "moved"
    moves: tuple[Move, ...] = setting(help="One move for each object that is moved; the others stay where they are.")
    painter: str = setting("controlnet", "The name of the painter.")
    prompt: str = setting("a photograph", "What the painter is told besides the map.")
    sample: int = setting(0, "Which of the pictures that the map could become; it seeds the painter.", least=0)
    wholes: tuple[AmodalMask, ...] = setting((), "Amodal masks of partly hidden objects, which are moved complete.")

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
        regions = tuple(Region(thing.label, shape) for thing, shape in shapes)
        pixels = picture.tools().paint(self.painter, regions, height, width, self.prompt, self.sample)
        return replace(picture, pixels=pixels, things=things)

    def outlines(self, things: Mapping[str, Thing]) -> Iterator[ObjectChange]:
        """Where the objects were, and where they are."""
        return moved_outlines(self.moves, things)
