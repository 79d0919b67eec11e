"""A pen that draws one thing on a transparent sheet, in the thing's units."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

RGB: TypeAlias = tuple[int, int, int]
Point: TypeAlias = tuple[float, float]
Points: TypeAlias = Sequence[Point] | npt.NDArray[np.float64]

_SUBPIXEL_BITS = 4
_CURVE_STEPS = 6


def darker(colour: RGB, amount: float = 0.25) -> RGB:
    """A color moved towards a cool black."""
    return mixed(colour, (18, 16, 30), amount)


def lighter(colour: RGB, amount: float = 0.25) -> RGB:
    """A color moved towards a warm white."""
    return mixed(colour, (255, 250, 240), amount)


def mixed(one: RGB, other: RGB, share: float) -> RGB:
    """A mix of two colors, with `share` of the other."""
    r, g, b = (round(a + (z - a) * share) for a, z in zip(one, other, strict=True))
    return r, g, b


class Pen:
    """Draws in units with y pointing down and the origin where the thing stands.

    The sheet is supersampled by a whole factor, so that edges become smooth when it is scaled down. Every shape gets a
    darker rim, so that limbs stay distinct.
    """

    def __init__(self, extent: tuple[float, float, float, float], scale: float) -> None:
        left, top, right, bottom = extent
        self.left, self.top, self.scale = left, top, scale
        width, height = max(1, math.ceil((right - left) * scale)), max(1, math.ceil((bottom - top) * scale))
        self.sheet: npt.NDArray[np.uint8] = np.zeros((height, width, 4), np.uint8)
        self.rim = 0.012

    def poly(self, points: Points, colour: RGB, rim: float | None = None) -> None:
        """A filled polygon."""
        corners = self._grid(points)
        width = self._thickness(self.rim if rim is None else rim)
        if width > 0:
            cv2.polylines(self.sheet, [corners], True, (*darker(colour, 0.32), 255), width, cv2.LINE_8, _SUBPIXEL_BITS)
        cv2.fillPoly(self.sheet, [corners], (*colour, 255), cv2.LINE_8, _SUBPIXEL_BITS)

    def blob(self, points: Points, colour: RGB, rim: float | None = None) -> None:
        """A filled shape with a smooth outline through the points."""
        self.poly(curve(points, closed=True), colour, rim)

    def oval(
        self, x: float, y: float, rx: float, ry: float, colour: RGB, tilt: float = 0.0, rim: float | None = None
    ) -> None:
        """A filled ellipse; `tilt` in degrees, clockwise."""
        self.poly(ring(x, y, rx, ry, tilt), colour, rim)

    def box(
        self,
        left: float,
        top: float,
        right: float,
        bottom: float,
        colour: RGB,
        r: float = 0.0,
        rim: float | None = None,
    ) -> None:
        """A filled rectangle with corners rounded by `r`."""
        self.poly(rounded(left, top, right, bottom, r), colour, rim)

    def limb(self, points: Sequence[Point], widths: Sequence[float], colour: RGB, rim: float | None = None) -> None:
        """A bent, tapered limb with round ends; one width per point."""
        rim = self.rim if rim is None else rim
        if rim:
            self._limb(points, [w + 2 * rim for w in widths], darker(colour, 0.32))
        self._limb(points, widths, colour)

    def line(self, points: Points, width: float, colour: RGB, smooth: bool = False) -> None:
        """An open line."""
        corners = self._grid(curve(points, closed=False) if smooth else points)
        cv2.polylines(
            self.sheet, [corners], False, (*colour, 255), max(1, self._thickness(width)), cv2.LINE_8, _SUBPIXEL_BITS
        )

    def loop(self, x: float, y: float, rx: float, ry: float, width: float, colour: RGB) -> None:
        """The outline of an ellipse."""
        corners = self._grid(ring(x, y, rx, ry))
        cv2.polylines(
            self.sheet, [corners], True, (*colour, 255), max(1, self._thickness(width)), cv2.LINE_8, _SUBPIXEL_BITS
        )

    @contextmanager
    def within(self, points: Points) -> Iterator[None]:
        """Clip drawing to the outline."""
        before = self.sheet.copy()
        yield
        inside = np.zeros(self.sheet.shape[:2], np.uint8)
        cv2.fillPoly(inside, [self._grid(points)], 255, cv2.LINE_8, _SUBPIXEL_BITS)
        cv2.copyTo(self.sheet, inside, before)
        self.sheet = before

    def fade(self, points: Points, top: float, bottom: float) -> None:
        """Multiply the inside of the outline by a gradient from `top` to `bottom`."""
        corners = self._grid(points)
        inside = np.zeros(self.sheet.shape[:2], np.uint8)
        cv2.fillPoly(inside, [corners], 255, cv2.LINE_8, _SUBPIXEL_BITS)
        ys = corners[:, 1] / (1 << _SUBPIXEL_BITS)
        rows = np.clip((np.arange(self.sheet.shape[0]) - ys.min()) / max(1e-6, np.ptp(ys)), 0, 1)
        factor = (top + (bottom - top) * rows)[:, None, None]
        shaded = np.clip(self.sheet[:, :, :3] * factor, 0, 255).astype(np.uint8)
        self.sheet[:, :, :3] = np.where(inside[:, :, None] > 0, shaded, self.sheet[:, :, :3])

    def _limb(self, points: Sequence[Point], widths: Sequence[float], colour: RGB) -> None:
        ink = (*colour, 255)
        for (start, end), (w0, w1) in zip(pairwise(points), pairwise(widths), strict=True):
            dx, dy = end[0] - start[0], end[1] - start[1]
            length = math.hypot(dx, dy) or 1e-6
            nx, ny = -dy / length / 2, dx / length / 2
            quad = [
                (start[0] + nx * w0, start[1] + ny * w0),
                (end[0] + nx * w1, end[1] + ny * w1),
                (end[0] - nx * w1, end[1] - ny * w1),
                (start[0] - nx * w0, start[1] - ny * w0),
            ]
            cv2.fillPoly(self.sheet, [self._grid(quad)], ink, cv2.LINE_8, _SUBPIXEL_BITS)
        for (x, y), w in zip(points, widths, strict=True):
            cv2.fillPoly(self.sheet, [self._grid(ring(x, y, w / 2, w / 2, steps=20))], ink, cv2.LINE_8, _SUBPIXEL_BITS)

    def _grid(self, points: Points) -> npt.NDArray[np.int32]:
        places = (np.asarray(points, np.float64) - (self.left, self.top)) * (self.scale * (1 << _SUBPIXEL_BITS))
        return np.rint(places).astype(np.int32)

    def _thickness(self, width: float) -> int:
        return round(width * self.scale * (2 if width == self.rim else 1))


@functools.cache
def _circle(steps: int) -> npt.NDArray[np.float64]:
    angles = 2 * math.pi * np.arange(steps) / steps
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def ring(x: float, y: float, rx: float, ry: float, tilt: float = 0.0, steps: int = 36) -> npt.NDArray[np.float64]:
    """Points on an ellipse."""
    spots = _circle(steps) * (rx, ry)
    if tilt:
        c, s = math.cos(math.radians(tilt)), math.sin(math.radians(tilt))
        spots = spots @ ((c, s), (-s, c))
    turned: npt.NDArray[np.float64] = spots + np.array((x, y))
    return turned


def rounded(left: float, top: float, right: float, bottom: float, r: float) -> list[Point]:
    """Points on a rectangle with rounded corners."""
    if r <= 0:
        return [(left, top), (right, top), (right, bottom), (left, bottom)]
    r = min(r, (right - left) / 2, (bottom - top) / 2)
    corners = (
        (right - r, top + r, -90),
        (right - r, bottom - r, 0),
        (left + r, bottom - r, 90),
        (left + r, top + r, 180),
    )
    return [
        (x + r * math.cos(math.radians(start + step)), y + r * math.sin(math.radians(start + step)))
        for x, y, start in corners
        for step in (0, 22.5, 45, 67.5, 90)
    ]


def path(text: str) -> list[Point]:
    """Points written as in SVG: "0,0 0.5,-1"."""
    return [(float(x), float(y)) for x, y in (point.split(",") for point in text.split())]


def curve(points: Points, closed: bool) -> list[Point]:
    """Points on a Catmull-Rom curve through the given ones."""
    p = np.asarray(points, np.float64)
    n = len(p)
    index = np.arange(n if closed else n - 1)
    around = [index + step for step in (-1, 0, 1, 2)]
    a, b, c, d = (p[i % n] if closed else p[np.clip(i, 0, n - 1)] for i in around)
    t = (np.arange(_CURVE_STEPS) / _CURVE_STEPS)[:, None, None]
    spots = 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
    path = spots.transpose(1, 0, 2).reshape(-1, 2)
    if not closed:
        path = np.vstack([path, p[-1]])
    return [(float(x), float(y)) for x, y in path]
