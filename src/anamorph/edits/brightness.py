"""Brightness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from anamorph.model import Picture, setting


@dataclass(frozen=True, slots=True)
class Brightness:
    """Multiply every channel by a factor: 0 is black, 1 changes nothing."""

    kind: ClassVar[str] = "brightness"
    factor: float = setting(0.8, "What every channel is multiplied by.", least=0, most=10)

    def apply(self, picture: Picture) -> Picture:
        table = np.clip(np.rint(np.arange(256) * self.factor), 0, 255).astype(np.uint8)
        return picture.with_pixels(np.asarray(cv2.LUT(picture.pixels, table), dtype=np.uint8))
