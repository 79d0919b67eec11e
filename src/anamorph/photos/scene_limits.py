"""Limits on the annotations of one photo: beyond one its scene is skipped by name, before any computation.

No real photo comes near them (COCO has up to about a hundred objects per photo, dense sets of shelves up to seven
hundred), and within them methods take seconds and a few hundred megabytes.
"""

from __future__ import annotations

import numpy as np

from anamorph.model import Box, Scene, Thing
from anamorph.photos.entries import Flaw
from anamorph.pixels.masks import mask_box
from anamorph.pixels.shapes import melting_kernel

MOST_OBJECTS = 1_000
# Pairs of objects whose boxes touch or nearly touch.
MOST_PAIRS = 25_000
# Of the boxes around all objects together.
MOST_PIXELS = 500_000_000
# Of one polygon. The encoder walks the outline pixel by pixel, so few points may cost as much as many.
MOST_POINTS = 50_000
LONGEST_OUTLINE_PIXELS = 1_000_000

TOO_MANY_OBJECTS = f"It has more than {MOST_OBJECTS:,} objects."
TOO_MANY_PAIRS = f"More than {MOST_PAIRS:,} pairs of its objects overlap or nearly touch."
TOO_MANY_PIXELS = f"Its objects have more than {MOST_PIXELS:,} pixels in all."


class TooMuch(Flaw):
    """The limit that one entry of an annotation exceeds, so that its whole scene is skipped."""


def check_object_count(count: int) -> None:
    """TooMuch if a scene has too many objects."""
    if count > MOST_OBJECTS:
        raise TooMuch(TOO_MANY_OBJECTS)


def beyond_limits(scene: Scene) -> str | None:
    """Why a scene exceeds the limits, or None."""
    count = len(scene.things)
    if count > MOST_OBJECTS:
        return TOO_MANY_OBJECTS
    if count * scene.height * scene.width > MOST_PIXELS:
        boxes = [_box(thing) for thing in scene.things]
        if sum(box.area for box in boxes) > MOST_PIXELS:
            return TOO_MANY_PIXELS
    # Fewer objects than this have fewer pairs in any case.
    if count * (count - 1) // 2 > MOST_PAIRS and _near_pairs(scene) > MOST_PAIRS:
        return TOO_MANY_PAIRS
    return None


def _box(thing: Thing) -> Box:
    return thing.box if thing.mask is None else mask_box(thing.mask)


def _near_pairs(scene: Scene) -> int:
    boxes = [thing.box for thing in scene.things]
    left, top = np.array([box.x for box in boxes]), np.array([box.y for box in boxes])
    right, bottom = np.array([box.right for box in boxes]), np.array([box.bottom for box in boxes])
    reach = melting_kernel(scene.height, scene.width) // 2 + 2
    ordered = 0
    for box in boxes:
        near = (box.x - right <= reach) & (left - box.right <= reach) & (box.y - bottom <= reach)
        ordered += int(np.count_nonzero(near & (top - box.bottom <= reach))) - 1
    return ordered // 2
