"""Objects that stand behind others, completed while scenes are scanned, for methods that move them.

What stands before an object is inpainted, and the segmenter looks again (SPOLRE, mask extraction).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from anamorph.config import Config
from anamorph.engine.enriching.segmenting import AHEAD, Finder
from anamorph.engine.rendering.studio import RunStudio
from anamorph.errors import UsageError
from anamorph.model import Pixels, Scene, SceneSource, Skip, Whole, digest_of
from anamorph.pixels.amodal import WHOLES, Completion, completed_mask, completing_hole
from anamorph.pools.cutouts import standing_before


@dataclass(frozen=True, slots=True)
class SceneCompleting:
    """Completes the objects that methods want whole, several photos at a time, in the order of the source."""

    wanted: Sequence[Completion]
    source: SceneSource
    finder: Finder
    studio: RunStudio
    threads: int = 2

    def over(self, found: Iterable[Scene | Skip], limit: int | None = None) -> Generator[Scene | Skip, None, None]:
        """The scenes with what could be completed, `limit` at most; one where that fails is as it was, and its origin
        says why."""
        taken = 0
        waiting: deque[Skip | Future[Scene]] = deque()
        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="anamorph-complete")
        try:
            for item in found:
                waiting.append(item if isinstance(item, Skip) else pool.submit(self._complete, item))
                taken += isinstance(item, Scene)
                if taken == limit:
                    break
                if len(waiting) >= AHEAD * self.threads:
                    yield _result(waiting.popleft())
            while waiting:
                yield _result(waiting.popleft())
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _complete(self, scene: Scene) -> Scene:
        orders: dict[str, Completion] = {}
        for each in self.wanted:
            for id in each.objects(scene):
                orders.setdefault(id, each)
        by = f"{self.finder.segmenter.kind} {digest_of(self.finder.identity)[:12]}"
        if not orders:
            return replace(scene, origin={**scene.origin, WHOLES: by})
        try:
            pixels = self.source.pixels(scene)
            tried = [self._whole(scene, pixels, id, order) for id, order in orders.items()]
        except UsageError:
            # The segmenter or the inpainter cannot work at all, such as for want of its weights.
            raise
        except Exception as problem:  # noqa: BLE001  a source or a segmenter may come from a user's own file
            reason = " ".join(f"{type(problem).__name__}: {problem}".split())
            return replace(scene, origin={**scene.origin, WHOLES: f"{by} failed: {reason}"})
        wholes = tuple(whole for whole in tried if whole is not None)
        return replace(scene, wholes=wholes, origin={**scene.origin, WHOLES: by})

    def _whole(self, scene: Scene, pixels: Pixels, id: str, order: Completion) -> Whole | None:
        thing, height, width = scene.thing(id), scene.height, scene.width
        before = standing_before(scene, thing)
        # A crowd is never edited, and what nothing stands before has nothing to be completed.
        if not before or any(other.crowd for other in before):
            return None
        plate = self.studio.inpaint(order.inpainter, pixels, completing_hole(thing, before, height, width))
        found = self.finder.look(plate, remember=False)
        mask = completed_mask(thing, before, found, height, width, order.rules)
        return None if mask is None else Whole(id, mask, tuple(other.id for other in before), order.inpainter)


@contextmanager
def completed_scenes(
    config: Config, source: SceneSource, found: Iterable[Scene | Skip], finder: Finder | None
) -> Iterator[tuple[Iterable[Scene | Skip], Finder | None]]:
    """The scenes, with what stands behind others completed if a method wants it and the run has a segmenter.

    A finder that is at hand is used. The one that was used is given with the scenes.
    """
    wanted = [each for each in (getattr(method, "wants_wholes", None) for method in config.methods) if each is not None]
    own = Finder.of(config) if wanted and finder is None else None
    used = finder or own
    if not wanted or used is None:
        yield found, finder
        return
    completing = SceneCompleting(wanted, source, used, RunStudio.of(config), config.settings.segmenting.threads)
    try:
        with closing(completing.over(found, config.settings.limit)) as scenes:
            yield scenes, used
    finally:
        if own is not None:
            own.close()


def _result(item: Skip | Future[Scene]) -> Scene | Skip:
    return item.result() if isinstance(item, Future) else item
