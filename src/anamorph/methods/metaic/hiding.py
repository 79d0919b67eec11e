"""How much of the objects of a scene a cut-out would hide, by their masks, without a pixel of the photo."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from anamorph.edits.insert import shape_of_alpha
from anamorph.model import Box, Hole, Scene, Thing
from anamorph.pixels.masks import mask_area
from anamorph.pixels.shapes import whole_box
from anamorph.pixels.windows import ShapeWindow, shape_window

# The alpha channel of a cut-out.
Alpha8: TypeAlias = npt.NDArray[np.uint8]

# A box may be a little off its mask.
_SLACK = 1


@dataclass(slots=True)
class SceneMasks:
    """The masks of a scene's objects, decoded when first needed; for objects without one, boxes decide."""

    scene: Scene
    known: list[tuple[Box, Thing, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.known = [
            (thing.box, thing, mask_area(thing.mask)) for thing in self.scene.things if thing.mask is not None
        ]

    def shape(self, thing: Thing) -> ShapeWindow:
        """The pixels of an object."""
        return shape_window(thing, self.scene.height, self.scene.width)


@dataclass(slots=True)
class Hiding:
    """Says of a box whether a cut-out in it would hide more than `most` of any object's own pixels.

    Masks are decoded and the cut-out is read only where the boxes alone do not settle it.
    """

    masks: SceneMasks
    alpha: Callable[[], Alpha8]
    most: float
    _by_size: dict[tuple[int, int], Hole] = field(default_factory=dict, init=False)

    def __call__(self, box: Box) -> bool:
        left, top, right, bottom = whole_box(box, self.masks.scene.height, self.masks.scene.width)
        near = Box(left - _SLACK, top - _SLACK, right - left + 2 * _SLACK, bottom - top + 2 * _SLACK)
        for other, thing, area in self.masks.known:
            if near.overlap(other) <= self.most * area:
                continue
            cutout = self._cutout(right - left, bottom - top)
            if self.masks.shape(thing).common(ShapeWindow(top, left, cutout, cutout.size)) > self.most * area:
                return True
        return False

    def _cutout(self, width: int, height: int) -> Hole:
        shape = self._by_size.get((width, height))
        if shape is None:
            shape = self._by_size[width, height] = shape_of_alpha(self.alpha(), width, height)
        return shape
