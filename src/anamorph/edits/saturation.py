"""Saturation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from anamorph.edits.shrinking.ladders import towards
from anamorph.model import Picture, setting


@dataclass(frozen=True, slots=True)
class Saturation:
    """Scale every pixel's distance from its gray: 0 is black and white, 1 changes nothing."""

    kind: ClassVar[str] = "saturation"
    factor: float = setting(0.8, "The factor for the distance from the gray of the same luma.", least=0, most=10)

    def apply(self, picture: Picture) -> Picture:
        if self.factor == 1:
            return picture
        grey = cv2.cvtColor(cv2.cvtColor(picture.pixels, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
        mixed = cv2.addWeighted(picture.pixels, self.factor, grey, 1 - self.factor, 0)
        return picture.with_pixels(np.asarray(mixed, np.uint8))

    def smaller(self) -> Iterator[Sequence[Saturation]]:
        yield [Saturation(factor) for factor in towards(1, self.factor)]
