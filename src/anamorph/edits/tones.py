"""Changes that look at one channel value at a time."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from anamorph.model import Picture


def retoned(picture: Picture, values: npt.NDArray[np.floating[Any]]) -> Picture:
    """The picture with each channel value v replaced by `values[v]`, rounded and kept within 0 to 255."""
    table = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    # As one channel: OpenCV looks three channels up more slowly.
    flat = cv2.LUT(picture.pixels.reshape(1, -1), table)
    return picture.with_pixels(np.asarray(flat, dtype=np.uint8).reshape(picture.pixels.shape))
