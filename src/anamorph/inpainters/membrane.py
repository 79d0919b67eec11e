"""A smooth membrane over the hole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anamorph.model import Hole, Pixels
from anamorph.pixels.blending import membrane
from anamorph.pixels.holes import filled, window_around

# Enough margin around the hole that its border does not depend on single noisy pixels.
_GROUND = 8


@dataclass(frozen=True, slots=True)
class Membrane:
    """Fill the hole as smoothly as possible (Laplace's equation): no weights, no streaks, but blurred."""

    kind: ClassVar[str] = "membrane"

    def fill(self, pixels: Pixels, hole: Hole) -> Pixels:
        return filled(pixels, hole, _spanned)


def _spanned(pixels: Pixels, hole: Hole) -> Pixels:
    window = window_around(hole, _GROUND)
    unknown = hole[window]
    smooth = membrane(pixels[window].astype(np.float32), ~unknown, unknown)
    result = pixels.copy()
    result[window] = np.clip(np.rint(smooth), 0, 255).astype(np.uint8)
    return result
