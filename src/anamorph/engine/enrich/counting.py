"""Which numbers of a scene a recogniser finds on the photo: only those can it vouch for on a painted picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from anamorph.engine.recogniser import Recogniser, numbers_of
from anamorph.errors import UsageError
from anamorph.model import Pixels, Scene


@dataclass(frozen=True, slots=True)
class Counting:
    """Says of which classes as many objects are found as there are; safe to use from several threads."""

    recogniser: Recogniser | None
    score: float

    def counted(self, scene: Scene, photo: Callable[[], Pixels]) -> Scene:
        """The scene with these classes: none without a recogniser, or where it fails."""
        try:
            found = () if self.recogniser is None else self.recogniser.found(photo(), remember=True)
        except UsageError:
            raise
        except Exception:  # noqa: BLE001  a segmenter may be a user's own, and a bad photo fails later
            found = ()
        numbers, there = numbers_of(found, self.score), Counter(thing.label for thing in scene.things)
        right = (label for label, count in there.items() if numbers[label.strip().casefold()] == count)
        return replace(scene, countable=tuple(right))
