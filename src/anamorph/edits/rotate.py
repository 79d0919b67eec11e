"""Rotation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anamorph.edits.shrinking.ladders import towards
from anamorph.model import Picture, setting
from anamorph.pixels.warps import Affine, warp


@dataclass(frozen=True, slots=True)
class Rotate:
    """Turn the whole image about its center, counterclockwise; the canvas keeps its size."""

    kind: ClassVar[str] = "rotate"
    degrees: float = setting(2.0, "The angle, counterclockwise.", least=-180, most=180)

    def apply(self, picture: Picture) -> Picture:
        if self.degrees == 0:
            return picture
        height, width = picture.pixels.shape[:2]
        affine = rotation(self.degrees, (width - 1) / 2, (height - 1) / 2)
        return warp(picture, affine, of_edges=rotation(self.degrees, width / 2, height / 2))

    def smaller(self) -> Iterator[Sequence[Rotate]]:
        yield [Rotate(degrees) for degrees in towards(0, self.degrees)]


def rotation(degrees: float, x: float, y: float) -> Affine:
    """The map that turns counterclockwise, as seen on the screen, about a point."""
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[cosine, sine, x - cosine * x - sine * y], [-sine, cosine, y + sine * x - cosine * y]])
