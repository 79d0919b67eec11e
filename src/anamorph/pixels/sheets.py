"""Contact sheets: many pictures on one sheet, for people to look at."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from PIL import Image, ImageDraw

from anamorph.model import Pixels

_MARGIN, _LINE = 6, 13
_PAPER, _INK = (255, 255, 255), (0, 0, 0)
_CHECKS = (204, 230)


def contact_sheet(pictures: Iterable[tuple[str, Pixels]], columns: int = 8, side: int = 140) -> Pixels:
    """Pictures (RGB or RGBA) in rows, each fitted into a square with its caption below."""
    tiles = [(caption, _fitted(pixels, side)) for caption, pixels in pictures]
    rows = max(1, -(-len(tiles) // columns))
    cell, tall = side + 2 * _MARGIN, side + 2 * _MARGIN + _LINE
    sheet = Image.new("RGB", (columns * cell, rows * tall), _PAPER)
    draw = ImageDraw.Draw(sheet)
    for position, (caption, tile) in enumerate(tiles):
        x, y = position % columns * cell + _MARGIN, position // columns * tall + _MARGIN
        top, left = (side - tile.shape[0]) // 2, (side - tile.shape[1]) // 2
        sheet.paste(Image.fromarray(tile), (x + left, y + top))
        draw.text((x, y + side), _short(caption, side, draw), fill=_INK)
    return np.asarray(sheet, np.uint8)


def _fitted(pixels: Pixels, side: int) -> Pixels:
    if pixels.shape[2] == 4:
        pixels = _over_checks(pixels)
    height, width = pixels.shape[:2]
    scale = min(side / height, side / width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(pixels, size, interpolation=how), np.uint8)


def _over_checks(rgba: Pixels) -> Pixels:
    """A cut-out over the checkerboard that marks transparency."""
    rows, columns = np.indices(rgba.shape[:2]) // 8
    ground = np.where((rows + columns) % 2 == 0, *_CHECKS)[..., None]
    alpha = rgba[..., 3:] / 255
    return np.rint(rgba[..., :3] * alpha + ground * (1 - alpha)).astype(np.uint8)


def _short(caption: str, width: int, draw: ImageDraw.ImageDraw) -> str:
    # The built-in font knows Latin letters only.
    text = caption.encode("latin-1", "replace").decode("latin-1")
    while text and draw.textlength(text) > width:
        text = text[:-1]
    return text
