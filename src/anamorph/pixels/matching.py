"""Making an object look as if it had been photographed with the picture that it is put into."""

from __future__ import annotations

import math
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from anamorph.model import Hole, Pixels
from anamorph.pixels.blending import Alpha

# The light of a photo, in CIELAB: how light its darkest and its lightest parts are, and the a and b of grey.
Light: TypeAlias = tuple[float, ...]
Floats: TypeAlias = npt.NDArray[np.float32]

_SIDE = 48
# The values for a cut-out whose photo was not measured.
_USUAL: Light = (6.0, 92.0, 0.0, 2.0)
# Below this mean distance from its tint a photo is black and white, perhaps toned; and below this median chroma, if
# hardly any pixel has more than a trace of color.
_GREY = 1.5
_MEDIAN_CHROMA, _TRACE, _NEARLY_ALL = 2.0, 8.0, 0.95
_NEAR_GREY, _LEAST_NEAR_GREY = 14.0, 0.15
# How much lightness, contrast and colour may change: an object keeps its own.
_MOST_SHIFT = 25.0
_CONTRASTS = (0.5, 1.2)
_MOST_TINT = 8.0
_ENDS = (0.02, 0.98)
# The share of the difference between the two photos that an object takes over.
_SHARE = 0.7
# Edges of an object may be this much sharper than those around it; the blurs that are tried, in pixels.
_SHARPER = 1.15
_BLURS = (0.6, 1.1, 1.8)
_STRONGEST = 0.06
_CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.uint8)
_MOST_AROUND = 128


def light_of(pixels: Pixels) -> Light:
    """The light of a photo."""
    return _light(_lab(_small(pixels)).reshape(-1, 3))


def is_grey(pixels: Pixels) -> bool:
    """Whether a photo is black and white, perhaps toned: its pixels hardly differ from their common tint."""
    return _is_grey(_lab(_small(pixels)).reshape(-1, 3))


@dataclass(frozen=True, slots=True)
class PhotoLight:
    """The light of a photo that an object is put into; `tint` is the a and b that all of a black-and-white one has."""

    light: Light
    tint: tuple[float, ...] | None = None


class _Latest(threading.local):
    """The photo that this thread looked at last, and its light; pictures are never changed in place."""

    light: tuple[weakref.ref[Pixels], PhotoLight] | None = None


_latest = _Latest()


def photo_light(pixels: Pixels) -> PhotoLight:
    """The light of a photo; that of the latest one is remembered, since it gets several objects, one at a time."""
    known = _latest.light
    if known is not None and known[0]() is pixels:
        return known[1]
    lab = _lab(_small(pixels)).reshape(-1, 3)
    tint = tuple(float(value) for value in np.median(lab[:, 1:], axis=0)) if _is_grey(lab) else None
    found = PhotoLight(_light(lab), tint)
    _latest.light = weakref.ref(pixels), found
    return found


def relit(colour: Pixels, source: Light, photo: PhotoLight) -> Pixels:
    """An object's colours in the light of another photo: its darkest and its lightest level, and its tint, in bounds.

    Only in fog is black grey, and only in the dark is white. In a photo without colour the object has none, either.
    """
    before, now = source or _USUAL, photo.light
    contrast = float(np.clip((now[1] - now[0]) / max(before[1] - before[0], 1.0), *_CONTRASTS)) ** _SHARE
    shift = float(np.clip(_SHARE * (now[0] - before[0]), -_MOST_SHIFT, _MOST_SHIFT))
    # In bytes, lightness has 255 levels and a and b lie around 128.
    levels = (np.arange(256) / 2.55 - before[0]) * contrast + before[0] + shift
    lab = np.asarray(cv2.cvtColor(np.ascontiguousarray(colour), cv2.COLOR_RGB2LAB), np.uint8)
    if photo.tint is not None:
        a, b = (np.full(256, value + 128) for value in photo.tint)
    else:
        tint = np.array([now[2] - before[2], now[3] - before[3]])
        tint *= _SHARE * min(1.0, _MOST_TINT / max(float(np.hypot(*tint)), 1e-6))
        a, b = np.arange(256) + tint[0], np.arange(256) + tint[1]
    tables = np.clip(np.rint(np.stack([2.55 * levels, a, b], axis=1)), 0, 255).astype(np.uint8)
    return np.asarray(cv2.cvtColor(cv2.LUT(lab, tables[None]), cv2.COLOR_LAB2RGB), np.uint8)


def _light(lab: Floats) -> Light:
    dark, bright = np.quantile(lab[:, 0], _ENDS)
    # Nearly grey pixels show the colour of the light; those of grass or a red wall do not.
    near_grey = lab[(np.hypot(lab[:, 1], lab[:, 2]) < _NEAR_GREY) & (lab[:, 0] > 25) & (lab[:, 0] < 97), 1:]
    tint = near_grey.mean(axis=0) if len(near_grey) > _LEAST_NEAR_GREY * len(lab) else np.zeros(2)
    return tuple(round(float(value), 2) for value in (dark, bright, tint[0], tint[1]))


def _is_grey(lab: Floats) -> bool:
    colours = lab[:, 1:]
    if np.hypot(*(colours - np.median(colours, axis=0)).T).mean() < _GREY:
        return True
    median, most = np.quantile(np.hypot(*colours.T), (0.5, _NEARLY_ALL))
    return bool(median < _MEDIAN_CHROMA and most < _TRACE)


