"""Boxes and masks from annotated shapes, checked before they reach the C encoder.

The encoder trusts its input: coordinates far outside, or runs that do not add up, would overflow its buffers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from anamorph.model import Box, Mask
from anamorph.photos.entries import Flaw
from anamorph.photos.files import shown
from anamorph.photos.scene_limits import LONGEST_OUTLINE_PIXELS, MOST_POINTS, TooMuch
from anamorph.pixels.masks import mask_area, mask_from_pixels, mask_from_polygons, mask_from_runs

# Annotation tools round, and clamp to either side of the last pixel.
SLACK_PIXELS = 1.0

Size = tuple[int, int]


def box_within(x: float, y: float, width: float, height: float, size: Size) -> Box:
    """A box inside a photo of `size` (width, height), clipped if it sticks out by a rounding error."""
    if width <= 0 or height <= 0:
        raise Flaw(f"The box {_numbers(x, y, width, height)} (x, y, width, height) has no area.")
    corners = np.array([[x, y], [x + width, y + height]])
    if not _fits(corners, size):
        raise Flaw(
            f"The box {_numbers(x, y, width, height)} (x, y, width, height) sticks out of the {_shown(size)} photo."
        )
    (left, top), (right, bottom) = np.clip(corners, 0, size).tolist()
    if right <= left or bottom <= top:
        raise Flaw(
            f"The box {_numbers(x, y, width, height)} (x, y, width, height) lies outside the {_shown(size)} photo."
        )
    return Box(left, top, right - left, bottom - top)


def polygons_mask(polygons: Sequence[Any], size: Size) -> Mask:
    """The mask of the union of polygons, each a flat list x0, y0, x1, y1, ..."""
    width, height = size
    return _some_pixels(mask_from_polygons([_polygon(polygon, size) for polygon in polygons], height, width))


def circle_mask(centre: Sequence[float], edge: Sequence[float], size: Size) -> Mask:
    """The mask of a circle, clipped to the photo; `edge` is any point on its line."""
    if not _fits(np.array([centre, edge]), size):
        raise Flaw(
            f"The circle around {_numbers(*centre)} through {_numbers(*edge)} sticks out of the {_shown(size)} photo."
        )
    width, height = size
    across = np.arange(width) + 0.5 - centre[0]
    down = np.arange(height) + 0.5 - centre[1]
    radius_squared = (edge[0] - centre[0]) ** 2 + (edge[1] - centre[1]) ** 2
    return _some_pixels(mask_from_pixels(across[np.newaxis, :] ** 2 + down[:, np.newaxis] ** 2 <= radius_squared))


def runs_mask(segmentation: Mapping[str, Any], size: Size) -> Mask:
    """The mask of COCO's run lengths, as a list of numbers or a compressed string."""
    width, height = size
    if segmentation.get("size") != [height, width]:
        stated = shown(repr(segmentation.get("size")))
        raise Flaw(
            f"The run lengths are for [height, width] {stated}, but the photo is {_shown(size)} (width x height)."
        )
    counts = segmentation.get("counts")
    if isinstance(counts, str):
        runs = _runs_of_text(counts)
    elif isinstance(counts, list) and all(type(run) is int for run in counts):
        runs = counts
    else:
        raise Flaw("The run lengths ('counts') are neither a list of whole numbers nor a string.")
    if any(run < 0 for run in runs) or sum(runs) != width * height:
        raise Flaw(
            f"The run lengths must be positive and add up to the photo's {width * height:,} pixels; they do not."
        )
    return _some_pixels(mask_from_runs(_without_empty_runs(runs), height, width))


def _polygon(polygon: Any, size: Size) -> list[float]:
    try:
        flat: npt.NDArray[np.float64] = np.asarray(polygon, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        flat = np.empty((0, 0))
    if flat.ndim != 1:
        raise Flaw("The polygon is not a flat list of numbers x0, y0, x1, y1, ...")
    if len(flat) < 6 or len(flat) % 2:
        raise Flaw(f"The polygon has {len(flat)} numbers; it needs an even count of at least 6.")
    if len(flat) > 2 * MOST_POINTS:
        raise TooMuch(f"It has a polygon of more than {MOST_POINTS:,} points.")
    if not np.isfinite(flat).all():
        raise Flaw("The polygon has a number that is not finite.")
    points = flat.reshape(-1, 2)
    if not _fits(points, size):
        low, high = points.min(axis=0).tolist(), points.max(axis=0).tolist()
        raise Flaw(f"The polygon reaches from {_numbers(*low)} to {_numbers(*high)}, out of the {_shown(size)} photo.")
    if np.abs(np.diff(points, axis=0)).max(axis=1).sum() > LONGEST_OUTLINE_PIXELS:
        raise TooMuch(f"It has a polygon with an outline of more than {LONGEST_OUTLINE_PIXELS:,} pixels.")
    coordinates: list[float] = flat.tolist()
    return coordinates


def _runs_of_text(text: str) -> list[int]:
    """Undo COCO's compression: 5 bits per character, the highest the sign, later runs relative to two before."""
    runs: list[int] = []
    value = shift = 0
    for letter in text:
        code = ord(letter) - 48
        if not 0 <= code < 64 or shift > 60:
            raise Flaw("The compressed run lengths are malformed.")
        value |= (code & 31) << shift
        shift += 5
        if code & 32:
            continue
        if code & 16:
            value |= -1 << shift
        # As in COCO's code: the first relative run is the fourth.
        runs.append(value + runs[-2] if len(runs) > 2 else value)
        value = shift = 0
    if shift:
        raise Flaw("The compressed run lengths are cut short.")
    return runs


def _without_empty_runs(runs: Sequence[int]) -> list[int]:
    """The same mask without empty runs, except perhaps the first: they break the encoder's boxes."""
    merged = [0]
    inked = False
    for position, run in enumerate(runs):
        if not run:
            continue
        if bool(position % 2) == inked:
            merged[-1] += run
        else:
            merged.append(run)
            inked = not inked
    return merged


def _some_pixels(mask: Mask) -> Mask:
    if not mask_area(mask):
        raise Flaw("The outline covers no pixel.")
    return mask


def _fits(points: npt.NDArray[np.float64], size: Size) -> bool:
    low, high = points.min(axis=0), points.max(axis=0)
    return bool((low >= -SLACK_PIXELS).all() and (high <= np.array(size) + SLACK_PIXELS).all())


def _numbers(*values: float) -> str:
    return "(" + ", ".join(f"{value:g}" for value in values) + ")"


def _shown(size: Size) -> str:
    return f"{size[0]} x {size[1]}"
