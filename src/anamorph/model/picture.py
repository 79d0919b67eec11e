"""Pixels, their objects, and the tools of edits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from anamorph.errors import BadPicture
from anamorph.model.scene import Box, Thing

# Height x width x 3, RGB, uint8.
Pixels: TypeAlias = npt.NDArray[np.uint8]
# Height x width, True where pixels are to be generated.
Hole: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Cutout:
    """An object cut out of its photo: RGBA pixels, cropped to the mask, and its label.

    `light` is that of its photo as `anamorph.pixels.matching` measures it, empty if it was not measured.
    """

    rgba: Pixels
    thing: Thing
    light: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class ObjectChange:
    """An edit's effect on one object: its box before the edit and after it, None if it is not in the picture.

    Of a removed object, both are where it was. `label` is empty if the edit does not know it.
    """

    label: str
    before: Box | None
    after: Box | None


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """An area to be painted with a class."""

    label: str
    shape: Hole


# Where other objects are, which must not be copied from; computed only if the inpainter asks.
Avoid: TypeAlias = Callable[[], Hole]


class Studio(Protocol):
    """The tools of edits: inpainters and painters by name, and cut-outs by id."""

    def inpaint(self, name: str, pixels: Pixels, hole: Hole, avoid: Avoid | None = None) -> Pixels: ...

    def cutout(self, id: str) -> Cutout: ...

    def paint(
        self, name: str, regions: Sequence[Region], height: int, width: int, prompt: str, seed: int
    ) -> Pixels: ...


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Pixels and their objects: the input and output of an edit."""

    pixels: Pixels
    things: tuple[Thing, ...] = ()
    studio: Studio | None = None

    def with_pixels(self, pixels: Pixels) -> Picture:
        """The same objects over other pixels."""
        return replace(self, pixels=pixels)

    def tools(self) -> Studio:
        """The studio, for an edit that needs one; BadPicture if there is none."""
        if self.studio is None:
            raise BadPicture("This edit needs inpainters or cut-outs, but the image has no studio.")
        return self.studio


@dataclass(frozen=True, slots=True, eq=False)
class MadeUp:
    """The area that an edit generates, and the objects that it removes.

    For an edit that lays something over that area, `plate` returns the picture before it does so.
    """

    ground: Hole
    gone: tuple[Thing, ...]
    plate: Callable[[], Pixels] | None = None
