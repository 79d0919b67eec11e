"""How believable a filled hole looks: its seam, and how much goes on in it, measured against the ground around it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from anamorph.model import Hole, Pixels
from anamorph.pixels.shapes import melting_kernel, widened, window_of

Floats = npt.NDArray[np.float32]

# A change of lightness of this many levels a pixel is an edge.
_EDGE = 4.0
# What is added to both sides of a ratio, so that noise on plain ground says nothing.
_CALM, _FEW, _FLAT = 0.3, 0.02, 0.2
_COARSE = 3.0
# How many pixels of the rim or of the inside tell something.
_LEAST = 20
_NEAR_LAID = 7


@dataclass(frozen=True, slots=True)
class FillMarks:
    """What gives a filled hole away: ratios of the hole to its surroundings, and their colours.

    `seam` is the change of lightness along the rim, `edges` the share of edges, `shapes` the change of colour between
    areas; `variety` is the spread of the colours around the hole, and `apart` how far its mean colour is from theirs,
    both in CIELAB.
    """

    seam: float
    edges: float
    shapes: float
    variety: float
    apart: float


def fill_marks(pixels: Pixels, made: Hole, laid: Hole | None = None) -> FillMarks | None:
    """The marks of ground that was made up, in the finished picture; None for a hole too small to tell.

    Objects that were `laid` against it have edges of their own, so nothing near them counts.
    """
    if not made.any():
        return None
    kernel = melting_kernel(*made.shape)
    window = window_of(made, 2 * kernel + 8)
    hole = np.ascontiguousarray(made[window])
    ring = widened(hole, 2 * kernel + 1) & ~hole
    inside = cv2.erode(hole.view(np.uint8), np.ones((5, 5), np.uint8)).astype(np.bool_)
    lab = np.asarray(cv2.cvtColor((pixels[window] / 255).astype(np.float32), cv2.COLOR_RGB2LAB), np.float32)
    change = _change(np.asarray(cv2.GaussianBlur(lab[..., 0], (0, 0), 0.8), np.float32)[..., None])
    areas = _change(np.asarray(cv2.GaussianBlur(lab, (0, 0), _COARSE), np.float32))
    away = np.ones_like(hole) if laid is None else ~widened(np.ascontiguousarray(laid[window]), _NEAR_LAID)
    rim = cv2.morphologyEx(hole.view(np.uint8), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)).astype(np.bool_)
    beside = (widened(hole, 9) & ~widened(hole, 3)) | inside
    rim, beside, inside, ring = rim & away, beside & away, inside & away, ring & away
    if min(rim.sum(), inside.sum(), ring.sum()) < _LEAST:
        return None
    edges = change > _EDGE
    return FillMarks(
        seam=float(change[rim].mean() / (change[beside].mean() + _CALM)),
        edges=float((edges[inside].mean() + _FEW) / (edges[ring].mean() + _FEW)),
        shapes=float((areas[inside].mean() + _FLAT) / (areas[ring].mean() + _FLAT)),
        variety=float(np.sqrt(lab[ring].var(axis=0).sum())),
        apart=float(np.linalg.norm(lab[inside].mean(axis=0) - lab[ring].mean(axis=0))),
    )


def _change(values: Floats) -> Floats:
    """How much all channels together change from pixel to pixel."""
    across, down = cv2.Sobel(values, cv2.CV_32F, 1, 0) / 8, cv2.Sobel(values, cv2.CV_32F, 0, 1) / 8
    squares = np.asarray(across * across + down * down, np.float32)
    return np.asarray(np.sqrt(squares if squares.ndim == 2 else squares.sum(axis=2)), np.float32)
