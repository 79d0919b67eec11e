"""Sharpness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from anamorph.edits.shrinking.ladders import towards
from anamorph.model import Picture, setting

# The smoothing filter of image libraries for zero sharpness.
_SMOOTH = np.array([[1, 1, 1], [1, 5, 1], [1, 1, 1]], np.float32) / 13


@dataclass(frozen=True, slots=True)
class Sharpness:
    """Scale every pixel's distance from the smoothed image: 0 is smooth, 1 changes nothing."""

    kind: ClassVar[str] = "sharpness"
    factor: float = setting(0.8, "The factor for the distance from the smoothed image.", least=0, most=10)

    def apply(self, picture: Picture) -> Picture:
        height, width = picture.pixels.shape[:2]
        if self.factor == 1 or height < 3 or width < 3:
            return picture
        smooth = np.asarray(cv2.filter2D(picture.pixels, -1, _SMOOTH), np.uint8)
        mixed = np.asarray(cv2.addWeighted(picture.pixels, self.factor, smooth, 1 - self.factor, 0), np.uint8)
        # Border pixels have no full neighborhood and stay unchanged.
        pixels = picture.pixels.copy()
        pixels[1:-1, 1:-1] = mixed[1:-1, 1:-1]
        return picture.with_pixels(pixels)

    def smaller(self) -> Iterator[Sequence[Sharpness]]:
        yield [Sharpness(factor) for factor in towards(1, self.factor)]
