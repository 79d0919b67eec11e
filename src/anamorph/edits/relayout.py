"""Moving objects within an image."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import cv2
import numpy as np

from anamorph.edits.melt import melting_hole, others_near
from anamorph.edits.shrinking.ladders import STEPS, fewer
from anamorph.model import AmodalMask, Hole, MadeUp, ObjectChange, Picture, Pixels, Thing, setting
from anamorph.pixels.amodal import completing_hole, with_amodal_masks
from anamorph.pixels.blending import Floats, mixed
from anamorph.pixels.layouts import Layout, Move, affine_of, laid_out, moved_outlines, warped, windows_of
from anamorph.pixels.shapes import chosen, covered, thing_shape, thing_with_shape


@dataclass(frozen=True, slots=True)
class Relayout:
    """Lift objects out, inpaint behind them, and paste them elsewhere, smaller ones on top."""

    kind: ClassVar[str] = "relayout"
    reach: ClassVar[str] = "place"
    does: ClassVar[str | None] = "moved"
    moves: tuple[Move, ...] = setting(
        help="One move for each lifted object; one that stays in place is stacked by size like the others."
    )
    inpainter: str = setting("telea", "The name of the inpainter.")
    wholes: tuple[AmodalMask, ...] = setting(
        (), "Amodal masks of partly hidden objects, which are pasted complete, and how their pixels are made."
    )

    def __post_init__(self) -> None:
        objects = [move.object for move in self.moves]
        if not objects or len(set(objects)) != len(objects):
            raise ValueError("moves must hold at least one move, and only one for each object")
        completed = [each.object for each in self.wholes]
        if len(set(completed)) != len(completed) or not set(completed) <= set(objects):
            raise ValueError("wholes must be of objects that have a move, one each")

    def apply(self, picture: Picture) -> Picture:
        lifted, rest, layout, hole = self._laid(picture)
        plate = self._plate(picture, lifted, rest, hole)
        moves = {move.object: move for move in self.moves}
        by_id = {thing.id: thing for thing in with_amodal_masks(lifted, self.wholes)}
        sources = {each.object: _unhidden(picture, each) for each in self.wholes}
        pixels = plate.copy()
        for id in layout.full:
            _lay(pixels, sources.get(id, picture.pixels), by_id[id], moves[id], layout.full[id])
        cover = np.logical_or.reduce(list(layout.full.values()))
        stayed = covered(covered(rest, hole), cover)
        moved = {thing.id: thing_with_shape(thing, layout.visible[thing.id]) for thing in lifted}
        # Objects keep their places in the list, so that a layout without moves changes no order.
        now = {
            **{thing.id: thing for thing in stayed},
            **{id: thing for id, thing in moved.items() if thing is not None},
        }
        return replace(picture, pixels=pixels, things=tuple(now[t.id] for t in picture.things if t.id in now))

    def outlines(self, things: Mapping[str, Thing]) -> Iterator[ObjectChange]:
        """The boxes of the objects before and after."""
        return moved_outlines(self.moves, things)

    def scale_of(self, object: str) -> float:
        """The scale factor of an object's sides."""
        return next((move.scale for move in self.moves if move.object == object), 1.0)

    def made_up(self, picture: Picture) -> MadeUp:
        """The part of the hole still visible once the objects are in their new places."""
        lifted, rest, layout, hole = self._laid(picture)
        shows = hole & ~np.logical_or.reduce(list(layout.full.values()))
        return MadeUp(shows, tuple(lifted), partial(self._plate, picture, lifted, rest, hole))

    def smaller(self) -> Iterator[Sequence[Relayout]]:
        """Moves of fewer objects, then simpler ones, then shorter ones."""
        for moves in fewer(self.moves):
            yield [self._with(moves)]
        for plain in ({"mirror": False}, {"degrees": 0.0}, {"scale": 1.0}):
            moves = tuple(replace(move, **plain) for move in self.moves)
            if moves != self.moves:
                yield [self._with(moves)]
        yield [self._with(tuple(move.part(step / STEPS) for move in self.moves)) for step in range(1, STEPS)]

    def _with(self, moves: tuple[Move, ...]) -> Relayout:
        objects = {move.object for move in moves}
        return replace(self, moves=moves, wholes=tuple(each for each in self.wholes if each.object in objects))

    def _plate(self, picture: Picture, lifted: list[Thing], rest: list[Thing], hole: Hole) -> Pixels:
        """The picture without what is lifted."""
        avoid = partial(others_near, lifted, rest, hole)
        return picture.tools().inpaint(self.inpainter, picture.pixels, hole, avoid)

    def _laid(self, picture: Picture) -> tuple[list[Thing], list[Thing], Layout, Hole]:
        """The lifted objects, the others, the layout, and the hole."""
        height, width = picture.pixels.shape[:2]
        lifted, rest = chosen(picture, [move.object for move in self.moves])
        layout = laid_out(with_amodal_masks(lifted, self.wholes), self.moves, width, height)
        # Objects in front of a lifted one stay unchanged.
        hole = melting_hole(lifted, rest if self.wholes else (), height, width)
        return lifted, rest, layout, hole


def _unhidden(picture: Picture, completed: AmodalMask) -> Pixels:
    """The image without the objects in front of an object."""
    height, width = picture.pixels.shape[:2]
    (thing,), _ = chosen(picture, [completed.object])
    before, _ = chosen(picture, completed.behind)
    hole = completing_hole(thing, before, height, width)
    return picture.tools().inpaint(completed.inpainter, picture.pixels, hole)


def _lay(ground: Pixels, source: Pixels, thing: Thing, move: Move, shape: Hole) -> None:
    """Paste one object's pixels, antialiased inside its new shape."""
    own = thing_shape(thing, *ground.shape[:2])
    here, there, affine = windows_of(own, affine_of(move, thing.box))
    if not shape[there].any():
        return
    # Only the object's own colors count at its edge, or its old background would come along.
    weighted = np.zeros((*own[here].shape, 4), np.float32)
    weighted[own[here], :3] = source[here][own[here]]
    weighted[..., 3] = own[here]
    moved = np.asarray(warped(weighted, affine, there, cv2.INTER_LINEAR), np.float32)
    alpha = np.where(shape[there], np.clip(moved[..., 3], 0, 1), 0).astype(np.float32)
    colour: Floats = (moved[..., :3] / np.maximum(moved[..., 3:], 1e-3)).astype(np.float32, copy=False)
    ground[there] = mixed(ground[there], colour, alpha)
