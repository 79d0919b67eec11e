"""Footings of a photo's objects, and its sky: connected ground that looks like that under their feet."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from anamorph.model import Box, Hole, Pixels
from anamorph.pixels.shapes import touched

# Photos are looked at in this size: ground is a matter of areas, not of detail.
_SIDE = 176
# How far from the mean colour under an object's feet ground may be, in standard deviations; light varies most.
_MOST_DISTANCE = 2.6
_LEAST_DEVIATION = (7.0, 3.5, 3.5)
# An edge stronger than this, in levels, ends the ground unless the ground itself is as rough.
_EDGE = 26.0
_LEAST_SKY, _LOWEST_SKY = 0.06, 0.55


class GroundView:
    """A photo made small, in CIELAB, with the ground that its objects take up."""

    def __init__(self, pixels: Pixels, occupied: Hole) -> None:
        self.height, self.width = pixels.shape[:2]
        self._scale = min(1.0, _SIDE / max(self.height, self.width))
        size = max(1, round(self.width * self._scale)), max(1, round(self.height * self._scale))
        small = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
        lab = cv2.cvtColor((small / 255).astype(np.float32), cv2.COLOR_RGB2LAB)
        self._lab = np.asarray(cv2.GaussianBlur(lab, (0, 0), 1.0), np.float32)
        taken = cv2.resize(occupied.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
        self._taken = np.asarray(taken, np.uint8).astype(np.bool_)
        light = np.asarray(cv2.GaussianBlur(lab[..., 0], (0, 0), 0.7), np.float32)
        across, down = cv2.Sobel(light, cv2.CV_32F, 1, 0), cv2.Sobel(light, cv2.CV_32F, 0, 1)
        self._edges = np.asarray(np.hypot(across, down), np.float32)

    def under(self, box: Box) -> Hole | None:
        """The ground that an object in this box stands on, or None if its foot leaves the photo or is not seen."""
        s = self._scale
        rows, columns = self._taken.shape
        foot, depth = round(box.bottom * s), max(2, round(0.1 * box.height * s))
        left, _, right, _ = touched(Box(box.x * s, 0, box.width * s, 1), rows, columns)
        seeds = np.zeros_like(self._taken)
        seeds[max(0, foot - 1) : min(rows, foot + depth), max(0, left - 2) : min(columns, right + 2)] = True
        seeds &= ~self._taken
        if box.bottom > self.height - 3 or seeds.sum() < max(4, 0.25 * depth * (right - left)):
            return None
        return self._grown(seeds)

    def sky(self) -> Hole | None:
        """Smooth bright or blue ground at the top of the photo, where there is enough of it."""
        seeds = np.zeros_like(self._taken)
        seeds[:2] = True
        seeds &= ~self._taken & (self._edges < _EDGE)
        if seeds.sum() < 0.5 * seeds.shape[1]:
            return None
        light, _, blue = np.median(self._lab[seeds], axis=0)
        if not (light > 78 or (light > 40 and blue < -8)):
            return None
        found = self._grown(seeds)
        found[round(_LOWEST_SKY * self.height) :] = False
        return found if found.mean() >= _LEAST_SKY else None

    def _grown(self, seeds: Hole) -> Hole:
        """The connected pixels that look like the seeds, at the photo's own size."""
        known = self._lab[seeds]
        middle = np.median(known, axis=0)
        spread = np.maximum(1.5 * np.median(np.abs(known - middle), axis=0), _LEAST_DEVIATION)
        distance = np.sqrt((((self._lab - middle) / spread) ** 2 * (0.7, 1.3, 1.3)).sum(axis=2))
        roughness = float(np.quantile(self._edges[seeds], 0.75))
        alike = (distance <= _MOST_DISTANCE) & (self._edges <= max(_EDGE, 1.6 * roughness)) & ~self._taken
        return self._enlarged(_touching(alike, seeds))

    def _enlarged(self, found: Hole) -> Hole:
        closed = cv2.morphologyEx(found.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
        opened = cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)) & (~self._taken).view(np.uint8)
        large = cv2.resize(opened, (self.width, self.height), interpolation=cv2.INTER_NEAREST)
        return np.asarray(large, np.uint8).astype(np.bool_)


def _touching(alike: Hole, seeds: Hole) -> Hole:
    """The connected parts that have seeds of their own."""
    count, parts = cv2.connectedComponents(alike.astype(np.uint8), connectivity=4)
    sizes: npt.NDArray[np.intp] = np.bincount(parts[seeds & alike], minlength=count)
    chosen = sizes >= max(2, 0.1 * int(sizes.sum()))
    chosen[0] = False
    return np.asarray(chosen[parts], np.bool_)
