"""Changes of each channel value by itself, such as brightness."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from anamorph.model import Picture, Pixels

_EVERY_VALUE = np.arange(256, dtype=np.uint8)


def retoned(picture: Picture, values: npt.NDArray[np.floating[Any]]) -> Picture:
    """The picture with each channel value v replaced by `values[v]`, rounded and kept within 0 to 255."""
    table = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    offset = float(values[0])
    factor = (float(values[-1]) - offset) / 255
    # OpenCV scales in a third of the time of a table, but in single precision and to an absolute value; so it may
    # where all 256 values come out right.
    if offset >= 0 and factor >= 0 and np.array_equal(_scaled(_EVERY_VALUE, factor, offset).ravel(), table):
        pixels = _scaled(picture.pixels, factor, offset)
    else:
        # As one channel: OpenCV looks three channels up more slowly.
        flat = cv2.LUT(picture.pixels.reshape(1, -1), table)
        pixels = np.asarray(flat, dtype=np.uint8).reshape(picture.pixels.shape)
    return picture.with_pixels(pixels)


def _scaled(pixels: Pixels, factor: float, offset: float) -> Pixels:
    return np.asarray(cv2.convertScaleAbs(pixels, alpha=factor, beta=offset), dtype=np.uint8)
