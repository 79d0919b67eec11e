"""Pictures of an explanation: an image with a patch covered, and the heat map drawn over an image."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from anamorph.model import Box, Pixels
from anamorph.pixels.blending import mixed
from anamorph.pixels.holes import filled, window_around
from anamorph.store.explanations import Patch
from anamorph.studies.explain.search import Heat

# A covered patch is filled with what surrounds it, so blurred that nothing can be recognised in it.
_SMALL = 32
_SOFT_EDGE = 0.06
# How strongly the map is drawn over the image, which is shown in grey under it.
_STRENGTH = 0.75
_COLD = 0.12
_GREY = 0.7
_CONTOUR = 0.5
_WHITE, _BLACK, _CYAN = (255, 255, 255), (0, 0, 0), (0, 229, 255)


def covered(pixels: Pixels, patch: Patch | None) -> Pixels:
    """The image with a patch, or all but the patch, covered by blurred surroundings; without one, all of one colour."""
    if patch is None:
        return np.full_like(pixels, np.rint(pixels.reshape(-1, 3).mean(axis=0)).astype(np.uint8))
    hole = np.zeros(pixels.shape[:2], np.bool_)
    hole[patch.top : patch.bottom, patch.left : patch.right] = True
    return filled(pixels, ~hole if patch.alone else hole, _blurred_around)


def _blurred_around(pixels: Pixels, hole: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> Pixels:
    """The surroundings of a hole, blurred over it: the weighted mean of the known pixels, near ones most."""
    height, width = hole.shape
    scale = min(1.0, _SMALL / min(height, width))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    known = (~hole).astype(np.float32)
    colour = cv2.resize(pixels.astype(np.float32) * known[..., None], size, interpolation=cv2.INTER_AREA)
    weight = cv2.resize(known, size, interpolation=cv2.INTER_AREA)
    rows, columns = window_around(hole, 0)
    short = min(rows.stop - rows.start, columns.stop - columns.start)
    sigma = max(1.0, short * scale / 2)
    colour, weight = (cv2.GaussianBlur(each, (0, 0), sigma) for each in (colour, weight))
    smooth = colour / np.maximum(weight, 1e-6)[..., None]
    full = cv2.resize(smooth, (width, height), interpolation=cv2.INTER_CUBIC)
    inside = np.pad(hole.astype(np.uint8), 1)
    depth = np.asarray(cv2.distanceTransform(inside, cv2.DIST_L1, 3), np.float32)[1:-1, 1:-1]
    alpha = np.clip(depth / max(1.0, _SOFT_EDGE * short), 0, 1).astype(np.float32)
    return mixed(pixels, np.asarray(full, np.float32), alpha)


def heat_picture(pixels: Pixels, heat: Heat, boxes: Sequence[Box]) -> Pixels:
    """The image in grey with the map glowing over it, the outline of its hot part, and boxes."""
    grey = cv2.cvtColor(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    ground = cv2.addWeighted(grey, _GREY, pixels, 1 - _GREY, 0)
    levels = np.clip(np.rint(255 * heat), 0, 255).astype(np.uint8)
    glow = cv2.cvtColor(cv2.applyColorMap(levels, cv2.COLORMAP_INFERNO), cv2.COLOR_BGR2RGB)
    alpha = (_STRENGTH * np.clip((heat - _COLD) / (1 - _COLD), 0, 1) ** 0.7).astype(np.float32)
    drawn = mixed(np.asarray(ground, np.uint8), np.asarray(glow, np.uint8), alpha)
    line = max(1, round(min(pixels.shape[:2]) / 200))
    outlines, _ = cv2.findContours((heat >= _CONTOUR).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    if heat.any():
        cv2.drawContours(drawn, outlines, -1, _BLACK, 3 * line, cv2.LINE_AA)
        cv2.drawContours(drawn, outlines, -1, _WHITE, line, cv2.LINE_AA)
    for box in boxes:
        first, last = (round(box.x), round(box.y)), (round(box.right) - 1, round(box.bottom) - 1)
        cv2.rectangle(drawn, first, last, _BLACK, 3 * line)
        cv2.rectangle(drawn, first, last, _CYAN, line)
    return drawn
