"""Whether a melt worked: what the segmenter finds on made-up ground, compared with what it found there before.

The comparison is with the segmenter's own view of the untouched picture and not with the annotations: it may know an
object by another name than they do, or not at all.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import cv2
import numpy as np

from anamorph.config import MeltCheckSettings
from anamorph.engine.kept import is_ours
from anamorph.engine.segmenter import RunSegmenter
from anamorph.model import Edit, Hole, MadeUp, Picture, Pixels, Thing, digest_of_bytes, encode
from anamorph.model.protocols import EditOptions
from anamorph.pixels.shapes import thing_shape, widened

_REMEMBERED = 64
# From close by, only what lies mostly on made-up ground counts; parts of it nearer than this, in pixels, are one.
_MOSTLY = 0.6
_NEAR = 16
_MOST_PARTS = 3


@dataclass(slots=True)
class MeltCheck:
    """Looks at every picture that objects were removed from; safe to use from several threads."""

    segmenter: RunSegmenter
    settings: MeltCheckSettings
    # A detector that happened to be here, and not the run's own choice: it knows photos only.
    at_hand: bool = False
    _befores: OrderedDict[str, tuple[Thing, ...]] = field(default_factory=OrderedDict, repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def concerns(self, edit: Edit) -> bool:
        return EditOptions.made_up.of(edit) is not None

    @property
    def key(self) -> Mapping[str, Any] | None:
        if not is_ours(self.segmenter.segmenter):
            return None
        return {"melt": encode(self.settings), "by": dict(self.segmenter.identity)}

    def complaint(self, edit: Edit, before: Picture, after: Picture) -> str | None:
        """Why the picture must not be used, or None where it may, or where the edit takes nothing away."""
        declared = EditOptions.made_up.of(edit)
        if declared is None:
            return None
        made_up = declared(before)
        if not made_up.ground.any():
            return None
        found = self.segmenter.look(after.pixels, remember=False)
        seen = self._seen(before.pixels)
        return remains(seen, found, made_up, self.settings) or self._looked_closely(seen, after.pixels, made_up)

    def _looked_closely(self, seen: Sequence[Thing], pixels: Pixels, made_up: MadeUp) -> str | None:
        """What is wrong with the made-up ground when it is looked at alone, which shows it larger to a network."""
        if self.settings.close_score >= 1:
            return None
        for rows, columns in _windows(made_up.ground):
            view = np.ascontiguousarray(pixels[rows, columns])
            found = self._seen(view, keep=False)
            said = appears(seen, found, made_up.ground[rows, columns], self.settings)
            if said is not None:
                return said
        return None

    def _seen(self, pixels: Pixels, *, keep: bool = True) -> tuple[Thing, ...]:
        """What the segmenter finds on a picture that many edits share: the untouched photo, or a piece of a plate.

        Photos are kept across runs.
        """
        key = f"{pixels.shape} {digest_of_bytes(np.ascontiguousarray(pixels).data)}"
        with self._lock:
            known = self._befores.get(key)
        if known is None:
            recalled = self.segmenter.recall(pixels) if keep else None
            known = self.segmenter.look(pixels, remember=keep) if recalled is None else recalled.things
        with self._lock:
            self._befores[key] = known
            while len(self._befores) > _REMEMBERED:
                self._befores.popitem(last=False)
        return known


def remains(
    before: Sequence[Thing], after: Sequence[Thing], made_up: MadeUp, settings: MeltCheckSettings
) -> str | None:
    """What is wrong with a melt, as a sentence without numbers, so that similar cases are counted together."""
    there = {_name(thing) for thing in before if share_on(thing, made_up.ground) >= settings.inside}
    gone = {_name(thing) for thing in made_up.gone}
    anywhere = {_name(thing) for thing in before}
    sure = [thing for thing in after if thing.score is None or thing.score >= settings.score]
    for thing in sorted(sure, key=lambda thing: (-(thing.score or 1.0), thing.id)):
        name = _name(thing)
        # A class that the photo has elsewhere changes no claim about what the photo shows.
        if name in anywhere - there - gone or share_on(thing, made_up.ground) < settings.inside:
            continue
        if name in there:
            return f"The melt check still finds {name!r} in the hole."
        return f"The melt check finds {name!r} in the hole, where it found none before."
    return None


def appears(before: Sequence[Thing], close: Sequence[Thing], ground: Hole, settings: MeltCheckSettings) -> str | None:
    """What made-up ground shows from close by; a class that the photo has elsewhere must be surer to count."""
    anywhere = {_name(thing) for thing in before}
    for thing in sorted(close, key=lambda thing: (-(thing.score or 1.0), thing.id)):
        least = settings.close_score * (2 if _name(thing) in anywhere else 1)
        if (thing.score is None or thing.score >= least) and share_on(thing, ground) >= max(_MOSTLY, settings.inside):
            return f"The melt check finds {_name(thing)!r} in the hole when it looks closely."
    return None


def _windows(ground: Hole) -> list[tuple[slice, slice]]:
    """The largest parts of made-up ground, each with as much around it as a network needs to know what it sees."""
    count, _, stats, _ = cv2.connectedComponentsWithStats(widened(ground, 2 * _NEAR + 1).view(np.uint8))
    order = sorted(range(1, count), key=lambda part: (-int(stats[part, cv2.CC_STAT_AREA]), part))
    height, width = ground.shape
    found = []
    for part in order[:_MOST_PARTS]:
        left, top, wide, tall = (int(stats[part, name]) for name in range(4))
        margin = max(_NEAR, round(0.35 * max(wide, tall)))
        found.append(
            (
                slice(max(0, top - margin), min(height, top + tall + margin)),
                slice(max(0, left - margin), min(width, left + wide + margin)),
            )
        )
    return found


def share_on(thing: Thing, ground: Hole) -> float:
    """The share of an object's pixels, or of its box where it has no mask, that lies on some ground."""
    height, width = ground.shape
    shape = thing_shape(thing, height, width)
    area = int(shape.sum())
    return int((shape & ground).sum()) / area if area else 0.0


def _name(thing: Thing) -> str:
    return thing.label.strip().casefold()
