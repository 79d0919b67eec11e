"""Whether a melt left debris, as far as it can be seen without knowing any class: by edges and by colours.

What an inpainter makes up should look like what is around the hole. Many more edges than there are is debris, and the
colours of the removed object, where the ground has none such, are the object itself or another one like it. Colours
that no ground around has were copied from other objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from anamorph.config import MeltCheckSettings
from anamorph.edits.melt import Melt, others_near
from anamorph.model import Edit, Hole, Picture, Pixels, encode
from anamorph.model.protocols import EditOptions
from anamorph.pixels.shapes import melting_kernel, union_shape, widened, window_of

Floats: TypeAlias = npt.NDArray[np.float32]

# Smaller made-up ground, as a share of the photo, has too few pixels to compare.
_LEAST_AREA = 0.015
# The least strength of edges around the hole, in levels: noise on plain ground is no texture.
_PLAIN = 2.0
# Colours are compared in CIELAB: this far from all ground is another colour, if the object is this much nearer.
_APART, _NEARER = 6.0, 0.6
_SAMPLE, _FEW, _NEIGHBOUR = 1200, 600, 4
_SEED = 7
# Ground around a hole is looked at up to this many times as far as the hole is wider than its objects; fewer pixels
# of it say nothing.
_FAR, _FEWEST = 4, 50


@dataclass(frozen=True, slots=True)
class DebrisCheck:
    """Looks at every photo that objects were removed from, without any network; safe to use from several threads."""

    settings: MeltCheckSettings

    def concerns(self, edit: Edit) -> bool:
        return EditOptions.made_up.of(edit) is not None

    @property
    def key(self) -> Mapping[str, Any] | None:
        return {"debris": encode(self.settings)}

    def complaint(self, edit: Edit, before: Picture, after: Picture) -> str | None:
        """Why the picture must not be used, or None where it may, or where the edit takes nothing away."""
        declared = EditOptions.made_up.of(edit)
        if declared is None:
            return None
        made_up = declared(before)
        gone = union_shape(made_up.gone, *made_up.ground.shape)
        for part in _parts(made_up.ground):
            edges, likeness = traces(before.pixels, after.pixels, part, made_up.ground, gone)
            if edges > self.settings.edges:
                return "The debris check finds many more edges in the hole than around it."
            if likeness > self.settings.likeness:
                return "The debris check finds the colours of what was removed in the hole."
        if isinstance(edit, Melt) and made_up.ground.sum() >= _LEAST_AREA * made_up.ground.size:
            kept = [thing for thing in before.things if thing.id not in edit.objects]
            others = others_near(made_up.gone, kept, made_up.ground)
            if foreign_share(before.pixels, after.pixels, made_up.ground, others) > self.settings.foreign:
                return "The debris check finds colours in the hole that no ground around it has."
        return None


def _parts(ground: Hole) -> Iterator[Hole]:
    """The parts of made-up ground that are large enough to be looked at."""
    count, names, stats, _ = cv2.connectedComponentsWithStats(ground.view(np.uint8), connectivity=8)
    for name in range(1, count):
        if stats[name, cv2.CC_STAT_AREA] >= _LEAST_AREA * ground.size:
            yield names == name


def traces(before: Pixels, after: Pixels, part: Hole, ground: Hole, gone: Hole) -> tuple[float, float]:
    """How many times as strong edges are in a part of the hole as around it, and how much of it has removed colours."""
    reach = 2 * melting_kernel(*before.shape[:2]) + 1
    window = window_of(part, reach)
    hole = np.ascontiguousarray(part[window])
    gone = gone[window] & hole
    ring = widened(hole, reach) & ~ground[window]
    # At the rim the two meet, which says nothing about either.
    inner = cv2.erode(hole.view(np.uint8), np.ones((5, 5), np.uint8)).astype(np.bool_)
    if not ring.any() or not inner.any():
        return 0.0, 0.0
    old, new = _lab(before[window]), _lab(after[window])
    edges = float(_slopes(new)[inner].mean()) / max(_PLAIN, float(_slopes(old)[ring].mean()))
    if not gone.any():
        return edges, 0.0
    made = _some(new[inner])
    from_ground, from_object = _distances(made, _some(old[ring])), _distances(made, _some(old[gone]))
    alike = (from_object < _NEARER * from_ground) & (from_ground > _APART)
    return edges, float(alike.mean())


def foreign_share(before: Pixels, after: Pixels, ground: Hole, others: Hole) -> float:
    """How much of the hole has colours that no ground around it has; the pixels of `others` are no ground."""
    kernel = melting_kernel(*before.shape[:2])
    window = window_of(ground, _FAR * kernel)
    hole = np.ascontiguousarray(ground[window])
    around = widened(hole, 2 * _FAR * kernel + 1) & ~hole & ~others[window]
    inner = cv2.erode(hole.view(np.uint8), np.ones((5, 5), np.uint8)).astype(np.bool_)
    if min(around.sum(), inner.sum()) < _FEWEST:
        return 0.0
    made, known = _some(_lab(after[window])[inner], _FEW), _some(_lab(before[window])[around])
    return float((_distances(made, known) > _APART).mean())


def _lab(pixels: Pixels) -> Floats:
    smooth = cv2.GaussianBlur(np.ascontiguousarray(pixels), (0, 0), 1)
    return np.asarray(cv2.cvtColor((smooth / 255).astype(np.float32), cv2.COLOR_RGB2LAB), np.float32)


def _slopes(lab: Floats) -> Floats:
    light = np.ascontiguousarray(lab[..., 0])
    return np.hypot(cv2.Sobel(light, cv2.CV_32F, 1, 0), cv2.Sobel(light, cv2.CV_32F, 0, 1)).astype(np.float32)


def _some(colours: Floats, most: int = _SAMPLE) -> Floats:
    """As many of these colours as are worth comparing; the same ones each time."""
    if len(colours) <= most:
        return colours
    return colours[np.random.default_rng(_SEED).choice(len(colours), most, replace=False)]


def _distances(colours: Floats, known: Floats) -> Floats:
    """How far each colour is from its nearest known ones; a single one of them may be chance."""
    squares = (colours**2).sum(1)[:, None] + (known**2).sum(1)[None] - 2 * colours @ known.T
    place = min(_NEIGHBOUR, len(known) - 1)
    return np.sqrt(np.maximum(np.partition(squares, place, axis=1)[:, place], 0)).astype(np.float32)
