"""Gaussian blur."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import cv2
import numpy as np

from anamorph.edits.shrinking.ladders import towards
from anamorph.model import Picture, Pixels, setting


@dataclass(frozen=True, slots=True)
class Blur:
    """Blur the whole image with a Gaussian."""

    kind: ClassVar[str] = "blur"
    sigma: float = setting(1.0, "Standard deviation of the Gaussian, in pixels.", least=0, most=100)

    def apply(self, picture: Picture) -> Picture:
        # OpenCV takes sigma 0 as "choose one".
        if self.sigma == 0:
            return picture
        return picture.with_pixels(_blurred(picture.pixels, _window(self.sigma), self.sigma))

    def smaller(self) -> Iterator[Sequence[Blur]]:
        yield [Blur(sigma) for sigma in towards(0, self.sigma)]


@lru_cache(maxsize=64)
def _window(sigma: float) -> int:
    """The smallest window that blurs like OpenCV's default, whose outermost weights are often zero."""
    # Weights are multiples of 1/256, so a difference shows on noise.
    noise = np.random.default_rng(0).integers(0, 256, (64, 64), dtype=np.uint8)
    wanted = _blurred(noise, 0, sigma)
    # OpenCV's default for 8-bit channels: three standard deviations to each side.
    window = round(6 * sigma + 1) | 1
    if not np.array_equal(_blurred(noise, window, sigma), wanted):
        return 0
    while window > 1 and np.array_equal(_blurred(noise, window - 2, sigma), wanted):
        window -= 2
    return window


def _blurred(pixels: Pixels, window: int, sigma: float) -> Pixels:
    blurred = cv2.GaussianBlur(pixels, (window, window), sigma, borderType=cv2.BORDER_REFLECT_101)
    return np.asarray(blurred, dtype=np.uint8)
