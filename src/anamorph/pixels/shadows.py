"""What an object leaves on the ground at its foot: a shadow, or a reflection."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from anamorph.model import Hole, Pixels
from anamorph.pixels.shapes import window_of

# The shadow is looked for this far around the lower part of an object, in shares of its height and width.
_LOWER, _BELOW, _BESIDE = 0.35, 0.35, 0.4
# Ground this much darker than the rest of it, in levels and as a share, lies in shadow; its colour stays the same.
_DARKER, _DARKER_SHARE, _MOST_TINT = 14.0, 0.2, 22.0
# A larger patch, as a share of the object, or one that goes on beyond where it is looked for, is dark ground.
_LARGEST, _GOES_ON = 0.8, 0.08
_LEAST_GROUND = 60
# The ground under a foot begins and ends this far above and below it, in shares of the height; the ground beside it
# begins beyond a gap and is half as wide as the object and a little more, in pixels.
_FOOT, _UNDER, _GAP, _CLEAR, _LEAST_SEEN = 0.08, 0.12, 6, 10, 20


def foot_shadow(pixels: Pixels, shape: Hole, hole: Hole, others: Hole) -> Hole:
    """The dark patch on the ground at the foot of an object, apart from the pixels of other objects; often empty.

    `hole` is the widened shape. Only ground that is darker than the same ground further off counts.
    """
    nothing = np.zeros_like(hole)
    rows, columns = window_of(shape)
    tall, wide = rows.stop - rows.start, columns.stop - columns.start
    if min(tall, wide) < 8:
        return nothing
    below, beside = max(6, round(_BELOW * min(tall, 2 * wide))), max(6, round(_BESIDE * wide))
    top = round(rows.stop - _LOWER * tall)
    near = _part(hole.shape, top, rows.stop + below, columns.start - beside, columns.stop + beside)
    # Ground to compare with lies around that, no higher.
    wider = _part(
        hole.shape, top, rows.stop + 2 * below + 4, columns.start - 2 * beside - 4, columns.stop + 2 * beside + 4
    )
    view = np.ascontiguousarray(pixels[wider])
    lab = cv2.cvtColor(cv2.GaussianBlur(view, (5, 5), 0), cv2.COLOR_RGB2LAB).astype(np.float32)
    ground = ~(hole[wider] | others[wider])
    inside = np.zeros_like(ground)
    inside[_within(near, wider)] = True
    far = lab[ground & ~inside]
    if len(far) < _LEAST_GROUND:
        return nothing
    light, a, b = np.median(far, axis=0)
    tint = np.hypot(lab[..., 1] - a, lab[..., 2] - b)
    least = max(_DARKER, _DARKER_SHARE * float(light))
    dark = (lab[..., 0] < light - least) & (tint < _MOST_TINT) & ground
    # Also much dark ground further off: it is dark, not in shadow.
    if not dark.any() or (dark & ~inside).sum() > 0.25 * len(far):
        return nothing
    found = _touching(dark, hole[wider], inside, int(shape.sum()))
    nothing[wider] = found
    return nothing


def _touching(dark: Hole, hole: Hole, inside: Hole, area: int) -> Hole:
    """The dark patches that begin at the hole and end where shadows do."""
    opened = cv2.morphologyEx(dark.view(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, labelled = cv2.connectedComponents(opened, connectivity=8)
    names = np.asarray(labelled, np.int32)
    at_hole = cv2.dilate(hole.view(np.uint8), np.ones((5, 5), np.uint8)).astype(np.bool_)
    sizes = _sizes(names, count)
    touching = _sizes(names[at_hole], count) > 2
    beyond = _sizes(names[~inside], count)
    chosen = touching & (sizes <= _LARGEST * area) & (beyond <= _GOES_ON * sizes)
    chosen[0] = False
    return np.asarray(chosen[names], np.bool_)


def _sizes(names: npt.NDArray[np.int32], count: int) -> npt.NDArray[np.intp]:
    return np.bincount(names.ravel(), minlength=count)


def _part(shape: tuple[int, ...], top: int, bottom: int, left: int, right: int) -> tuple[slice, slice]:
    return slice(max(0, top), min(shape[0], bottom)), slice(max(0, left), min(shape[1], right))


def _within(part: tuple[slice, slice], whole: tuple[slice, slice]) -> tuple[slice, slice]:
    rows, columns = (
        slice(own.start - around.start, own.stop - around.start) for own, around in zip(part, whole, strict=True)
    )
    return rows, columns


def foot_contrast(pixels: Pixels, shape: Hole, others: Hole) -> float:
    """How far the ground under an object's foot is from that beside it, in CIELAB; 0 where little of either is seen.

    A shadow and a reflection stay behind when the object moves.
    """
    rows, columns = window_of(shape)
    tall, wide = rows.stop - rows.start, columns.stop - columns.start
    first, last = rows.stop - 1 - round(_FOOT * tall), rows.stop + max(4, round(_UNDER * tall))
    reach = wide // 2 + _CLEAR
    part = _part(shape.shape, first, last, columns.start - reach, columns.stop + reach)
    free = ~(shape[part] | others[part])
    left = part[1].start
    below, beside = free.copy(), free
    below[:, : max(0, columns.start - left)] = below[:, columns.stop - left :] = False
    beside[:, max(0, columns.start - _GAP - left) : columns.stop + _GAP - left] = False
    if min(below.sum(), beside.sum()) <= _LEAST_SEEN:
        return 0.0
    lab = cv2.cvtColor((cv2.GaussianBlur(pixels[part], (5, 5), 0) / 255).astype(np.float32), cv2.COLOR_RGB2LAB)
    return float(np.linalg.norm(np.median(lab[below], axis=0) - np.median(lab[beside], axis=0)))
