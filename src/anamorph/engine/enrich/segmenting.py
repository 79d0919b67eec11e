"""Objects for scenes that have none: a segmenter looks at every photo once, and what it finds is kept."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from anamorph.engine.events import Segmented
from anamorph.engine.segmenter import RunSegmenter
from anamorph.errors import BadPicture, UsageError
from anamorph.model import Pixels, Scene, Skip

# The key of a scene's origin that names the segmenter that found its objects.
ORIGIN = "things"


@dataclass(slots=True)
class Segmenting:
    """Gives scenes the objects that a segmenter finds, and counts them; safe to use from several threads."""

    segmenter: RunSegmenter
    all_scenes: bool = False
    min_score: float = 0.0
    looked: int = field(default=0, init=False)
    recalled: int = field(default=0, init=False)
    failed: int = field(default=0, init=False)
    things: int = field(default=0, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def wanted(self, scene: Scene) -> bool:
        """Whether the scene is to get the segmenter's objects."""
        return self.all_scenes or not scene.things

    def segmented(self, scene: Scene, photo: Callable[[], Pixels]) -> Scene | Skip:
        """The scene with its objects; a photo on which the segmenter fails becomes a skip."""
        try:
            pixels = photo()
            known = self.segmenter.recall(pixels)
            things = self.segmenter.look(pixels) if known is None else known
        except UsageError:
            # The segmenter cannot work at all, such as without its weights: every photo would be skipped.
            raise
        except Exception as problem:  # noqa: BLE001  a segmenter may come from a user's own file
            with self._lock:
                self.failed += 1
            kind = self.segmenter.segmenter.kind
            return Skip(scene.id, f"The segmenter {kind!r} failed on it: {_reason(problem)}")
        sure = tuple(thing for thing in things if thing.score is None or thing.score >= self.min_score)
        with self._lock:
            self.recalled += known is not None
            self.looked += known is None
            self.things += len(sure)
        return replace(scene, things=sure, origin={**scene.origin, ORIGIN: self.segmenter.signature})

    def counted(self) -> Segmented:
        """The counts so far."""
        return Segmented(self.looked, self.recalled, self.failed, self.things)


def _reason(problem: BaseException) -> str:
    text = str(problem) if isinstance(problem, BadPicture) else f"{type(problem).__name__}: {problem}"
    return " ".join(text.split()).rstrip(".:") + "."
