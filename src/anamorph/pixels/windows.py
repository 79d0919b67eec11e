"""The pixels of objects without the empty canvas around them, so that scenes of hundreds of objects stay cheap."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

import cv2
import numpy as np

from anamorph.model import Hole, Mask, Thing
from anamorph.pixels.masks import mask_pixels
from anamorph.pixels.shapes import own_mask, touched, window_of

# Methods look at the same few masks again and again; this much of them is kept.
_REMEMBERED_BYTES = 64_000_000


@dataclass(frozen=True, slots=True, eq=False)
class ShapeWindow:
    """Pixels of a canvas; there are none outside the window, whose first row and column are `top` and `left`."""

    top: int
    left: int
    pixels: Hole
    area: int

    @classmethod
    def of(cls, top: int, left: int, pixels: Hole) -> ShapeWindow:
        return cls(top, left, pixels, int(np.count_nonzero(pixels)))

    @property
    def bottom(self) -> int:
        return self.top + len(self.pixels)

    @property
    def right(self) -> int:
        return self.left + int(self.pixels.shape[1])

    @property
    def outline(self) -> int:
        """How many pixels have a neighbour outside the shape."""
        padded = np.pad(self.pixels.view(np.uint8), 1)
        return self.area - int(np.count_nonzero(cv2.erode(padded, np.ones((3, 3), np.uint8))))

    def common(self, other: ShapeWindow) -> int:
        """How many pixels both have."""
        top, bottom = max(self.top, other.top), min(self.bottom, other.bottom)
        left, right = max(self.left, other.left), min(self.right, other.right)
        if bottom <= top or right <= left or not self.area or not other.area:
            return 0
        mine = self.pixels[top - self.top : bottom - self.top, left - self.left : right - self.left]
        theirs = other.pixels[top - other.top : bottom - other.top, left - other.left : right - other.left]
        return int(np.count_nonzero(mine & theirs))

    def put_into(self, canvas: Hole, top: int, left: int) -> None:
        """Add the pixels to a part of the canvas whose first row and column these are."""
        rows, columns = canvas.shape
        first, last = max(self.top, top), min(self.bottom, top + rows)
        start, stop = max(self.left, left), min(self.right, left + columns)
        if last > first and stop > start:
            mine = self.pixels[first - self.top : last - self.top, start - self.left : stop - self.left]
            canvas[first - top : last - top, start - left : stop - left] |= mine

    def grown(self, kernel: int, height: int, width: int) -> ShapeWindow:
        """The shape grown by half a square kernel on all sides, as far as the canvas reaches."""
        margin = kernel // 2
        top, left = max(0, self.top - margin), max(0, self.left - margin)
        bottom, right = min(height, self.bottom + margin), min(width, self.right + margin)
        part = np.zeros((max(0, bottom - top), max(0, right - left)), np.bool_)
        self.put_into(part, top, left)
        if not part.size or not self.area:
            return ShapeWindow(top, left, part, 0)
        return ShapeWindow.of(
            top, left, cv2.dilate(part.view(np.uint8), np.ones((kernel, kernel), np.uint8)).view(bool)
        )


def shape_window(thing: Thing, height: int, width: int) -> ShapeWindow:
    """The pixels of an object: its mask, or every pixel that its box touches where it has none."""
    if thing.mask is not None:
        return _remembered.window(own_mask(thing, height, width))
    left, top, right, bottom = touched(thing.box, height, width)
    return ShapeWindow.of(top, left, np.ones((bottom - top, right - left), np.bool_))


def union_area(shapes: Iterable[ShapeWindow]) -> int:
    """How many pixels several shapes have together."""
    some = [shape for shape in shapes if shape.area]
    if len(some) < 2:
        return sum(shape.area for shape in some)
    top, left = min(shape.top for shape in some), min(shape.left for shape in some)
    bottom, right = max(shape.bottom for shape in some), max(shape.right for shape in some)
    union = np.zeros((bottom - top, right - left), np.bool_)
    for shape in some:
        shape.put_into(union, top, left)
    return int(np.count_nonzero(union))


@dataclass(slots=True, eq=False)
class _Remembered:
    """The windows of masks that were used last; safe to use from several threads."""

    most_bytes: int
    _found: OrderedDict[Mask, ShapeWindow] = field(default_factory=OrderedDict)
    _bytes: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def window(self, mask: Mask) -> ShapeWindow:
        with self._lock:
            known = self._found.get(mask)
            if known is not None:
                self._found.move_to_end(mask)
                return known
        made = _window_of(mask)
        with self._lock:
            if mask not in self._found and made.pixels.nbytes <= self.most_bytes:
                self._found[mask] = made
                self._bytes += made.pixels.nbytes
            while self._bytes > self.most_bytes:
                _, oldest = self._found.popitem(last=False)
                self._bytes -= oldest.pixels.nbytes
        return made


_remembered = _Remembered(_REMEMBERED_BYTES)


def _window_of(mask: Mask) -> ShapeWindow:
    shape = mask_pixels(mask)
    rows, columns = window = window_of(shape)
    # A copy, so that the canvas can go.
    return ShapeWindow.of(rows.start, columns.start, shape[window].copy())
