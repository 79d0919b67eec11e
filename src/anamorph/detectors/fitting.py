"""Fitting a picture into a network's input, and mapping boxes back to the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import cv2
import numpy as np

from anamorph.detectors.detection import Floats
from anamorph.detectors.networks.network import Array, Port, channels_last, is_float
from anamorph.model import Pixels

# How levels of 0 to 255 are given to a network that takes floats: as they are, as 0 to 1, as -1 to 1, or with
# ImageNet's mean and deviation.
Values: TypeAlias = Literal["bytes", "unit", "signed", "imagenet"]

_GREY = 114
_MEAN = np.array((0.485, 0.456, 0.406), np.float32)
_DEVIATION = np.array((0.229, 0.224, 0.225), np.float32)


@dataclass(frozen=True, slots=True)
class Fit:
    """Where a picture of `width` x `height` lies in a view: its left and top there, and the scale of each side."""

    width: int
    height: int
    scale_x: float
    scale_y: float
    left: int = 0
    top: int = 0

    def forth(self, boxes: Floats) -> Floats:
        """Boxes of the picture, as they lie in the view."""
        shift, scale = self._shift_and_scale()
        return np.asarray(boxes * scale + shift, np.float32)

    def back(self, boxes: Floats) -> Floats:
        """Boxes of the view, in the picture's pixels; what lies outside the picture is cut off."""
        shift, scale = self._shift_and_scale()
        sides = np.array((self.width, self.height) * 2, np.float32)
        return np.asarray(np.clip((boxes - shift) / scale, 0, sides), np.float32)

    def _shift_and_scale(self) -> tuple[Floats, Floats]:
        shift = np.array((self.left, self.top) * 2, np.float32)
        return shift, np.array((self.scale_x, self.scale_y) * 2, np.float32)


def letterboxed(pixels: Pixels, height: int, width: int, centred: bool = True) -> tuple[Pixels, Fit]:
    """The picture as large as the view has room for, on grey: in its middle, or in its top left corner."""
    own_height, own_width = pixels.shape[:2]
    scale = min(width / own_width, height / own_height)
    size = (min(width, max(1, round(own_width * scale))), min(height, max(1, round(own_height * scale))))
    scaled = _resized(pixels, *size)
    left, top = ((width - size[0]) // 2, (height - size[1]) // 2) if centred else (0, 0)
    view: Pixels = np.full((height, width, 3), _GREY, np.uint8)
    view[top : top + size[1], left : left + size[0]] = scaled
    # The scale of each side as it came out: rounding to whole pixels moves a thin picture's side by far.
    return view, Fit(own_width, own_height, size[0] / own_width, size[1] / own_height, left, top)


def squashed(pixels: Pixels, height: int, width: int) -> tuple[Pixels, Fit]:
    """The picture stretched to fill the view."""
    own_height, own_width = pixels.shape[:2]
    return _resized(pixels, width, height), Fit(own_width, own_height, width / own_width, height / own_height)


def _resized(pixels: Pixels, width: int, height: int) -> Pixels:
    if pixels.shape[:2] == (height, width):
        return pixels
    return np.asarray(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)


def tensor(port: Port, view: Pixels, values: Values, bgr: bool = False) -> Array:
    """The view as an input takes it; an input of whole numbers has its quantisation made for levels of 0 to 255."""
    levels: Array = view[:, :, ::-1] if bgr else view
    if is_float(port):
        levels = _valued(levels.astype(np.float32), values).astype(port.type)
    elif port.type == "int8":
        levels = (levels.astype(np.int16) - 128).astype(np.int8)
    else:
        levels = levels.astype(port.type)
    return np.ascontiguousarray((levels if channels_last(port) else levels.transpose(2, 0, 1))[None])


def _valued(levels: Floats, values: Values) -> Floats:
    if values == "bytes":
        return levels
    if values == "signed":
        return (levels - np.float32(127.5)) / np.float32(127.5)
    unit = levels / np.float32(255)
    return unit if values == "unit" else (unit - _MEAN) / _DEVIATION


def corners(boxes: Floats) -> Floats:
    """Centre, width and height of boxes as two corners."""
    half = boxes[:, 2:4] / 2
    return np.concatenate([boxes[:, :2] - half, boxes[:, :2] + half], axis=1)


def in_view(boxes: Floats, height: int, width: int) -> Floats:
    """Boxes in the view's pixels; some exports give shares of its sides, which no set of pixel boxes looks like."""
    if boxes.size and float(boxes.max()) <= 2:
        return boxes * np.array((width, height, width, height), np.float32)
    return boxes
