"""Gaussian blur."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from anamorph.model import Picture, setting


@dataclass(frozen=True, slots=True)
class Blur:
    """Blur the whole picture with a Gaussian."""

    kind: ClassVar[str] = "blur"
    sigma: float = setting(1.0, "Standard deviation of the Gaussian, in pixels.", least=0, most=100)

    def apply(self, picture: Picture) -> Picture:
        # OpenCV reads sigma 0 as "choose one", which is not what was ordered.
        if self.sigma == 0:
            return picture
        blurred = cv2.GaussianBlur(picture.pixels, (0, 0), self.sigma, borderType=cv2.BORDER_REFLECT_101)
        return picture.with_pixels(np.asarray(blurred, dtype=np.uint8))
