"""Lossy encoding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from anamorph.errors import BadPicture
from anamorph.model import Picture, setting

# The format has 16 bits for a side; its library allows slightly less.
LONGEST_SIDE = 65_500


@dataclass(frozen=True, slots=True)
class Reencode:
    """Encode the image as a JPEG and decode it again."""

    kind: ClassVar[str] = "reencode"
    quality: int = setting(60, "JPEG quality; lower loses more.", least=1, most=100)

    def apply(self, picture: Picture) -> Picture:
        swapped = cv2.cvtColor(picture.pixels, cv2.COLOR_RGB2BGR)
        height, width = picture.pixels.shape[:2]
        if max(height, width) > LONGEST_SIDE:
            raise BadPicture(f"An image of {width} x {height} cannot be a JPEG: no side may be over {LONGEST_SIDE}.")
        _, content = cv2.imencode(".jpg", swapped, [cv2.IMWRITE_JPEG_QUALITY, self.quality])
        decoded = np.asarray(cv2.imdecode(content, cv2.IMREAD_COLOR), np.uint8)
        return picture.with_pixels(np.ascontiguousarray(decoded[..., ::-1]))
