"""Filling a hole with pieces of its surroundings.

OpenCV's shift map (after He and Sun, "Statistics of Patch Offsets for Image Completion", ECCV 2012) decides at a small
size which piece goes where: it looks for the shifts by which the surroundings resemble themselves, and cuts the pieces
where they fit. It copies pixels and does not say from where, so the shifts are found again in its result. Then
the pieces are copied once more at the photo's own size, so that what fills the hole is as sharp as the photo is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from anamorph.model import Hole, Pixels, setting
from anamorph.pixels.blending import Floats, membrane
from anamorph.pixels.holes import filled, window_around
from anamorph.pixels.shapes import widened, window_of

Shifts: TypeAlias = npt.NDArray[np.intp]

# At most this many shifts are distinguished; the shift map has fewer.
_MOST_SHIFTS = 80
# The side of the square of pixels that must be explained by one shift.
_PATCH = 3
# A window with less ground than this share around the hole has nothing to copy from.
_LEAST_GROUND = 0.1
_SEED, _MARGIN = 7, 16
# With more of the window unknown or to be avoided, too little is left to choose from, and the search takes long.
_MOST_AVOIDED = 0.65
# How wide the rim of a hole is, in pixels of the small window, and how few and many of them are compared.
_RIM, _LEAST_RIM, _MOST_RIM = 6, 30, 400
# Colours this near in CIELAB are the same, and one that less than this share of the rim has is strange there.
_SAME_COLOUR, _COMMON = 12.0, 0.03


@dataclass(frozen=True, slots=True)
class Exemplar:
    """Copy matching pieces of the surroundings into the hole: no weights, sharp texture, 1 to 3 seconds a hole."""

    kind: ClassVar[str] = "exemplar"
    cpu_heavy: ClassVar[bool] = True
    context: float = setting(
        1.75, "The window that pieces are taken from, as a multiple of the hole's longer side.", least=1.2, most=10
    )
    side: int = setting(128, "The window is searched at this many pixels, or fewer.", least=32, most=1024)

    def fill(self, pixels: Pixels, hole: Hole) -> Pixels:
        return self.fill_from(pixels, hole, np.zeros_like(hole))

    def fill_from(self, pixels: Pixels, hole: Hole, avoid: Hole) -> Pixels:
        """Fill the hole with pieces that are not of the pixels to avoid, unless there are hardly any others."""
        return filled(pixels, hole, partial(self._pieced, avoid=avoid))

    def _pieced(self, pixels: Pixels, hole: Hole, avoid: Hole) -> Pixels:
        result = pixels.copy()
        for part in _parts(hole):
            rows, columns = self._window(part, hole | avoid)
            view, unknown = pixels[rows, columns], hole[rows, columns]
            made = _copied(view, unknown, avoid[rows, columns], self.side)
            own = part[rows, columns]
            result[rows, columns][own] = made[own]
        return result

    def _window(self, part: Hole, unusable: Hole) -> tuple[slice, slice]:
        """Ground around a part of the hole, and more where there is too little."""
        rows, columns = window_around(part, 0)
        longer = max(rows.stop - rows.start, columns.stop - columns.start)
        margin = max(8, round((self.context - 1) / 2 * longer))
        window = window_around(part, margin)
        while 1 - unusable[window].mean() < _LEAST_GROUND and margin < max(part.shape):
            margin *= 2
            window = window_around(part, margin)
        return window


def _parts(hole: Hole) -> Iterator[Hole]:
    """The hole in parts that are far apart, each of which has surroundings of its own."""
    reach = max(9, round(0.03 * max(hole.shape)))
    count, names = cv2.connectedComponents(widened(hole, 2 * reach + 1).view(np.uint8), connectivity=8)
    if count == 2:
        yield hole
        return
    for name in range(1, count):
        yield hole & (names == name)


def _copied(view: Pixels, unknown: Hole, avoid: Hole, side: int) -> Pixels:
    scale = min(1.0, side / max(unknown.shape))
    # Near the border of its picture the shift map reads beyond its arrays, and what is there differs from call to call.
    margin = round(_MARGIN / scale)
    view, unknown, avoid = _mirrored(view, margin), _mirrored(unknown, margin), _mirrored(avoid, margin)
    return _pieces(view, unknown, avoid, scale)[margin:-margin, margin:-margin]


def _mirrored(values: Any, margin: int) -> Any:
    """A picture or a hole with its own reflection around it."""
    wide = values.view(np.uint8) if values.dtype == np.bool_ else values
    made = cv2.copyMakeBorder(np.ascontiguousarray(wide), *(margin,) * 4, cv2.BORDER_REFLECT_101)
    return made.view(np.bool_) if values.dtype == np.bool_ else made


def _pieces(view: Pixels, unknown: Hole, avoid: Hole, scale: float) -> Pixels:
    height, width = unknown.shape
    size = (max(8, round(width * scale)), max(8, round(height * scale)))
    small = np.asarray(cv2.resize(view, size, interpolation=cv2.INTER_AREA), np.uint8)
    share = cv2.resize(unknown.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    # A pixel that is partly of the hole is not known.
    small_unknown = np.asarray(share) > 0
    others = np.asarray(cv2.resize(avoid.astype(np.float32), size, interpolation=cv2.INTER_AREA)) > 0.2
    if (small_unknown | others).mean() < _MOST_AVOIDED:
        strange = _strange(small, small_unknown, others)
        small_unknown = small_unknown | others
        if (small_unknown | strange).mean() < _MOST_AVOIDED:
            small_unknown = small_unknown | strange
    else:
        avoid = np.zeros_like(avoid)
    smooth = _smooth(view, unknown)
    if small_unknown.all():
        return smooth
    lab = np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2Lab), np.uint8)
    mapped = _shift_map(lab, small_unknown)
    if mapped is None:
        return smooth
    shifts, names = _shifts(lab, mapped, small_unknown)
    if not len(shifts):
        return smooth
    return _pasted(view, unknown, smooth, shifts, names, (size[0] / width, size[1] / height), avoid)


def _strange(small: Pixels, unknown: Hole, others: Hole) -> Hole:
    """Pixels whose color is rare at the hole's rim: a tap or a sign, perhaps, but not its ground."""
    rim = widened(unknown, 2 * _RIM + 1) & ~unknown & ~others
    if rim.sum() < _LEAST_RIM:
        return np.zeros_like(unknown)
    smooth = cv2.GaussianBlur(small, (3, 3), 0)
    lab = np.asarray(cv2.cvtColor((smooth / 255).astype(np.float32), cv2.COLOR_RGB2LAB), np.float32)
    known, every = lab[rim], lab.reshape(-1, 3)
    known = known[:: max(1, len(known) // _MOST_RIM)]
    squares = (every**2).sum(1)[:, None] + (known**2).sum(1)[None] - 2 * every @ known.T
    common = (squares < _SAME_COLOUR**2).mean(axis=1).reshape(unknown.shape)
    found = ((common < _COMMON) & ~unknown).astype(np.uint8)
    return np.asarray(cv2.morphologyEx(found, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8).astype(np.bool_)


def _shift_map(lab: Pixels, unknown: Hole) -> Pixels | None:
    """The picture as the shift map completes it; None if it cannot, as in a window of few pixels."""
    known = np.where(unknown, 0, 255).astype(np.uint8)
    made = np.zeros_like(lab)
    # It draws from the thread's own random numbers, which begin anew for each hole: the same hole, the same result.
    cv2.setRNGSeed(_SEED)
    try:
        cv2.xphoto.inpaint(lab, known, made, cv2.xphoto.INPAINT_SHIFTMAP)
    except cv2.error:
        return None
    return made


def _smooth(view: Pixels, unknown: Hole) -> Pixels:
    made = membrane(view.astype(np.float32), ~unknown, unknown)
    return np.clip(np.rint(made), 0, 255).astype(np.uint8)


def _shifts(lab: Pixels, mapped: Pixels, unknown: Hole) -> tuple[Shifts, npt.NDArray[np.int16]]:
    """The shifts (down, right) that explain the result of the shift map, and which one each unknown pixel has, or -1.

    A patch of the result that occurs in the picture votes for its shift. Each pixel takes the shift by which most of
    its neighbors must also fit, since a single color may be in many places.
    """
    height, width = unknown.shape
    nowhere = np.zeros((0, 2), np.intp), np.full((height, width), -1, np.int16)
    if min(height, width) < _PATCH:
        return nowhere
    known_patches = _hashes(lab)
    usable = cv2.erode((~unknown).astype(np.uint8), np.ones((_PATCH, _PATCH), np.uint8))[1:-1, 1:-1] > 0
    targets = np.argwhere(unknown[1:-1, 1:-1])
    sources = np.argwhere(usable)
    if not len(targets) or not len(sources):
        return nowhere
    values = known_patches[usable]
    order = np.argsort(values, kind="stable")
    values, sources = values[order], sources[order]
    wanted = _hashes(mapped)[unknown[1:-1, 1:-1]]
    first, last = np.searchsorted(values, wanted, "left"), np.searchsorted(values, wanted, "right")
    # A patch that occurs in several places, such as a plain one, tells little.
    single = last - first == 1
    found = sources[first[single]] - targets[single]
    if not len(found):
        return nowhere
    distinct, votes = np.unique(found, axis=0, return_counts=True)
    ranked = np.argsort(-votes, kind="stable")[:_MOST_SHIFTS]
    shifts = distinct[ranked].astype(np.intp)
    best, names = np.zeros((height, width), np.float32), np.full((height, width), -1, np.int16)
    # Three channels as one number, which is compared at once.
    made, given = _packed(mapped), _packed(lab)
    for name, (down, right) in enumerate(shifts):
        same = np.zeros((height, width), np.float32)
        here, there = _overlap(height, width, int(down), int(right))
        same[here] = (made[here] == given[there]) & ~unknown[there]
        score = np.asarray(cv2.boxFilter(same, -1, (7, 7), normalize=False, borderType=cv2.BORDER_CONSTANT))
        better = unknown & (same > 0) & (score > best)
        best[better], names[better] = score[better], name
    return shifts, names


def _packed(picture: Pixels) -> npt.NDArray[np.uint32]:
    wide = picture.astype(np.uint32)
    return np.asarray(wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2], np.uint32)


def _hashes(picture: Pixels) -> npt.NDArray[np.uint64]:
    """A number for each patch, the same for equal ones; by its upper left pixel."""
    height, width = picture.shape[:2]
    found = np.zeros((height - _PATCH + 1, width - _PATCH + 1), np.uint64)
    for down in range(_PATCH):
        for right in range(_PATCH):
            for channel in range(3):
                piece = picture[down : down + found.shape[0], right : right + found.shape[1], channel]
                found = (found ^ piece) * np.uint64(0x100000001B3)
    return found


def _overlap(height: int, width: int, down: int, right: int) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """The part of a canvas that has a source at this shift, and that source."""
    rows = slice(max(0, -down), min(height, height - down))
    columns = slice(max(0, -right), min(width, width - right))
    return (rows, columns), (
        slice(rows.start + down, max(rows.start, rows.stop) + down),
        slice(columns.start + right, max(columns.start, columns.stop) + right),
    )


def _pasted(
    view: Pixels,
    unknown: Hole,
    smooth: Pixels,
    shifts: Shifts,
    names: npt.NDArray[np.int16],
    scale: tuple[float, float],
    avoid: Hole,
) -> Pixels:
    """The pieces copied at full size, mixed where they meet, and fitted to what is around the hole."""
    height, width = unknown.shape
    # A little of the ground is also covered, to measure how well the pieces fit.
    reach = max(2, round(1.5 / scale[0]))
    covered = widened(unknown, 2 * reach + 1)
    large = cv2.resize(_spread(names), (width, height), interpolation=cv2.INTER_NEAREST)
    total = np.zeros((height, width, 3), np.float32)
    weights = np.zeros((height, width), np.float32)
    softness = 2 * max(1, round(0.6 / scale[0])) + 1
    for name, (down, right) in enumerate(shifts):
        window = window_of(large == name, softness)
        piece = (large[window] == name).astype(np.float32)
        if not piece.size:
            continue
        soft = np.asarray(cv2.GaussianBlur(piece, (softness, softness), 0), np.float32)
        # The source of the window, as far as there is one.
        down, right = round(down / scale[1]), round(right / scale[0])
        top, left = max(window[0].start, -down), max(window[1].start, -right)
        bottom, end = min(window[0].stop, height - down), min(window[1].stop, width - right)
        if top >= bottom or left >= end:
            continue
        here = slice(top, bottom), slice(left, end)
        there = slice(top + down, bottom + down), slice(left + right, end + right)
        inner = (
            slice(top - window[0].start, bottom - window[0].start),
            slice(left - window[1].start, end - window[1].start),
        )
        weight = soft[inner] * (covered[here] & ~unknown[there] & ~avoid[there])
        total[here] += weight[..., None] * view[there]
        weights[here] += weight
    made = total / np.maximum(weights, 1e-6)[..., None]
    lacking = weights < 0.05
    whole: Floats = np.where(lacking[..., None], smooth, made).astype(np.float32)
    # An object beside the hole is not what its ground looks like.
    return _fitted(whole, view, unknown, covered & ~unknown & ~lacking & ~avoid)


def _fitted(made: Floats, view: Pixels, unknown: Hole, rim: Hole) -> Pixels:
    """Take away the difference of light that the pieces have from the ground at the hole's rim, and less inside."""
    if rim.any():
        difference = cv2.blur(np.where(rim[..., None], view - made, 0).astype(np.float32), (9, 9))
        count = cv2.blur(rim.astype(np.float32), (9, 9))
        local = np.asarray(difference) / np.maximum(np.asarray(count), 1e-6)[..., None]
        offset = membrane(np.clip(local, -40, 40).astype(np.float32), rim, unknown)
        made = np.asarray(made + offset, np.float32)
    return np.clip(np.rint(made), 0, 255).astype(np.uint8)


def _spread(names: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """Every pixel gets the name of the nearest one that has a name."""
    _, nearest = cv2.distanceTransformWithLabels(
        (names < 0).astype(np.uint8), cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    own = np.zeros(int(nearest.max()) + 1, np.int16)
    has = names >= 0
    own[nearest[has]] = names[has]
    return np.asarray(own[nearest], np.int16)
