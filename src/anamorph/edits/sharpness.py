"""Sharpness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from anamorph.edits.shrinking.ladders import towards
from anamorph.model import Picture, setting

# The smoothing that image libraries take for "no sharpness".
_SMOOTH = np.array([[1, 1, 1], [1, 5, 1], [1, 1, 1]], np.float32) / 13


@dataclass(frozen=True, slots=True)
class Sharpness:
    """Move every pixel away from, or towards, the smoothed picture: 0 is smooth, 1 changes nothing."""

    kind: ClassVar[str] = "sharpness"
    factor: float = setting(0.8, "What the distance from the smoothed picture is multiplied by.", least=0, most=10)

    def apply(self, picture: Picture) -> Picture:
        height, width = picture.pixels.shape[:2]
        if self.factor == 1 or height < 3 or width < 3:
            return picture
        smooth = np.asarray(cv2.filter2D(picture.pixels, -1, _SMOOTH), np.uint8)
        mixed = np.asarray(cv2.addWeighted(picture.pixels, self.factor, smooth, 1 - self.factor, 0), np.uint8)
        # The outermost pixels have no full neighbourhood and stay as they are.
        pixels = picture.pixels.copy()
        pixels[1:-1, 1:-1] = mixed[1:-1, 1:-1]
        return picture.with_pixels(pixels)

    def smaller(self) -> Iterator[Sequence[Sharpness]]:
        yield [Sharpness(factor) for factor in towards(1, self.factor)]
