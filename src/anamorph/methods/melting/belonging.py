"""Which objects belong together, by their classes and by how they touch: a rider and a horse, two halves of a pizza.

Names are those of COCO; a class of another label space belongs to nothing, and only contact decides.
"""

from __future__ import annotations

import cv2
import numpy as np

from anamorph.model import Hole, Thing
from anamorph.pixels.windows import ShapeWindow

# What people ride or stand on: neither looks right without the other.
MOUNTS = frozenset({"bicycle", "motorcycle", "horse", "elephant", "skateboard", "surfboard", "snowboard", "skis"})
# What people wear or hold: it does not stay in the air without them.
CARRIED = frozenset(
    {
        *("backpack", "umbrella", "handbag", "tie", "suitcase", "tennis racket", "baseball bat", "baseball glove"),
        *("cell phone", "toothbrush", "hair drier", "remote", "frisbee", "knife", "fork", "spoon"),
    }
)
# What somebody or something sits or lies on.
SEATS = frozenset({"chair", "couch", "bench", "bed", "toilet", "boat", "car", "truck", "bus", "train"})
SITTERS = frozenset({"person", "cat", "dog", "bird", "teddy bear"})
# What is built in, stands on a pole or a foot of its own, or holds up others, such as the flowers in a vase: nobody can
# guess what is behind it, and what was not annotated stays without it.
FIXTURES = frozenset(
    {
        *("oven", "sink", "toilet", "refrigerator", "bed", "dining table", "vase"),
        *("tv", "traffic light", "parking meter", "stop sign"),
    }
)

# What things lie in or on so that they press it down or are part of a heap, whatever else of that is annotated.
HOLDERS = frozenset(
    {"bed", "couch", "bowl", "refrigerator", "oven", "microwave", "sink", "suitcase", "backpack", "handbag"}
)
# What shows pictures.
SCREENS = frozenset({"tv", "laptop", "cell phone"})

# A share of the smaller object's pixels within the widened hole of the other shows that they touch.
_TOUCH = 0.02
# How much of an object's box is in that of another which holds or shows it.
_HELD_IN, _SHOWN_IN = 0.6, 0.8
# Outlines of an object and of its mirror image have this much in common, more by this than unmirrored ones; larger ones
# differ in their sides by at most this factor.
_ALIKE, _MORE_ALIKE, _AS_LARGE = 0.72, 0.12, 1.6
_SIDE = 48


def goes_with(
    other: Thing,
    shape: ShapeWindow,
    thing: Thing,
    own: ShapeWindow,
    hole: ShapeWindow,
    kernel: int,
    max_seam: float,
) -> bool:
    """Whether `other` must go when `thing` goes, because it belongs to it; `hole` is the widened shape of `thing`.

    Two of one class that share more than `max_seam` of the smaller one's outline are parts of one thing.
    """
    common = hole.common(shape)
    if not common:
        return False
    if thing.label == other.label:
        # The hole reaches half a kernel over the seam.
        smaller = shape if shape.area < own.area else own
        return common / max(1, kernel // 2) > max_seam * smaller.outline
    meets = touches(shape, own, hole)
    pair = {thing.label, other.label}
    if "person" in pair and pair & MOUNTS:
        return meets
    if thing.label == "person" and other.label in CARRIED:
        return meets
    return thing.label in SEATS and other.label in SITTERS and meets


def touches(shape: ShapeWindow, own: ShapeWindow, hole: ShapeWindow) -> bool:
    """Whether an object is so near to another that it is in the widened hole of that one."""
    return hole.common(shape) > _TOUCH * min(shape.area, own.area)


def lies_in(thing: Thing, other: Thing) -> bool:
    """Whether an object lies on a bed or in a bowl or a fridge, if the two touch."""
    return other.label in HOLDERS and thing.box.overlap(other.box) > _HELD_IN * thing.box.area < other.box.area


def is_shown_on(thing: Thing, other: Thing) -> bool:
    """Whether an object is a picture on a screen."""
    return (
        other.label in SCREENS
        and thing.box.area < other.box.area
        and thing.box.overlap(other.box) > _SHOWN_IN * thing.box.area
    )


def is_mirrored(own: ShapeWindow, other: ShapeWindow) -> bool:
    """Whether an object of the same class looks like the mirror image of another, in glass or in water."""
    sides = [own.pixels.shape[axis] / other.pixels.shape[axis] for axis in (0, 1)]
    if not all(1 / _AS_LARGE <= side <= _AS_LARGE for side in sides):
        return False
    one, two = (_standard(each.pixels) for each in (own, other))
    plain = _common(one, two)
    return any(
        (found := _common(one, flipped)) >= _ALIKE and found >= plain + _MORE_ALIKE
        for flipped in (two[:, ::-1], two[::-1])
    )


def _standard(shape: Hole) -> Hole:
    return np.asarray(cv2.resize(shape.astype(np.uint8), (_SIDE, _SIDE), interpolation=cv2.INTER_AREA), np.bool_)


def _common(one: Hole, two: Hole) -> float:
    return float((one & two).sum() / max(1, int((one | two).sum())))
