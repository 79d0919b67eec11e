"""Contact sheets: many pictures on one sheet, for people to look at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from PIL import Image, ImageDraw

from anamorph.model import Pixels

_MARGIN, _LINE = 6, 13
_PAPER, _INK = (255, 255, 255), (0, 0, 0)
_CHECKS = (204, 230)
_OUTLINE = (255, 64, 64)
# Levels by which a pixel differs visibly, and the share of the picture beyond which no region can be pointed at.
_VISIBLE, _MOST_CHANGED = 24, 0.8


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


@dataclass(frozen=True, slots=True, eq=False)
class PicturePair:
    """A picture before and after, and lines of text to stand below."""

    before: Pixels
    after: Pixels
    lines: tuple[str, ...] = ()


def pair_sheet(pairs: Sequence[PicturePair], columns: int = 2, side: int = 280, text_lines: int = 3) -> Pixels:
    """Pairs in rows: before, with what changes outlined; after; and the changed region of it enlarged."""
    columns = max(1, min(columns, len(pairs)))
    rows = max(1, -(-len(pairs) // columns))
    wide, tall = 3 * side + 4 * _MARGIN, side + 2 * _MARGIN + text_lines * _LINE
    sheet = Image.new("RGB", (columns * wide, rows * tall), _PAPER)
    draw = ImageDraw.Draw(sheet)
    for position, pair in enumerate(pairs):
        x, y = position % columns * wide + _MARGIN, position // columns * tall + _MARGIN
        region = changed_region(pair.before, pair.after)
        before, after = _fitted(pair.before, side), _fitted(pair.after, side)
        panels = [before, after]
        if region is not None:
            left, top, right, bottom = region
            scale = before.shape[1] / pair.before.shape[1]
            corners = [round(each * scale) for each in region]
            panels[0] = np.asarray(cv2.rectangle(before.copy(), corners[:2], corners[2:], _OUTLINE, 1), np.uint8)
            panels.append(_fitted(pair.after[top:bottom, left:right], side))
        for place, panel in enumerate(panels):
            down, right = (side - panel.shape[0]) // 2, (side - panel.shape[1]) // 2
            sheet.paste(Image.fromarray(panel), (x + place * (side + _MARGIN) + right, y + down))
        for number, line in enumerate(_wrapped(pair.lines, 3 * side, draw)[:text_lines]):
            draw.text((x, y + side + 1 + number * _LINE), line, fill=_INK)
    return np.asarray(sheet, np.uint8)


def changed_region(before: Pixels, after: Pixels) -> tuple[int, int, int, int] | None:
    """Left, top, right and bottom of what differs visibly, with some ground around it; None if that is all or
    nothing of the picture."""
    if before.shape != after.shape:
        return None
    differs = cv2.absdiff(before, after).max(axis=2) > _VISIBLE
    # Single pixels differ because JPEG does.
    opened = cv2.morphologyEx(differs.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    left, top, width, height = cv2.boundingRect(opened)
    tall, wide = before.shape[:2]
    if not width or width * height > _MOST_CHANGED * tall * wide:
        return None
    margin = max(12, round(0.25 * max(width, height)))
    return (
        max(0, left - margin),
        max(0, top - margin),
        min(wide, left + width + margin),
        min(tall, top + height + margin),
    )


def _wrapped(lines: Iterable[str], width: int, draw: ImageDraw.ImageDraw) -> list[str]:
    found: list[str] = []
    for line in lines:
        row = ""
        for word in _latin(line).split():
            longer = f"{row} {word}".strip()
            if row and draw.textlength(longer) > width:
                found.append(row)
                row = word
            else:
                row = longer
        found.append(_short(row, width, draw))
    return found


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
    text = _latin(caption)
    while text and draw.textlength(text) > width:
        text = text[:-1]
    return text


def _latin(text: str) -> str:
    # The built-in font knows Latin letters only.
    return text.encode("latin-1", "replace").decode("latin-1")
