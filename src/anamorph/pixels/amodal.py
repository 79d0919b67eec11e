"""Objects completed where others occlude them: what is filled in, and whether to trust it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from anamorph.model import Hole, Mask, Scene, Thing, Whole, setting
from anamorph.pixels.masks import mask_box, mask_from_pixels
from anamorph.pixels.shapes import melting_kernel, thing_shape, union_shape, widened

# The key of a scene's origin that says what completed its objects, or tried to.
WHOLES = "wholes"
# Annotated outlines of neighbours leave gaps of a pixel or two.
_GAP = 5


@dataclass(frozen=True, slots=True)
class CompletionRules:
    """When an object that was segmented again, without what occluded it, is trusted to be the whole object."""

    min_score: float = setting(0.4, "The segmenter is at least this sure of it.", least=0, most=1)
    min_kept: float = setting(
        0.9, "It has at least this share of what was visible of the object before.", least=0, most=1
    )
    max_stray: float = setting(
        0.1, "At most this share of it is ground that neither the object had nor what stood before it.", least=0, most=1
    )
    max_made_up: float = setting(0.25, "At most this share of the completed object is made up.", least=0, most=1)


@dataclass(frozen=True, slots=True)
class Completion:
    """What a method wants completed: which objects of a scene, by which inpainter, and when to trust the result."""

    objects: Callable[[Scene], Sequence[str]]
    inpainter: str
    rules: CompletionRules


def completing_hole(thing: Thing, before: Sequence[Thing], height: int, width: int) -> Hole:
    """The pixels of what occludes an object, widened, minus the object's own visible pixels."""
    core = union_shape(before, height, width)
    return core | (widened(core, melting_kernel(height, width)) & ~thing_shape(thing, height, width))


def completed_mask(
    thing: Thing, before: Sequence[Thing], found: Iterable[Thing], height: int, width: int, rules: CompletionRules
) -> Mask | None:
    """The amodal mask of an object, from what was found once nothing occluded it; None if nothing found is trusted.

    What was visible stays part of the object. It grows only where others stood; elsewhere, the photo itself is shown.
    """
    visible = thing_shape(thing, height, width)
    hole = completing_hole(thing, before, height, width)
    shapes = [thing_shape(other, height, width) for other in found if _may_be(thing, other, rules)]
    best = max(shapes, key=lambda shape: _likeness(shape & (visible | ~hole), visible), default=None)
    if best is None or not (best & visible).any():
        return None
    kept = np.count_nonzero(best & visible) / np.count_nonzero(visible)
    # A segmenter's outline is a little off everywhere; what lies farther out is another object, or ground.
    near = widened(visible, melting_kernel(height, width)) | hole
    stray = np.count_nonzero(best & ~near) / np.count_nonzero(best)
    whole = _joined(visible, best & hole & widened(union_shape(before, height, width), _GAP))
    made_up = np.count_nonzero(whole & hole) / np.count_nonzero(whole)
    if kept < rules.min_kept or stray > rules.max_stray or made_up > rules.max_made_up:
        return None
    return mask_from_pixels(whole)


def whole_things(things: Iterable[Thing], wholes: Iterable[Whole]) -> tuple[Thing, ...]:
    """The objects; completed ones have their amodal masks and the boxes around them."""
    masks = {whole.object: whole.mask for whole in wholes}
    return tuple(
        replace(thing, mask=masks[thing.id], box=mask_box(masks[thing.id])) if thing.id in masks else thing
        for thing in things
    )


def _may_be(thing: Thing, found: Thing, rules: CompletionRules) -> bool:
    sure = found.score is None or found.score >= rules.min_score
    return sure and found.mask is not None and _name(found) == _name(thing)


def _likeness(one: Hole, other: Hole) -> float:
    """Intersection over union of two shapes."""
    return float((one & other).sum() / max(1, (one | other).sum()))


def _joined(visible: Hole, grown: Hole) -> Hole:
    """What was visible, plus the parts of what it grew by that are connected to it."""
    _, pieces = cv2.connectedComponents((visible | grown).astype(np.uint8), connectivity=8)
    return np.isin(pieces, np.unique(pieces[visible]))


def _name(thing: Thing) -> str:
    return thing.label.strip().casefold()
