"""Moving objects over a picture that they were melted from."""

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
    """Take objects out, make up what was behind them, and lay their own pixels back elsewhere, smaller ones on top."""

    kind: ClassVar[str] = "relayout"
    reach: ClassVar[str] = "place"
    does: ClassVar[str | None] = "moved"
    moves: tuple[Move, ...] = setting(
        help="One move for each object that is lifted off; one that only stays is stacked by size like the others."
    )
    inpainter: str = setting("telea", "The name of the inpainter.")
    wholes: tuple[AmodalMask, ...] = setting(
        (), "Amodal masks of partly hidden objects, which are laid back complete, and how their pixels are made."
    )

    def __post_init__(self) -> None:
        objects = [move.object for move in self.moves]
        if not objects or len(set(objects)) != len(objects):
            raise ValueError("moves must hold at least one move, and one only for each object")
        completed = [each.object for each in self.wholes]
        if len(set(completed)) != len(completed) or not set(completed) <= set(objects):
            raise ValueError("wholes must be of objects that have a move, one for each")

    def apply(self, picture: Picture) -> Picture:
        lifted, rest, layout, hole = self._laid(picture)
        avoid = partial(others_near, lifted, rest, hole)
        plate = picture.tools().inpaint(self.inpainter, picture.pixels, hole, avoid)
        moves = {move.object: move for move in self.moves}
        by_id = {thing.id: thing for thing in with_amodal_masks(lifted, self.wholes)}
        sources = {each.object: _unhidden(picture, each) for each in self.wholes}
        pixels = plate.copy()
        for id in layout.full:
            _lay(pixels, sources.get(id, picture.pixels), by_id[id], moves[id], layout.full[id])
        cover = np.logical_or.reduce(list(layout.full.values()))
        stayed = covered(covered(rest, hole), cover)
        moved = {thing.id: thing_with_shape(thing, layout.visible[thing.id]) for thing in lifted}
        # Objects keep their places in the list, so that a layout that moves nothing changes no order.
        now = {
            **{thing.id: thing for thing in stayed},
            **{id: thing for id, thing in moved.items() if thing is not None},
        }
        return replace(picture, pixels=pixels, things=tuple(now[t.id] for t in picture.things if t.id in now))

    def outlines(self, things: Mapping[str, Thing]) -> Iterator[ObjectChange]:
        """Where the objects were, and where they are."""
        return moved_outlines(self.moves, things)

    def scale_of(self, object: str) -> float:
        """How many times as long the sides of an object become."""
        return next((move.scale for move in self.moves if move.object == object), 1.0)

    def made_up(self, picture: Picture) -> MadeUp:
        """The visible rest of the hole once the objects lie in their new places."""
        lifted, _, layout, hole = self._laid(picture)
        return MadeUp(hole & ~np.logical_or.reduce(list(layout.full.values())), tuple(lifted))

    def smaller(self) -> Iterator[Sequence[Relayout]]:
        """Fewer objects are moved, then in fewer ways, then less far."""
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

    def _laid(self, picture: Picture) -> tuple[list[Thing], list[Thing], Layout, Hole]:
        """The lifted objects, the others, their new places, and the hole."""
        height, width = picture.pixels.shape[:2]
        lifted, rest = chosen(picture, [move.object for move in self.moves])
        layout = laid_out(with_amodal_masks(lifted, self.wholes), self.moves, width, height)
        # What an object goes away behind stays as it is.
        hole = melting_hole(lifted, rest if self.wholes else (), height, width)
        return lifted, rest, layout, hole


def _unhidden(picture: Picture, completed: AmodalMask) -> Pixels:
    """The picture without what stands in front of an object."""
    height, width = picture.pixels.shape[:2]
    (thing,), _ = chosen(picture, [completed.object])
    before, _ = chosen(picture, completed.behind)
    hole = completing_hole(thing, before, height, width)
    return picture.tools().inpaint(completed.inpainter, picture.pixels, hole)


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
