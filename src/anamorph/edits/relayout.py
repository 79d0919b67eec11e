"""Moving objects over a picture that they were melted from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import cv2
import numpy as np

from anamorph.edits.blending import Floats, mixed
from anamorph.edits.layouts import Move, affine_of, laid_out, warped, windows_of
from anamorph.edits.melt import melting_hole
from anamorph.edits.shapes import chosen, covered, thing_shape, thing_with_shape
from anamorph.model import Hole, MadeUp, Picture, Pixels, Thing, setting


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
        pixels = plate.copy()
        for id in layout.full:
            _lay(pixels, picture.pixels, by_id[id], moves[id], layout.full[id])
        cover = np.logical_or.reduce(list(layout.full.values()))
        stayed = covered(covered(rest, hole), cover)
        moved = {thing.id: thing_with_shape(thing, layout.visible[thing.id]) for thing in lifted}
        # Objects keep their places in the list, so that a layout that moves nothing changes no order.
        now = {
            **{thing.id: thing for thing in stayed},
            **{id: thing for id, thing in moved.items() if thing is not None},
        }
        return replace(picture, pixels=pixels, things=tuple(now[t.id] for t in picture.things if t.id in now))

    def made_up(self, picture: Picture) -> MadeUp:
        """What still shows of the hole once the objects lie in their new places."""
        height, width = picture.pixels.shape[:2]
        lifted, _ = chosen(picture, [move.object for move in self.moves])
        layout = laid_out(lifted, self.moves, width, height)
        cover = np.logical_or.reduce(list(layout.full.values()))
        return MadeUp(melting_hole(lifted, (), height, width) & ~cover, tuple(lifted))


def _lay(ground: Pixels, source: Pixels, thing: Thing, move: Move, shape: Hole) -> None:
    """Put one object's pixels on the ground, antialiased inside its own new shape."""
    own = thing_shape(thing, *ground.shape[:2])
    here, there, affine = windows_of(own, affine_of(move, thing.box))
    if not shape[there].any():
        return
    # Only the object's own colours count at its edge, or its old surroundings would come along.
    weighted = np.zeros((*own[here].shape, 4), np.float32)
    weighted[own[here], :3] = source[here][own[here]]
    weighted[..., 3] = own[here]
    moved = np.asarray(warped(weighted, affine, there, cv2.INTER_LINEAR), np.float32)
    alpha = np.where(shape[there], np.clip(moved[..., 3], 0, 1), 0).astype(np.float32)
    colour: Floats = (moved[..., :3] / np.maximum(moved[..., 3:], 1e-3)).astype(np.float32, copy=False)
    ground[there] = mixed(ground[there], colour, alpha)