def blur_for(pixels: Pixels, place: tuple[slice, slice], own: Callable[[float], float | None]) -> float:
    """How far to blur an object, in pixels, until its edges are hardly sharper than those around its place.

    `own` gives its sharpness after a blur.
    """
    wanted = sharpness(pixels[_grown(place[0], pixels.shape[0]), _grown(place[1], pixels.shape[1])])
    if wanted is None:
        return 0.0
    for sigma in (0.0, *_BLURS):
        seen = own(sigma)
        if seen is None or seen <= _SHARPER * wanted:
            break
    return sigma


def sharpness_after(colour: Pixels, shape: Hole, sigma: float) -> float | None:
    """How sharp the middle of an object is after a blur."""
    middle = _middle(shape.shape[0]), _middle(shape.shape[1])
    inner = cv2.erode(shape.view(np.uint8), np.ones((3, 3), np.uint8)).view(np.bool_)
    part = blurred_within(colour[middle], shape[middle], sigma) if sigma else colour[middle]
    return sharpness(part, inner[middle])


def sharpness(pixels: Pixels, shape: Hole | None = None) -> float | None:
    """How sharp the strongest edges are: curvature over slope, which does not depend on contrast; None without any."""
    grey = cv2.cvtColor(np.ascontiguousarray(pixels), cv2.COLOR_RGB2GRAY).astype(np.float32)
    grey = np.asarray(cv2.GaussianBlur(grey, (0, 0), 0.6), np.float32)
    slope = cv2.magnitude(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)) / 8
    if shape is not None:
        slope = np.where(shape, slope, 0)
    # Every seventh pixel is enough to know how strong the strongest are.
    some = slope.ravel()[::7]
    place = int((1 - _STRONGEST) * (some.size - 1))
    strong = slope >= max(3.0, float(np.partition(some, place)[place]))
    if strong.sum() < 40:
        return None
    curve = np.abs(cv2.Laplacian(grey, cv2.CV_32F))
    return float(curve[strong].sum() / slope[strong].sum())


def softened(alpha: Alpha, width: float) -> Alpha:
    """Alpha that falls off over about this many pixels, inwards, so that no rim of the other photo shows."""
    padded = np.pad(alpha, 3)
    inner = cv2.erode(padded, _CROSS)
    soft = np.asarray(cv2.GaussianBlur(inner, (0, 0), width / 2), np.float32)[3:-3, 3:-3]
    return np.asarray(np.minimum(soft, alpha), np.float32)


def shade(pixels: Pixels, shape: Hole, left: int, top: int, strength: float) -> None:
    """Put a soft shadow on the ground just under an object's feet, in place; dark ground shows none."""
    height = len(shape)
    feet = np.flatnonzero(shape[int(0.9 * height) :].any(axis=0))
    if not len(feet):
        return
    middle, half = left + (feet[0] + feet[-1]) / 2, max(3.0, 0.55 * (feet[-1] - feet[0] + 1))
    tall = max(2.0, 0.16 * half)
    foot = top + height - 1 - 0.3 * tall
    margin = 3 * tall
    rows = slice(max(0, math.floor(foot - margin)), min(pixels.shape[0], math.ceil(foot + margin)))
    columns = slice(max(0, math.floor(middle - half - margin)), min(pixels.shape[1], math.ceil(middle + half + margin)))
    part = pixels[rows, columns].astype(np.float32)
    y = ((np.arange(rows.start, rows.stop, dtype=np.float32) - foot) / tall).astype(np.float32)
    x = ((np.arange(columns.start, columns.stop, dtype=np.float32) - middle) / half).astype(np.float32)
    fade = np.clip(1.35 - np.sqrt(x[None] ** 2 + y[:, None] ** 2), 0, 1)
    dark = strength * fade * np.sqrt(fade)
    light = float(part.mean()) / 255
    # In the dark there is no light for a shadow to be missing from.
    dark *= min(1.0, max(0.0, (light - 0.08) / 0.3))
    pixels[rows, columns] = np.rint(part * (1 - np.minimum(dark, 0.8))[..., None]).astype(np.uint8)


def blurred_within(colour: Pixels, shape: Hole, sigma: float) -> Pixels:
    """Blurred without what is around the shape."""
    weight = shape.astype(np.float32)
    total = cv2.GaussianBlur(colour.astype(np.float32) * weight[..., None], (0, 0), sigma)
    share = cv2.GaussianBlur(weight, (0, 0), sigma)
    mixed = np.asarray(total) / np.maximum(np.asarray(share), 1e-3)[..., None]
    return np.where(shape[..., None], np.clip(np.rint(mixed), 0, 255), colour).astype(np.uint8)


def _grown(part: slice, size: int) -> slice:
    """A range and half of it on either side, but no more than is needed to see how sharp a photo is there."""
    long = min(2 * (part.stop - part.start), _MOST_AROUND)
    start = max(0, (part.start + part.stop - long) // 2)
    return slice(start, min(size, start + long))


def _middle(size: int) -> slice:
    """The middle of an object: enough to see how sharp it is."""
    long = min(size, _MOST_AROUND)
    return slice((size - long) // 2, (size + long) // 2)


def _small(pixels: Pixels) -> Pixels:
    """Pixels evenly spread over a photo: enough for its light, at no cost."""
    step = max(1, max(pixels.shape[:2]) // _SIDE)
    return np.ascontiguousarray(pixels[step // 2 :: step, step // 2 :: step])


def _lab(pixels: Pixels) -> Floats:
    return np.asarray(cv2.cvtColor((pixels / 255).astype(np.float32), cv2.COLOR_RGB2LAB), np.float32)
