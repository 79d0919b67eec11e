"""Reference captions, read by the run's reader before a method plans with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from anamorph.concurrency.ordered import in_order
from anamorph.config.readers import RunReaders
from anamorph.model import Method, Scene
from anamorph.model.protocols import MethodOptions

# A reader that asks another system mostly waits.
_THREADS = 8


@dataclass(frozen=True, slots=True)
class References:
    """Gives scenes what their reference captions say."""

    readers: RunReaders

    @classmethod
    def wanted_by(cls, methods: Sequence[Method], readers: RunReaders) -> References | None:
        """The reader for methods that want references; None if none does."""
        return cls(readers) if any(MethodOptions.wants_references.of(method) for method in methods) else None

    def on(self, scene: Scene) -> Scene:
        """A scene with its references."""
        return replace(scene, references=self.readers.read_references(scene.captions)) if scene.captions else scene

    def over(self, scenes: Iterable[tuple[int, Scene]]) -> Iterator[tuple[int, Scene]]:
        """Scenes by number, each with its references."""
        if "caption" not in self.readers.asking_kinds:
            return ((number, self.on(scene)) for number, scene in scenes)
        return in_order(lambda each: (each[0], self.on(each[1])), scenes, _THREADS)
