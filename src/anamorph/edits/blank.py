"""A blank image."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from anamorph.model import Picture, Pixels, setting


@dataclass(frozen=True, slots=True)
class Blank:
    """Replace the image with a blank one of its size."""

    kind: ClassVar[str] = "blank"
    reach: ClassVar[str] = "anew"
    pattern: Literal["gray", "noise"] = setting("gray", "Plain gray, or noise.")
    seed: int = setting(0, "Seed of the noise.", least=0)

    def apply(self, picture: Picture) -> Picture:
        shape = picture.pixels.shape
        pixels: Pixels = np.full(shape, 128, np.uint8)
        if self.pattern == "noise":
            pixels = np.random.default_rng(self.seed).integers(0, 256, shape, np.uint8)
        return replace(picture, pixels=pixels, things=())
