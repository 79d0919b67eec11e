"""Contrast."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from anamorph.edits.shrinking.ladders import towards
from anamorph.model import Picture, setting
from anamorph.pixels.tones import retoned


@dataclass(frozen=True, slots=True)
class Contrast:
    """Scale every channel's distance from the mean gray: 0 is flat gray, 1 changes nothing."""

    kind: ClassVar[str] = "contrast"
    factor: float = setting(0.8, "The factor for the distance from the mean gray.", least=0, most=10)

    def apply(self, picture: Picture) -> Picture:
        # The rounded mean luma, the fixed point of contrast changes in image libraries.
        grey = float(np.rint(cv2.mean(cv2.cvtColor(picture.pixels, cv2.COLOR_RGB2GRAY))[0]))
        return retoned(picture, grey + (np.arange(256) - grey) * self.factor)

    def smaller(self) -> Iterator[Sequence[Contrast]]:
        yield [Contrast(factor) for factor in towards(1, self.factor)]
