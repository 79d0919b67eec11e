"""Which patches to cover: large ones over the whole image first, then smaller ones where those mattered."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from anamorph.store.explanations import Patch

Heat: TypeAlias = npt.NDArray[np.float32]

# The sides of patches as shares of the image's, which overlap by half. Large objects are still recognised behind small
# patches, and only large ones hide them.
COARSEST = 1 / 2
SIDES = (1 / 3, 1 / 4, 1 / 6, 1 / 8)
# Where no patch of half the sides matters, these are tried.
_LARGER = 3 / 4
# Smaller patches are tried where the map is at least this share of its maximum.
_HOT = 0.5
# A patch of fewer pixels hides nothing.
_SHORTEST = 6
_AT_EDGE = 0.75
# At most this many patches of each size, the hottest first: 57 in all.
_MOST = 12


class PatchSearch:
    """Proposes patches round by round, given how much the earlier ones mattered; `alone`, those to be shown alone."""

    def __init__(self, width: int, height: int, *, alone: bool = False) -> None:
        self.width, self.height, self.alone = width, height, alone
        self.effects: dict[Patch, float] = {}
        # The side of each patch of the rounds so far.
        self._rounds: dict[Patch, float] = {}
        self._left = [side for side in SIDES if side * min(width, height) >= _SHORTEST]
        self._side: float | None = None

    def next_round(self) -> list[Patch]:
        """The patches to cover next; none once there is nothing left to learn."""
        side = self._next_side()
        if side is None:
            return []
        self._side = side
        patches = self._grid(side)
        if max(self.effects.values(), default=0.0) > 0:
            patches = self._hot(patches)[:_MOST]
        for patch in patches:
            self._rounds[patch] = side
        return patches

    @property
    def proposed(self) -> Collection[Patch]:
        return self._rounds.keys()

    def learn(self, effects: Mapping[Patch, float]) -> None:
        self.effects.update(effects)

    @property
    def smallest_side(self) -> float | None:
        """The side of the smallest patches that mattered; None if none did."""
        return min((side for patch, side in self._rounds.items() if self.effects.get(patch, 0) > 0), default=None)

    def heat(self) -> Heat:
        """How much each pixel matters, from 0 to 1: what the patches over it did, small patches most."""
        total = np.zeros((self.height, self.width), np.float32)
        for patch, side in self._rounds.items():
            effect = self.effects.get(patch, 0.0)
            if effect > 0:
                rows = _profile(patch.top, patch.bottom, self.height)
                columns = _profile(patch.left, patch.right, self.width)
                total[patch.top : patch.bottom, patch.left : patch.right] += effect / side * np.outer(rows, columns)
        if not total.any():
            return total
        sigma = max(1.0, (self.smallest_side or 1) * min(self.width, self.height) / 8)
        smooth = np.asarray(cv2.GaussianBlur(total, (0, 0), sigma), np.float32)
        return np.asarray(smooth / smooth.max(), np.float32)

    def _next_side(self) -> float | None:
        if self._side is None:
            return COARSEST
        mattered = any(self.effects.get(patch, 0) > 0 for patch, its in self._rounds.items() if its == self._side)
        if not mattered:
            # Nothing as small as this hides it any more; or nothing at all did so far.
            return _LARGER if self._side == COARSEST else None
        if self._side == _LARGER:
            return None
        return self._left.pop(0) if self._left else None

    def _grid(self, side: float) -> list[Patch]:
        columns, rows = (_steps(length, side) for length in (self.width, self.height))
        return [Patch(left, top, right, bottom, self.alone) for top, bottom in rows for left, right in columns]

    def _hot(self, patches: Sequence[Patch]) -> list[Patch]:
        """The patches that cover hot ground, the hottest first."""
        heat = self.heat()
        hot = (heat >= _HOT).astype(np.float32)
        sums = {patch: (_mean(hot, patch), _mean(heat, patch)) for patch in patches}
        chosen = [patch for patch in patches if sums[patch][0] >= _HOT]
        chosen = chosen or [max(patches, key=lambda patch: sums[patch][1])]
        return sorted(chosen, key=lambda patch: -sums[patch][1])


def _steps(length: int, side: float) -> list[tuple[int, int]]:
    """Where patches of a size begin and end along one side of an image: they overlap by half and reach both ends."""
    size = min(length, max(1, round(side * length)))
    count = max(1, math.ceil(2 * (length - size) / size)) + 1 if size < length else 1
    starts = [round(place * (length - size) / max(1, count - 1)) for place in range(count)]
    return [(start, start + size) for start in dict.fromkeys(starts)]


def _profile(start: int, end: int, length: int) -> Heat:
    """How much a patch counts along one side: most in its middle, and where patches overlap by half, 1 in all.

    Regions at the edge of the image have no neighbor beyond it, and hardly count less for that.
    """
    place = (np.arange(start, end) + 0.5 - (start + end) / 2) / ((end - start) / 2)
    bell = (1 + np.cos(np.pi * place)) / 2
    at_edge = ((place < 0) & (start == 0)) | ((place > 0) & (end == length))
    return np.asarray(np.where(at_edge, _AT_EDGE + (1 - _AT_EDGE) * bell, bell), np.float32)


def _mean(values: Heat, patch: Patch) -> float:
    return float(values[patch.top : patch.bottom, patch.left : patch.right].mean())
