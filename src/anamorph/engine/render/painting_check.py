"""Whether a painted picture shows what it should: what a recogniser sees on the photo, it must see on the picture, too.

A class that it cannot see on the photo itself says nothing about the painter, so that class is not required.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np

from anamorph.config import RecognitionSettings
from anamorph.edits.repaint import Repaint
from anamorph.engine.kept import is_ours
from anamorph.engine.recogniser import Recogniser, at_place, numbers_of
from anamorph.model import Edit, Picture, Pixels, Thing, digest_of_bytes, encode

_REMEMBERED = 32
# On the photo, a class must be seen this many times as surely as the setting says: scores of a good copy differ a bit.
_SURER = 2.0
# What is found must have this much in common with where an object is: photos show it exactly there, painters nearly.
_PHOTO_IOU, _PAINTED_IOU = 0.35, 0.2


@dataclass(slots=True)
class PaintingCheck:
    """Looks at every picture that a painter made; safe to use from several threads.

    Without a recogniser, it vouches for no number, so only pictures that claim none are used.
    """

    recogniser: Recogniser | None
    settings: RecognitionSettings
    _photos: OrderedDict[str, tuple[Thing, ...]] = field(default_factory=OrderedDict, repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def concerns(self, edit: Edit) -> bool:
        return isinstance(edit, Repaint)

    @property
    def key(self) -> Mapping[str, Any] | None:
        by = self.recogniser
        if by is not None and not is_ours(by.segmenter):
            return None
        return {"painting": encode(self.settings), "by": None if by is None else dict(by.identity)}

    def complaint(self, edit: Edit, before: Picture, after: Picture) -> str | None:
        """Why the image must not be used; None if it may, or if nothing was painted."""
        if not isinstance(edit, Repaint):
            return None
        expected = Counter(_name(thing.label) for thing in before.things)
        counted = [name for name in expected if name in {_name(label) for label in edit.counted}]
        known = [name for name in expected if self.recogniser is not None and self.recogniser.knows(name)]
        for name in counted:
            if name not in known:
                return f"The painting check cannot count {name!r}, and the number of them is judged."
        if self.recogniser is None or not known:
            return None
        score, photo = self.settings.score, self._photo(self.recogniser, before.pixels)
        numbers = numbers_of(photo, score)
        for name in counted:
            if numbers[name] != expected[name]:
                return f"The painting check cannot count {name!r} on the photo, and the number of them is judged."
        visible = _seen(before.things, photo, min(1.0, _SURER * score), _PHOTO_IOU)
        if not visible and not counted:
            return None
        painted = self.recogniser.found(after.pixels)
        shown, numbers = _seen(after.things, painted, score, _PAINTED_IOU), numbers_of(painted, score)
        for name in known:
            if name in visible and name not in shown:
                return f"The painting check does not find {name!r}, which it finds on the photo."
            if name in counted and numbers[name] != expected[name]:
                return f"The painting check finds another number of {name!r} than the scene has."
        return None

    def _photo(self, recogniser: Recogniser, pixels: Pixels) -> tuple[Thing, ...]:
        """What the recogniser finds on the photo, which many layouts share."""
        key = digest_of_bytes(np.ascontiguousarray(pixels).data)
        with self._lock:
            known = self._photos.get(key)
        if known is None:
            known = recogniser.found(pixels, remember=True)
        with self._lock:
            self._photos[key] = known
            while len(self._photos) > _REMEMBERED:
                self._photos.popitem(last=False)
        return known


def _seen(things: Iterable[Thing], found: Sequence[Thing], score: float, least_iou: float) -> set[str]:
    """The classes of which at least one object is found where it is."""
    return {_name(thing.label) for thing in things if at_place(found, thing.label, thing.box, least_iou) >= score}


def _name(label: str) -> str:
    return label.strip().casefold()
