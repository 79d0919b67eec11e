"""Blending pixels into a picture: with their own alpha, with soft edges, or lit by their surroundings."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from anamorph.model import Hole, Pixels

Blend: TypeAlias = Literal["paste", "feather", "poisson"]
Alpha: TypeAlias = npt.NDArray[np.float32]
Floats: TypeAlias = npt.NDArray[np.float32]

# How wide a soft edge is, as a share of the root of the object's area.
_SOFT_EDGE = 0.03
# How much of the surroundings' light reaches the middle of an object.
_LIGHT = 0.2
_COARSEST = 8
_SWEEPS = 24


def blended(ground: Pixels, colour: Pixels, alpha: Alpha, shape: Hole, blend: Blend) -> Pixels:
    """`colour` over `ground`, all of one size; only pixels with some alpha change."""
    if blend == "feather":
        alpha = feathered(alpha, shape)
    over = _relit(ground, colour.astype(np.float32), shape) if blend == "poisson" else colour
    return mixed(ground, over, alpha)


def mixed(ground: Pixels, over: Pixels | Floats, alpha: Alpha) -> Pixels:
    """`over` over `ground`, weighted with alpha and rounded; most pixels are all of the one or all of the other."""
    whole = (alpha >= 1).view(np.uint8)
    full = over if over.dtype == np.uint8 else np.clip(np.rint(over), 0, 255).astype(np.uint8)
    result = np.asarray(cv2.copyTo(full, whole, np.array(ground)), np.uint8)
    partial = np.flatnonzero((alpha > 0) & (alpha < 1))
    lines = result.reshape(-1, 3)
    below, above = lines[partial].astype(np.float32), over.reshape(-1, 3)[partial].astype(np.float32)
    weight = alpha.reshape(-1, 1)[partial]
    lines[partial] = np.clip(np.rint(below + weight * (above - below)), 0, 255).astype(np.uint8)
    return result


def softly_mixed(ground: Pixels, over: Pixels, alpha: Alpha) -> Pixels:
    """As `mixed`, and quicker where many pixels are partly both; one that is just between two levels may differ."""
    return np.asarray(cv2.blendLinear(over, np.ascontiguousarray(ground), alpha, 1 - alpha), np.uint8)


def feathered(alpha: Alpha, shape: Hole) -> Alpha:
    """Alpha that rises from the object's edge inwards, so that nothing outside it changes."""
    depth, reach = _depth(shape)
    ramp = np.clip(depth / (reach + 1), 0, 1)
    soft: Alpha = np.minimum(alpha, ramp * ramp * (3 - 2 * ramp)).astype(np.float32)
    return soft


def _depth(shape: Hole) -> tuple[Floats, float]:
    """How deep in the shape each pixel lies (1 at its edge), and how wide a soft edge of it is, in pixels."""
    inside = np.pad(shape.astype(np.uint8), 1)
    depth = np.asarray(cv2.distanceTransform(inside, cv2.DIST_L2, 5), np.float32)[1:-1, 1:-1]
    return depth, max(1.0, _SOFT_EDGE * math.sqrt(float(shape.sum())))


def _relit(ground: Pixels, over: Floats, shape: Hole) -> Floats:
    """Colours that meet the ground at the shape's edge and come back to their own inside (screened Poisson blending).

    Without the screen the whole object takes the colour of its surroundings: an orange on grass turns green.
    """
    edge = shape & ~_eroded(shape)
    difference = np.where(edge[..., None], ground - over, 0).astype(np.float32)
    depth, reach = _depth(shape)
    screen = _LIGHT + (1 - _LIGHT) * np.exp(-(depth - 1) / reach)
    relit: Floats = over + membrane(difference, edge, shape & ~edge) * screen[..., None].astype(np.float32)
    return relit


def membrane(values: Floats, known: Hole, unknown: Hole) -> Floats:
    """The smoothest values at `unknown` pixels that agree with the `known` ones: Laplace's equation, coarse to fine."""
    height, width = known.shape
    if min(height, width) > _COARSEST:
        small = (max(1, (width + 1) // 2), max(1, (height + 1) // 2))
        weight = _halved(known.astype(np.float32), small)
        total = _halved(np.where(known[..., None], values, 0).astype(np.float32), small)
        coarse_known = weight > 0
        coarse = np.where(coarse_known[..., None], total / np.maximum(weight, 1e-6)[..., None], 0).astype(np.float32)
        coarse_unknown = (_halved(unknown.astype(np.float32), small) > 0) & ~coarse_known
        coarse = membrane(coarse, coarse_known, coarse_unknown)
        guess = np.asarray(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)
    else:
        mean = values[known].mean(axis=0) if known.any() else np.zeros(values.shape[2], np.float32)
        guess = np.broadcast_to(mean, values.shape).astype(np.float32)
    field = np.where(known[..., None], values, np.where(unknown[..., None], guess, 0)).astype(np.float32)
    return _relaxed(field, known | unknown, unknown)


def _relaxed(field: Floats, used: Hole, unknown: Hole) -> Floats:
    """Every unknown pixel becomes the mean of its neighbours, again and again; those that are not used do not count."""
    kernel = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], np.float32)
    zero = cv2.BORDER_CONSTANT
    count = np.asarray(cv2.filter2D(used.astype(np.float32), -1, kernel, borderType=zero), np.float32)
    scale = np.where(unknown & (count > 0), 1 / np.maximum(count, 1), 0).astype(np.float32)[..., None]
    stay = np.where(scale > 0, 0, 1).astype(np.float32) * field
    for _ in range(_SWEEPS):
        field = np.asarray(cv2.filter2D(field, -1, kernel, borderType=zero), np.float32) * scale + stay
    return field


def _halved(values: Floats, size: tuple[int, int]) -> Floats:
    height, width = values.shape[:2]
    even = cv2.copyMakeBorder(values, 0, size[1] * 2 - height, 0, size[0] * 2 - width, cv2.BORDER_CONSTANT, value=0)
    return np.asarray(cv2.resize(even, size, interpolation=cv2.INTER_AREA), np.float32)


def _eroded(shape: Hole) -> Hole:
    padded = np.pad(shape.astype(np.uint8), 1)
    inner = cv2.erode(padded, np.ones((3, 3), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
    return np.asarray(inner, np.uint8)[1:-1, 1:-1].astype(np.bool_)
