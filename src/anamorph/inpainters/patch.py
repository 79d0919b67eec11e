"""A flat colour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anamorph.model import Hole, Pixels, setting
from anamorph.pixels.holes import filled


@dataclass(frozen=True, slots=True)
class FlatPatch:
    """Fill the hole with one colour."""

    kind: ClassVar[str] = "patch"
    colour: tuple[int, int, int] = setting((255, 255, 255), "Red, green and blue, 0 to 255.", least=0, most=255)

    def fill(self, pixels: Pixels, hole: Hole) -> Pixels:
        if hole.shape == pixels.shape[:2] and hole.all():
            return np.full_like(pixels, self.colour)
        return filled(pixels, hole, lambda pixels, hole: np.full_like(pixels, self.colour))
