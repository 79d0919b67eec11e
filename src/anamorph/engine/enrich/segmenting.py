"""Objects and ground for scenes that have none: a segmenter looks at every photo once, and what it finds is kept."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from anamorph.engine.events import Segmented
from anamorph.engine.segmenter import RunSegmenter
from anamorph.errors import BadPicture, UsageError
from anamorph.model import Pixels, Scene, Skip

# The keys of a scene's origin that name the segmenter that found its objects, and its ground.
ORIGIN, GROUND_ORIGIN = "things", "ground"


@dataclass(slots=True)
class Segmenting:
    """Gives scenes what a segmenter finds, and counts the objects; safe to use from several threads."""

    segmenter: RunSegmenter
    all_scenes: bool = False
    min_score: float = 0.0
    # Scenes without ground also get it; their annotated objects stay.
    ground: bool = False
    looked: int = field(default=0, init=False)
    recalled: int = field(default=0, init=False)
    failed: int = field(default=0, init=False)
    things: int = field(default=0, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def wanted(self, scene: Scene) -> bool:
        """Whether the scene is to get anything that the segmenter finds."""
        return self._wants_things(scene) or self._wants_ground(scene)

    def segmented(self, scene: Scene, photo: Callable[[], Pixels]) -> Scene | Skip:
        """The scene with what it lacked; one that lacked objects becomes a skip where the segmenter fails."""
        try:
            pixels = photo()
            known = self.segmenter.recall(pixels)
            found = self.segmenter.survey(pixels) if known is None else known
        except UsageError:
            # The segmenter cannot work at all, such as without its weights: every photo would be skipped.
            raise
        except Exception as problem:  # noqa: BLE001  a segmenter may come from a user's own file
            with self._lock:
                self.failed += 1
            if not self._wants_things(scene):
                return scene
            kind = self.segmenter.segmenter.kind
            return Skip(scene.id, f"The segmenter {kind!r} failed on it: {_reason(problem)}")
        sure = tuple(thing for thing in found.things if thing.score is None or thing.score >= self.min_score)
        needs_things, needs_ground = self._wants_things(scene), self._wants_ground(scene)
        with self._lock:
            self.recalled += known is not None
            self.looked += known is None
            self.things += len(sure) if needs_things else 0
        if needs_things:
            scene = replace(scene, things=sure, origin={**scene.origin, ORIGIN: self.segmenter.signature})
        if needs_ground and found.stuff:
            origin = {**scene.origin, GROUND_ORIGIN: self.segmenter.signature}
            scene = replace(scene, stuff=found.stuff, origin=origin)
        return scene

    def _wants_things(self, scene: Scene) -> bool:
        return self.all_scenes or not scene.things

    def _wants_ground(self, scene: Scene) -> bool:
        return self.ground and not scene.stuff

    def counted(self) -> Segmented:
        """The counts so far."""
        return Segmented(self.looked, self.recalled, self.failed, self.things)


def _reason(problem: BaseException) -> str:
    text = str(problem) if isinstance(problem, BadPicture) else f"{type(problem).__name__}: {problem}"
    return " ".join(text.split()).rstrip(".:") + "."
