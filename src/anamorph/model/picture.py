"""Pixels, the objects on them, and what edits work with."""

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
# Height x width, True where pixels are to be made up.
Hole: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Cutout:
    """An object without its photo: RGBA pixels that its mask fills to all four sides, and what it is.

    `light` is that of its photo as `anamorph.pixels.matching` measures it, empty where nobody did.
    """

    rgba: Pixels
    thing: Thing
    light: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class ObjectChange:
    """What an edit does to one object: its box before the edit and after it, None where it is not in the picture.

    Of a removed object, both are where it was. `label` is empty where the edit does not know it.
    """

    label: str
    before: Box | None
    after: Box | None


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """The ground that is to show something of a class."""

    label: str
    shape: Hole


# Where other objects are, which nothing should be copied from; found out only if the inpainter asks.
Avoid: TypeAlias = Callable[[], Hole]


class Studio(Protocol):
    """What edits need beyond the picture itself: inpainters and painters by name, and cut-outs by id."""

    def inpaint(self, name: str, pixels: Pixels, hole: Hole, avoid: Avoid | None = None) -> Pixels: ...

    def cutout(self, id: str) -> Cutout: ...

    def paint(
        self, name: str, regions: Sequence[Region], height: int, width: int, prompt: str, seed: int
    ) -> Pixels: ...


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Pixels and the objects that are on them; what an edit takes and gives."""

    pixels: Pixels
    things: tuple[Thing, ...] = ()
    studio: Studio | None = None

    def with_pixels(self, pixels: Pixels) -> Picture:
        """The same objects over other pixels."""
        return replace(self, pixels=pixels)

    def tools(self) -> Studio:
        """The studio, for an edit that cannot do without; BadPicture where there is none."""
        if self.studio is None:
            raise BadPicture("This edit needs inpainters or cut-outs, and the picture came without a studio.")
        return self.studio


@dataclass(frozen=True, slots=True, eq=False)
class MadeUp:
    """The ground that an edit makes up, and the objects that it takes from there.

    Of an edit that lays something over that ground, `plate` gives the picture before it does so.
    """

    ground: Hole
    gone: tuple[Thing, ...]
    plate: Callable[[], Pixels] | None = None
