"""A canvas for backgrounds: gradients, soft noise, antialiased shapes."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from anamorph.toybox.drawing.pens import RGB, Points

_SUBPIXEL_BITS = 4


class Canvas:
    """An image with coordinates as shares of its width and height."""

    def __init__(self, width: int, height: int, seed: int) -> None:
        self.width, self.height = width, height
        self.rng = np.random.default_rng(seed)
        self.sheet: npt.NDArray[np.uint8] = np.zeros((height, width, 3), np.uint8)

    def chance(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def pick(self, *colours: RGB) -> RGB:
        return colours[int(self.rng.integers(len(colours)))]

    def gradient(self, top: float, bottom: float, high: RGB, low: RGB) -> None:
        """A vertical gradient over the whole width."""
        y0, y1 = round(top * self.height), round(bottom * self.height)
        if y1 <= y0:
            return
        share = np.linspace(0, 1, y1 - y0)[:, None]
        rows = np.asarray(high) * (1 - share) + np.asarray(low) * share
        self.sheet[y0:y1] = np.rint(rows).astype(np.uint8)[:, None]

    def poly(self, points: Points, colour: RGB) -> None:
        cv2.fillPoly(self.sheet, [self._grid(points)], colour, cv2.LINE_AA, _SUBPIXEL_BITS)

    def oval(self, x: float, y: float, rx: float, ry: float, colour: RGB) -> None:
        """An ellipse; both radii are shares of the height."""
        centre = (round(x * self.width * 16), round(y * self.height * 16))
        axes = (max(1, round(rx * self.height * 16)), max(1, round(ry * self.height * 16)))
        cv2.ellipse(self.sheet, centre, axes, 0, 0, 360, colour, -1, cv2.LINE_AA, _SUBPIXEL_BITS)

    def box(self, left: float, top: float, right: float, bottom: float, colour: RGB) -> None:
        self.poly([(left, top), (right, top), (right, bottom), (left, bottom)], colour)

    def line(self, points: Points, width: float, colour: RGB) -> None:
        """A line; its width is a share of the height."""
        thick = max(1, round(width * self.height))
        cv2.polylines(self.sheet, [self._grid(points)], False, colour, thick, cv2.LINE_AA, _SUBPIXEL_BITS)

    def ridge(self, y: float, rise: float, bumps: int, colour: RGB, floor: float) -> None:
        """A hilly outline around `y`, filled down to `floor`."""
        heights = cv2.resize(
            self.rng.random((1, bumps + 3)).astype(np.float32), (48, 1), interpolation=cv2.INTER_CUBIC
        )[0]
        points = [(-0.02 + 1.04 * i / 47, y - rise * (float(h) - 0.3)) for i, h in enumerate(heights)]
        self.poly([*points, (1.05, floor), (-0.05, floor)], colour)

    def grain(self, top: float, bottom: float, across: int, down: int, strength: float) -> None:
        """Soft light and dark patches in a band, `across` by `down` of them."""
        y0, y1 = round(top * self.height), round(bottom * self.height)
        if y1 <= y0:
            return
        field = cv2.resize(
            self.rng.standard_normal((max(2, down), max(2, across))).astype(np.float32),
            (self.width, y1 - y0),
            interpolation=cv2.INTER_CUBIC,
        )
        band = self.sheet[y0:y1].astype(np.float32) * (1 + field * strength)[:, :, None]
        self.sheet[y0:y1] = np.clip(band, 0, 255).astype(np.uint8)

    def receding_grain(self, top: float, strength: float) -> None:
        """Patches on the ground that grow towards the viewer."""
        y0 = round(top * self.height)
        noise = self.rng.standard_normal((13, 24)).astype(np.float32)
        field = cv2.resize(noise, (self.width, 192), interpolation=cv2.INTER_CUBIC)
        # Perspective: equal steps look closer towards the horizon.
        rows = np.rint(191 * np.linspace(0, 1, self.height - y0) ** 0.5).astype(np.intp)
        band = self.sheet[y0:].astype(np.float32) * (1 + field[rows] * strength)[:, :, None]
        self.sheet[y0:] = np.clip(band, 0, 255).astype(np.uint8)

    def clouds(self, bottom: float, amount: float) -> None:
        """Soft white clouds above `bottom`."""
        y1 = round(bottom * self.height)
        field = np.zeros((y1, self.width), np.float32)
        for across, down, share in ((5, 4, 1.0), (10, 8, 0.5), (22, 16, 0.25)):
            noise = self.rng.standard_normal((down, across)).astype(np.float32)
            field += share * cv2.resize(noise, (self.width, y1), interpolation=cv2.INTER_CUBIC)
        fade = np.linspace(1, 0.15, y1, dtype=np.float32)[:, None]
        cover = np.clip((field + amount) * 0.7, 0, 0.85) * fade
        band = self.sheet[:y1].astype(np.float32)
        self.sheet[:y1] = (band + (250 - band) * cover[:, :, None]).astype(np.uint8)

    def glow(self, x: float, y: float, radius: float, colour: RGB, strength: float) -> None:
        """A round glow, such as a sun's."""
        ys = np.exp(-((np.arange(self.height) - y * self.height) ** 2) / (2 * (radius * self.height) ** 2))
        xs = np.exp(-((np.arange(self.width) - x * self.width) ** 2) / (2 * (radius * self.height) ** 2))
        share = (strength * ys[:, None] * xs[None, :]).astype(np.float32)[:, :, None]
        picture = self.sheet.astype(np.float32)
        self.sheet = np.clip(picture + (np.asarray(colour, np.float32) - picture) * share, 0, 255).astype(np.uint8)

    def tufts(self, top: float, colours: tuple[RGB, ...], count: int, length: float) -> None:
        """Strokes of grass, longer towards the viewer."""
        xs, depths = self.rng.random(count), np.sort(self.rng.random(count))
        leans, tones = self.rng.uniform(-0.5, 0.5, count), self.rng.integers(len(colours), size=count)
        for x, depth, lean, tone in zip(xs, depths, leans, tones, strict=True):
            y = top + (1 - top) * float(depth) ** 0.8
            size = length * (0.3 + 0.9 * float(depth))
            self.line([(float(x), y), (float(x + lean * size * 0.7), y - size)], 0.004, colours[int(tone)])

    def blur(self, sigma: float) -> None:
        """Gaussian blur; sigma is a share of the height."""
        self.sheet = np.asarray(cv2.GaussianBlur(self.sheet, (0, 0), max(0.3, sigma * self.height)), np.uint8)

    def _grid(self, points: Points) -> npt.NDArray[np.int32]:
        places = np.asarray(points, np.float64) * (self.width * 16, self.height * 16)
        return np.rint(places).astype(np.int32)
