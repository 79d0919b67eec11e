"""Horizontal shear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anamorph.edits.shrinking.ladders import towards
from anamorph.model import Picture, setting
from anamorph.pixels.warps import warp


@dataclass(frozen=True, slots=True)
class Shear:
    """Shear the image horizontally about its middle line; the canvas keeps its size."""

    kind: ClassVar[str] = "shear"
    factor: float = setting(0.1, "Pixels to the right per pixel downwards.", least=-1, most=1)

    def apply(self, picture: Picture) -> Picture:
        middle = picture.pixels.shape[0] / 2
        return warp(picture, np.array([[1.0, self.factor, -self.factor * middle], [0.0, 1.0, 0.0]]))

    def smaller(self) -> Iterator[Sequence[Shear]]:
        yield [Shear(factor) for factor in towards(0, self.factor)]
