"""Measures of a hole: how hard its surroundings are to continue, and whether its rim shows once it is filled."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from anamorph.model import Hole, Pixels
from anamorph.pixels.shapes import melting_kernel, widened, window_of

Floats = npt.NDArray[np.float32]

# A change of lightness of this many levels a pixel is a strong edge.
_STRONG = 8.0
# Colors this many pixels apart on the outline that differ by more than this, in CIELAB, belong to different areas.
_APART, _STEP = 6, 9.0
# How far outside the hole the outline runs.
_OUTSIDE = 3
# Added to both sides of a ratio, so that noise on plain ground says nothing.
_CALM = 0.3
# Fewer pixels of the rim or of the inside tell nothing.
_LEAST = 20
_NEAR_LAID = 7


@dataclass(frozen=True, slots=True)
class GroundMarks:
    """How hard a hole is to fill: the share of strong edges around it, and the color changes along its outline."""

    rough: float
    steps: int


def ground_marks(pixels: Pixels, hole: Hole, objects: Hole) -> GroundMarks:
    """The marks of the ground around a hole, without the pixels of the objects that leave it."""
    kernel = melting_kernel(*hole.shape)
    window = window_of(hole, 2 * kernel + 8)
    inside = np.ascontiguousarray(hole[window])
    lab = _lab(pixels[window])
    ring = widened(inside, 2 * kernel + 1) & ~inside & ~widened(np.ascontiguousarray(objects[window]), kernel)
    rough = float(_strong(lab)[ring].mean()) if ring.any() else 0.0
    return GroundMarks(rough, _steps(_blurred(lab, 1.5), inside))


def roughness(pixels: Pixels) -> float:
    """The share of strong edges in a part of a photo."""
    return float(_strong(_lab(pixels)).mean())


def seam(pixels: Pixels, made: Hole, laid: Hole) -> float | None:
    """The change of lightness along the rim of ground that was made up, over that on its two sides.

    None for a hole too small to tell. Objects that were `laid` against it have edges of their own, so nothing near them
    counts.
    """
    window = window_of(made, 16)
    hole = np.ascontiguousarray(made[window])
    if not hole.any():
        return None
    inner = cv2.erode(hole.view(np.uint8), np.ones((5, 5), np.uint8)).astype(np.bool_)
    away = ~widened(np.ascontiguousarray(laid[window]), _NEAR_LAID)
    rim = cv2.morphologyEx(hole.view(np.uint8), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)).astype(np.bool_) & away
    beside = ((widened(hole, 9) & ~widened(hole, 3)) | inner) & away
    if min(rim.sum(), beside.sum()) < _LEAST or hole.all():
        return None
    change = _change(_blurred(_lab(pixels[window])[..., 0], 0.8))
    return float(change[rim].mean() / (change[beside].mean() + _CALM))


def _steps(lab: Floats, hole: Hole) -> int:
    """How often the color changes on the way around a hole, just outside it."""
    side = 2 * _OUTSIDE + 1
    grown = cv2.dilate(hole.view(np.uint8), cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)))
    outlines, _ = cv2.findContours(grown, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    height, width = hole.shape
    steps = 0
    for outline in outlines:
        across, down = outline[:, 0].T
        # Along the side of the photo there is no ground.
        within = (across > 1) & (across < width - 2) & (down > 1) & (down < height - 2)
        colors = lab[down, across]
        differs = np.linalg.norm(np.roll(colors, -_APART, 0) - colors, axis=1) > _STEP
        differs &= within & np.roll(within, -_APART)
        steps += int((differs & ~np.roll(differs, 1)).sum())
    return steps


def _strong(lab: Floats) -> Hole:
    return np.asarray(_change(_blurred(lab[..., 0], 0.8)) > _STRONG, np.bool_)


def _lab(pixels: Pixels) -> Floats:
    return np.asarray(cv2.cvtColor((pixels / 255).astype(np.float32), cv2.COLOR_RGB2LAB), np.float32)


def _blurred(values: Floats, sigma: float) -> Floats:
    return np.asarray(cv2.GaussianBlur(values, (0, 0), sigma), np.float32)


def _change(values: Floats) -> Floats:
    """How much lightness changes from pixel to pixel."""
    across, down = cv2.Sobel(values, cv2.CV_32F, 1, 0), cv2.Sobel(values, cv2.CV_32F, 0, 1)
    return np.asarray(np.hypot(across, down) / 8, np.float32)
