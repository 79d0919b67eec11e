"""Measures of a hole: how hard its surroundings are to continue, and what gives a filled one away."""

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
# A color this far from every color around the hole, in CIELAB, is not among them; how many of each are compared.
_STRANGE, _COMPARED = 6.0, 1200
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


@dataclass(frozen=True, slots=True)
class FillMarks:
    """What gives a filled hole away.

    `seam` is the change of lightness along the rim, over that on its two sides; `strange` the share of the hole whose
    color is nowhere around it.
    """

    seam: float
    strange: float


def ground_marks(pixels: Pixels, hole: Hole, objects: Hole) -> GroundMarks:
    """The marks of the ground around a hole, without the pixels of the objects that leave it."""
    kernel = melting_kernel(*hole.shape)
    window = window_of(hole, 2 * kernel + 8)
    inside = np.ascontiguousarray(hole[window])
    lab = _lab(pixels[window])
    ring = widened(inside, 2 * kernel + 1) & ~inside & ~widened(np.ascontiguousarray(objects[window]), kernel)
    rough = float((_change(_blurred(lab[..., 0], 0.8))[ring] > _STRONG).mean()) if ring.any() else 0.0
    return GroundMarks(rough, _steps(_blurred(lab, 1.5), inside))


def fill_marks(pixels: Pixels, made: Hole, laid: Hole | None = None) -> FillMarks | None:
    """The marks of ground that was made up, in the finished picture; None for a hole too small to tell.

    Objects that were `laid` against it have edges of their own, so nothing near them counts.
    """
    kernel = melting_kernel(*made.shape)
    window = window_of(made, 2 * kernel + 8)
    hole = np.ascontiguousarray(made[window])
    if not hole.any():
        return None
    inner = cv2.erode(hole.view(np.uint8), np.ones((5, 5), np.uint8)).astype(np.bool_)
    lab = _lab(pixels[window])
    away = np.ones_like(hole) if laid is None else ~widened(np.ascontiguousarray(laid[window]), _NEAR_LAID)
    rim = cv2.morphologyEx(hole.view(np.uint8), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)).astype(np.bool_) & away
    beside = ((widened(hole, 9) & ~widened(hole, 3)) | inner) & away
    inner, ring = inner & away, widened(hole, 2 * kernel + 1) & ~hole & away
    if min(rim.sum(), inner.sum(), ring.sum()) < _LEAST:
        return None
    change = _change(_blurred(lab[..., 0], 0.8))
    smooth = _blurred(lab, 1.0)
    return FillMarks(
        seam=float(change[rim].mean() / (change[beside].mean() + _CALM)),
        strange=_strangers(smooth[inner], smooth[ring]),
    )


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


def _strangers(colors: Floats, known: Floats) -> float:
    """The share of some colors that are far from all known ones."""
    colors, known = (each[:: max(1, len(each) // _COMPARED)] for each in (colors, known))
    squares = (colors**2).sum(1)[:, None] + (known**2).sum(1)[None] - 2 * colors @ known.T
    return float((squares.min(axis=1) > _STRANGE**2).mean())


def _lab(pixels: Pixels) -> Floats:
    return np.asarray(cv2.cvtColor((pixels / 255).astype(np.float32), cv2.COLOR_RGB2LAB), np.float32)


def _blurred(values: Floats, sigma: float) -> Floats:
    return np.asarray(cv2.GaussianBlur(values, (0, 0), sigma), np.float32)


def _change(values: Floats) -> Floats:
    """How much lightness changes from pixel to pixel."""
    across, down = cv2.Sobel(values, cv2.CV_32F, 1, 0), cv2.Sobel(values, cv2.CV_32F, 0, 1)
    return np.asarray(np.hypot(across, down) / 8, np.float32)
