"""Moving objects over a picture that they were melted from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import cv2
import numpy as np

from anamorph.edits.layouts import Layout, Move, affine_of, laid_out, of_centres
from anamorph.edits.melt import melting_hole
from anamorph.edits.shapes import chosen, covered, thing_shape, thing_with_shape
from anamorph.model import MadeUp, Picture, Pixels, Thing, setting


@dataclass(frozen=True, slots=True)
class Relayout:
    """Take objects out, make up what was behind them, and lay their own pixels back elsewhere, smaller ones on top."""

    kind: ClassVar[str] = "relayout"
    moves: tuple[Move, ...] = setting(
        help="One move for each object that is lifted off; one that only stays is stacked by size like the others."
    )
    inpainter: str = setting("telea", "The name of the inpainter.")

    def __post_init__(self) -> None:
        objects = [move.object for move in self.moves]
        if not objects or len(set(objects)) != len(objects):
            raise ValueError("moves must hold at least one move, and one only for each object")

    def apply(self, picture: Picture) -> Picture:
        height, width = picture.pixels.shape[:2]
        lifted, rest = chosen(picture, [move.object for move in self.moves])
        layout = laid_out(lifted, self.moves, width, height)
        hole = melting_hole(lifted, (), height, width)
        plate = picture.tools().inpaint(self.inpainter, picture.pixels, hole)
        moves = {move.object: move for move in self.moves}
        by_id = {thing.id: thing for thing in lifted}
        for id in layout.full:
            plate = _laid(plate, picture.pixels, by_id[id], moves[id], layout)
        cover = np.logical_or.reduce(list(layout.full.values()))
        stayed = covered(covered(rest, hole), cover)
        moved = {thing.id: thing_with_shape(thing, layout.visible[thing.id]) for thing in lifted}
        # Objects keep their places in the list, so that a layout that moves nothing changes no order.
        now = {
            **{thing.id: thing for thing in stayed},
            **{id: thing for id, thing in moved.items() if thing is not None},
        }
        return replace(picture, pixels=plate, things=tuple(now[t.id] for t in picture.things if t.id in now))

    def made_up(self, picture: Picture) -> MadeUp:
        """What still shows of the hole once the objects lie in their new places."""
        height, width = picture.pixels.shape[:2]
        lifted, _ = chosen(picture, [move.object for move in self.moves])
        layout = laid_out(lifted, self.moves, width, height)
        cover = np.logical_or.reduce(list(layout.full.values()))
        return MadeUp(melting_hole(lifted, (), height, width) & ~cover, tuple(lifted))


def _laid(ground: Pixels, source: Pixels, thing: Thing, move: Move, layout: Layout) -> Pixels:
    """The ground with one object's pixels on it, antialiased inside its own new shape."""
    height, width = ground.shape[:2]
    affine = of_centres(affine_of(move, thing.box))
    shape = layout.full[thing.id]
    own = thing_shape(thing, height, width).astype(np.float32)[..., None]
    # Only the object's own colours count at its edge, or its old surroundings would come along.
    weighted = np.concatenate([source * own, own], axis=2)
    moved = np.asarray(cv2.warpAffine(weighted, affine, (width, height), flags=cv2.INTER_LINEAR), np.float32)
    alpha = np.where(shape, np.clip(moved[..., 3], 0, 1), 0)[..., None]
    colour = moved[..., :3] / np.maximum(moved[..., 3:], 1e-3)
    mixed = np.clip(np.rint(ground + alpha * (colour - ground)), 0, 255).astype(np.uint8)
    return np.where(alpha > 0, mixed, ground)
