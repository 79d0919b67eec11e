"""One drawn thing as a shaded sprite with soft edges."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from anamorph.toybox.drawing.appearances import Appearance
from anamorph.toybox.drawing.classes import CLASSES
from anamorph.toybox.drawing.pens import Pen

_FINENESS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Sprite:
    """Premultiplied colors (0-255), the coverage (0-1), and the thing's foot point on the sheet."""

    colours: npt.NDArray[np.float32]
    cover: npt.NDArray[np.float32]
    foot_x: float
    foot_y: float


def draw_sprite(label: str, look: Appearance, unit: float, mirrored: bool, light_x: float) -> Sprite:
    """Draw a thing whose unit is `unit` pixels; the light comes from above and from the side of `light_x` (-1 to 1)."""
    thing_class = CLASSES[label]
    left, top, right, _ = thing_class.extent
    pen = Pen(thing_class.extent, unit * _FINENESS)
    thing_class.draw(pen, look)
    sheet = pen.sheet
    if mirrored:
        sheet = np.ascontiguousarray(sheet[:, ::-1])
        left, right = -right, -left
    width, height = max(1, round(sheet.shape[1] / _FINENESS)), max(1, round(sheet.shape[0] / _FINENESS))
    scaled = cv2.resize(sheet, (width, height), interpolation=cv2.INTER_AREA)
    small: npt.NDArray[np.float32] = np.asarray(scaled, np.float32)
    cover = small[:, :, 3] / np.float32(255)
    colours = small[:, :, :3] * _relief(cover, unit, light_x)[:, :, None]
    return Sprite(colours, cover, -left * unit, -top * unit)


def _relief(cover: npt.NDArray[np.float32], unit: float, light_x: float) -> npt.NDArray[np.float32]:
    """Shading: bright where the outline faces the light, dark on the other side, slightly darker at the foot."""
    sigma = max(1.0, unit * 0.07)
    soft = cv2.GaussianBlur(cover, (0, 0), sigma, borderType=cv2.BORDER_CONSTANT)
    # Scharr yields 32 times the slope; the coverage changes by about one over sigma pixels.
    across = cv2.Scharr(soft, cv2.CV_32F, 1, 0, borderType=cv2.BORDER_CONSTANT) * (sigma / 32)
    down = cv2.Scharr(soft, cv2.CV_32F, 0, 1, borderType=cv2.BORDER_CONSTANT) * (sigma / 32)
    rows = np.linspace(1.06, 0.92, cover.shape[0], dtype=np.float32)[:, None]
    slope = down * 0.55 + across * (-0.55 * light_x)
    lit: npt.NDArray[np.float32] = rows + np.clip(slope, -0.3, 0.28)
    return lit
