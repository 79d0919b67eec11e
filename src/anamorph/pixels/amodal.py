"""Amodal masks: partly hidden objects completed, and whether a completion is believed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import cv2
import numpy as np

from anamorph.model import AmodalMask, CompletionRules, Hole, Mask, Thing
from anamorph.pixels.masks import mask_box, mask_from_pixels
from anamorph.pixels.shapes import melting_kernel, thing_shape, union_shape, widened

# The key of a scene's origin that says which segmenter completed its objects, or tried to.
COMPLETED_BY = "wholes"
# Annotated outlines of neighbours leave gaps of a pixel or two.
_GAP = 5


def completing_hole(thing: Thing, before: Sequence[Thing], height: int, width: int) -> Hole:
    """The ground of what stands in front of an object, widened, without the object's own pixels."""
    core = union_shape(before, height, width)
    return core | (widened(core, melting_kernel(height, width)) & ~thing_shape(thing, height, width))


def completed_mask(
    thing: Thing, before: Sequence[Thing], found: Iterable[Thing], height: int, width: int, rules: CompletionRules
) -> Mask | None:
    """The amodal mask by what is found once nothing stands in front of the object; None if none is believed.

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
    amodal = _joined(visible, best & hole & widened(union_shape(before, height, width), _GAP))
    made_up = np.count_nonzero(amodal & hole) / np.count_nonzero(amodal)
    if kept < rules.min_kept or stray > rules.max_stray or made_up > rules.max_made_up:
        return None
    return mask_from_pixels(amodal)


def with_amodal_masks(things: Iterable[Thing], completed: Iterable[AmodalMask]) -> tuple[Thing, ...]:
    """The objects, each completed one with its amodal mask and the box around it."""
    masks = {each.object: each.mask for each in completed}
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
    """The visible mask, and the parts of its growth that are connected to it."""
    _, pieces = cv2.connectedComponents((visible | grown).astype(np.uint8), connectivity=8)
    return np.isin(pieces, np.unique(pieces[visible]))


def _name(thing: Thing) -> str:
    return thing.label.strip().casefold()
