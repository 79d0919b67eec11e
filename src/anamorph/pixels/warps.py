"""Affine maps of a picture together with the objects in it."""

from __future__ import annotations

import threading
from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt

from anamorph.model import Box, Picture, Thing
from anamorph.pixels.masks import mask_area, mask_box, mask_from_pixels, mask_pixels

Affine = npt.NDArray[np.float64]


class _Scratch(threading.local):
    """Two canvases of four channels for each thread: new memory for every picture would cost as much as the map."""

    canvases: npt.NDArray[np.uint8] | None = None

    def pair(self, height: int, width: int) -> npt.NDArray[np.uint8]:
        if self.canvases is None or self.canvases.shape[1:3] != (height, width):
            self.canvases = np.empty((2, height, width, 4), np.uint8)
        return self.canvases


_scratch = _Scratch()


def warp(picture: Picture, affine: Affine, of_edges: Affine | None = None) -> Picture:
    """Map a picture within its own canvas; objects that leave the canvas are no longer among its things.

    `affine` maps the centres of pixels, where the first is 0; `of_edges` maps boxes, whose first pixel begins at 0.
    """
    height, width = picture.pixels.shape[:2]
    # OpenCV maps four channels in less than half the time of three, to the same values.
    before, after = _scratch.pair(height, width)
    cv2.cvtColor(picture.pixels, cv2.COLOR_RGB2RGBA, dst=before)
    cv2.warpAffine(before, affine, (width, height), after, cv2.INTER_LINEAR, cv2.BORDER_REPLICATE)
    pixels = cv2.cvtColor(after, cv2.COLOR_RGBA2RGB)
    maps = [affine if thing.mask is not None or of_edges is None else of_edges for thing in picture.things]
    mapped = (warp_thing(thing, each, width, height) for thing, each in zip(picture.things, maps, strict=True))
    things = tuple(thing for thing in mapped if thing is not None)
    return replace(picture, pixels=np.asarray(pixels, dtype=np.uint8), things=things)


def warp_thing(thing: Thing, affine: Affine, width: int, height: int) -> Thing | None:
    """Where an object is after the map, or None if nothing of it is left on the canvas."""
    if thing.mask is not None:
        # Nearest neighbour: a label map must not gain values between its labels.
        shape = mask_pixels(thing.mask).astype(np.uint8)
        moved = cv2.warpAffine(shape, affine, (width, height), flags=cv2.INTER_NEAREST)
        mask = mask_from_pixels(np.asarray(moved, dtype=np.uint8))
        return replace(thing, mask=mask, box=mask_box(mask)) if mask_area(mask) else None
    box = warp_box(thing.box, affine, width, height)
    return replace(thing, box=box) if box is not None else None


def warp_box(box: Box, affine: Affine, width: int, height: int) -> Box | None:
    """The box around the mapped corners, cut to the canvas, or None if it lies outside."""
    corners = np.array([(x, y, 1.0) for x in (box.x, box.right) for y in (box.y, box.bottom)])
    xs, ys = affine @ corners.T
    left, top = max(0.0, float(xs.min())), max(0.0, float(ys.min()))
    right, bottom = min(float(width), float(xs.max())), min(float(height), float(ys.max()))
    return Box(left, top, right - left, bottom - top) if right > left and bottom > top else None
