"""Guarantees of every inpainter, for any hole."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import cv2
import numpy as np

from anamorph.errors import BadPicture
from anamorph.model import Hole, Pixels

Filler: TypeAlias = Callable[[Pixels, Hole], Pixels]

# The grey of a picture that has no known pixel left.
_NOTHING_KNOWN = 128


def filled(pixels: Pixels, hole: Hole, fill: Filler) -> Pixels:
    """The picture with its hole filled; `fill` is only called if the hole is not empty and some pixels are known.

    Pixels outside the hole are taken from the picture, whatever `fill` does to them.
    """
    if hole.shape != pixels.shape[:2] or hole.dtype != np.bool_:
        raise BadPicture(f"The hole is {hole.shape} of {hole.dtype}, but the picture is {pixels.shape}.")
    if not hole.any():
        return pixels
    if hole.all():
        return np.full_like(pixels, _NOTHING_KNOWN)
    made = fill(pixels, hole)
    if made.shape != pixels.shape or made.dtype != np.uint8:
        raise BadPicture(f"The inpainter gave {made.shape} of {made.dtype} for a picture of {pixels.shape}.")
    window = window_around(hole, 0)
    result = pixels.copy()
    result[window] = cv2.copyTo(made[window], hole[window].view(np.uint8), result[window].copy())
    return result


def window_around(hole: Hole, margin: int) -> tuple[slice, slice]:
    """The rows and columns of a hole with some ground around it."""
    rows, columns = np.flatnonzero(hole.any(axis=1)), np.flatnonzero(hole.any(axis=0))
    return (
        slice(max(0, int(rows[0]) - margin), int(rows[-1]) + 1 + margin),
        slice(max(0, int(columns[0]) - margin), int(columns[-1]) + 1 + margin),
    )
