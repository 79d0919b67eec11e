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

import numpy as np

from anamorph.config import MeltCheckSettings
from anamorph.engine.kept import is_ours
from anamorph.engine.segmenter import RunSegmenter
from anamorph.model import Edit, Hole, MadeUp, Picture, Pixels, Thing, digest_of_bytes, encode
from anamorph.model.protocols import EditOptions
from anamorph.pixels.shapes import thing_shape

_REMEMBERED = 64


@dataclass(slots=True)
class MeltCheck:
    """Looks at every picture that objects were removed from; safe to use from several threads."""

    segmenter: RunSegmenter
    settings: MeltCheckSettings
    # A detector that happened to be here, and not the run's own choice: it knows photos only.
    at_hand: bool = False
    _looks: OrderedDict[str, tuple[Thing, ...]] = field(default_factory=OrderedDict, repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def concerns(self, edit: Edit) -> bool:
        return EditOptions.made_up.of(edit) is not None

    @property
    def key(self) -> Mapping[str, Any] | None:
        if not is_ours(self.segmenter.segmenter):
            return None
        return {"melt": encode(self.settings), "by": dict(self.segmenter.identity)}

    def complaint(self, edit: Edit, before: Picture, after: Picture) -> str | None:
        """Why the image must not be used; None if it may, or if the edit removes nothing."""
        declared = EditOptions.made_up.of(edit)
        if declared is None:
            return None
        made_up = declared(before)
        if not made_up.ground.any():
            return None
        # What is laid over a plate hides ground and makes up none, so a plate is looked at once for all its layouts.
        found = self._seen(after.pixels if made_up.plate is None else made_up.plate(), kept=False)
        gone = {thing.id for thing in made_up.gone}
        left = [thing for thing in after.things if thing.id not in gone]
        return remains(self._seen(before.pixels, kept=True), found, made_up, left, self.settings)

    def _seen(self, pixels: Pixels, *, kept: bool) -> tuple[Thing, ...]:
        """The objects found; before an edit, nearly always on the untouched photo, which is kept across runs."""
        key = f"{pixels.shape} {digest_of_bytes(np.ascontiguousarray(pixels).data)}"
        with self._lock:
            known = self._looks.get(key)
        if known is None:
            recalled = self.segmenter.recall(pixels) if kept else None
            known = self.segmenter.look(pixels, remember=kept) if recalled is None else recalled.things
        with self._lock:
            self._looks[key] = known
            self._looks.move_to_end(key)
            while len(self._looks) > _REMEMBERED:
                self._looks.popitem(last=False)
        return known


def remains(
    before: Sequence[Thing],
    after: Sequence[Thing],
    made_up: MadeUp,
    left: Sequence[Thing],
    settings: MeltCheckSettings,
) -> str | None:
    """What is wrong with a melt, as a sentence without numbers, so that similar cases are counted together.

    `left` are the annotated objects that nobody touched.
    """
    there = {_name(thing) for thing in before if share_on(thing, made_up.ground) >= settings.inside}
    gone = {_name(thing) for thing in made_up.gone}
    anywhere = {_name(thing) for thing in before}
    elsewhere = (anywhere - there - gone) | {_name(thing) for thing in left}
    sure = [thing for thing in after if thing.score is None or thing.score >= settings.score]
    for thing in sorted(sure, key=lambda thing: (-(thing.score or 1.0), thing.id)):
        name = _name(thing)
        # A class that the photo has elsewhere changes no claim about what the photo shows.
        if name in elsewhere or share_on(thing, made_up.ground) < settings.inside:
            continue
        if name in there:
            return f"The melt check still finds {name!r} in the hole."
        return f"The melt check finds {name!r} in the hole, where it found none before."
    return None


def share_on(thing: Thing, ground: Hole) -> float:
    """The share of an object's pixels, or of its box where it has no mask, that lies on some ground."""
    height, width = ground.shape
    shape = thing_shape(thing, height, width)
    area = np.count_nonzero(shape)
    return np.count_nonzero(shape & ground) / area if area else 0.0


def _name(thing: Thing) -> str:
    return thing.label.strip().casefold()
