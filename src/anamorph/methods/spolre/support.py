"""How far an object may go from where it stands or lies, so that nothing floats: by its class and the ground plane.

On a photo it stays on the ground that is found under it (`Scene.footings`), and in its place where none is found.

Graded by eye on real photos, vertical shifts of over 15 % of the height broke 15 of 17 layouts, and under 5 % 1 of 4.
Names are those of COCO; an object of any other class may move a little, as something that stands somewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from anamorph.model import Box, Footing, Hole, Scene, Thing
from anamorph.model.scene import SKY
from anamorph.pixels.masks import mask_pixels
from anamorph.pixels.shapes import thing_shape, touched
from anamorph.pixels.windows import shape_window

# In the air they may be anywhere; a bird only if it has its wings spread.
FLYERS = frozenset({"airplane", "frisbee", "sports ball"})
# On the ground, on feet or wheels: they may come nearer and go farther away.
STANDING = frozenset(
    {
        *("person", "bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe"),
        *("bicycle", "car", "motorcycle", "bus", "truck"),
    }
)
# Mounted, built in, mirrored in water, on a string, or with a foot of their own that nobody annotated: they only change
# in their place.
FIXED = frozenset(
    {
        *("boat", "kite"),
        *("train", "traffic light", "fire hydrant", "stop sign", "parking meter", "bench", "couch", "bed", "clock"),
        *("dining table", "toilet", "tv", "microwave", "oven", "toaster", "sink", "refrigerator", "tie"),
    }
)
# On a table or in a bowl: they may be turned, too.
LYING = frozenset(
    {
        *("book", "cell phone", "remote", "scissors", "knife", "fork", "spoon", "toothbrush", "mouse", "donut"),
        *("banana", "apple", "sandwich", "orange", "broccoli", "carrot", "hot dog", "pizza", "cake", "baseball glove"),
    }
)
# Their letters and hands would be reversed.
NOT_MIRRORED = frozenset({"stop sign", "clock", "parking meter", "keyboard"})

# The horizon where nothing shows a better one, as a share of the height from the top.
_HORIZON = 0.38
# The least distance of a foot below the horizon, as a share of the height, for depth to make sense.
_NEAR = 0.12
_WINGSPAN, _WINGS = 1.4, 0.5
# A foot that moves by less than this, in pixels, is in its place. How much of the strip around a foot is its ground,
# how deep that strip is to either side, as a share of the height, and where feet begin, as a share of the width.
_SAME_PLACE = 3.0
_ON_GROUND, _DEEP, _ASIDE = 0.75, 0.04, 0.15
# How far what stands goes along the ground, as a share of its width, and the sizes that it has on its way.
_SIDEWAYS, _DEEPER = 0.6, (0.85, 1.15)
# How much of what flies is before the sky.
_IN_SKY = 0.6


@dataclass(frozen=True, slots=True)
class Freedom:
    """How far one object may go: shifts in pixels from its place, in all.

    `horizon` is the row that it shrinks towards where it may go along the ground, and None where it may not.
    """

    sideways: float = 0.0
    up: float = 0.0
    down: float = 0.0
    degrees: float = 0.0
    scales: tuple[float, float] = (1.0, 1.0)
    mirror: bool = True
    horizon: float | None = None


def freedom_of(thing: Thing, scene: Scene, horizon: float) -> Freedom:
    """What an object may do without leaving what holds it."""
    free = _freedom_of_class(thing, scene, horizon)
    if scene.is_drawn or (thing.label != "bird" and _footing(thing, scene) is not None):
        return free
    # Its foot, or its middle if it flies, stays where it is: a bird sits on what is too small to be seen.
    return replace(free, sideways=0.0, up=0.0, down=0.0, horizon=None)


def support_of(thing: Thing, scene: Scene) -> Hole | None:
    """The pixels that an object may stand on, or fly before; None in a drawing, where it may be anywhere."""
    if scene.is_drawn:
        return None
    footing = _footing(thing, scene)
    if footing is None:
        return np.zeros((scene.height, scene.width), np.bool_)
    # Where the object was, the same is made up.
    return mask_pixels(footing.mask) | thing_shape(thing, scene.height, scene.width)


def stays_supported(thing: Thing, box: Box, scene: Scene, support: Hole | None) -> bool:
    """Whether an object that moved from its place to this box is still on its own ground, or in the sky."""
    moved = max(abs(box.bottom - thing.box.bottom), abs(_middle(box) - _middle(thing.box)))
    if support is None or moved < _SAME_PLACE:
        return True
    if _flies(thing, scene):
        left, top, right, bottom = touched(box, scene.height, scene.width)
        return bool(support[top:bottom, left:right].mean() >= _IN_SKY)
    deep = max(3.0, _DEEP * box.height)
    foot = Box(box.x + _ASIDE * box.width, box.bottom - deep, (1 - 2 * _ASIDE) * box.width, 2 * deep)
    left, top, right, bottom = touched(foot, scene.height, scene.width)
    under = support[top:bottom, left:right]
    return bool(under.size and under.mean() >= _ON_GROUND)


def _footing(thing: Thing, scene: Scene) -> Footing | None:
    """The ground under an object, or the sky around one that flies, if it is known."""
    wanted = SKY if _flies(thing, scene) else thing.id
    return next((each for each in scene.footings if each.object == wanted), None)


def _middle(box: Box) -> float:
    return box.x + box.width / 2


def _freedom_of_class(thing: Thing, scene: Scene, horizon: float) -> Freedom:
    width, height, box = scene.width, scene.height, thing.box
    mirror = thing.label not in NOT_MIRRORED
    if _flies(thing, scene):
        # It does not come down to the ground.
        return Freedom(0.3 * width, box.y, 0.05 * height, 6.0, (0.8, 1.2), mirror)
    if thing.label in FIXED:
        return Freedom(0.0, 0.0, 0.0, 3.0, (0.9, 1.1), mirror)
    if thing.label in LYING:
        reach = 0.4 * min(box.width, box.height)
        return Freedom(min(reach, 0.1 * width), min(reach, 0.03 * height), min(reach, 0.03 * height), 10.0, (0.9, 1.1))
    if thing.label in STANDING:
        deep = horizon if box.bottom - horizon > _NEAR * height else None
        # Its shadow stays, and so does the light: the farther it goes, the more both are missed.
        return Freedom(min(_SIDEWAYS * box.width, 0.12 * width), 0.0, 0.0, 4.0, _DEEPER, mirror, deep)
    return Freedom(min(0.4 * box.width, 0.1 * width), 0.0, 0.0, 3.0, (0.85, 1.15), mirror)


def _flies(thing: Thing, scene: Scene) -> bool:
    if thing.label in FLYERS:
        return thing.box.bottom < 0.75 * scene.height
    if thing.label != "bird" or thing.box.width < _WINGSPAN * thing.box.height:
        return False
    return shape_window(thing, scene.height, scene.width).area < _WINGS * thing.box.area


def horizon_of(scene: Scene) -> float:
    """The row of the horizon: where objects of one class would have no height, if there are some near and far."""
    found: list[float] = []
    by_label: dict[str, list[Thing]] = {}
    for thing in scene.things:
        if thing.label in STANDING and not thing.crowd and thing.box.y >= 5 and thing.box.bottom <= scene.height - 5:
            by_label.setdefault(thing.label, []).append(thing)
    for things in by_label.values():
        found += _vanishing(things, scene.height)
    usual = _HORIZON * scene.height
    if not found:
        return usual
    found.sort()
    # Sitting and standing people differ in height, too, so the estimate is not trusted far.
    return min(max(found[len(found) // 2], 0.15 * scene.height), 0.6 * scene.height)


def _vanishing(things: Sequence[Thing], height: int) -> list[float]:
    rows: list[float] = []
    for index, near in enumerate(things):
        for far in things[index + 1 :]:
            apart, taller = near.box.bottom - far.box.bottom, near.box.height - far.box.height
            if abs(apart) > 0.06 * height and apart * taller > 0:
                rows.append(near.box.bottom - near.box.height * apart / taller)
    return rows
