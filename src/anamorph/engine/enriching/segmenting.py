"""Objects for scenes that have none: a segmenter looks at every photo once, and what it finds is kept."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from anamorph.config import Config
from anamorph.engine.events import Segmented
from anamorph.errors import BadPicture, RunError, UsageError
from anamorph.model import Pixels, Scene, SceneSource, Segmenter, Skip, Thing, digest_of, encode
from anamorph.store.run import RunStore
from anamorph.store.segmentations import SegmentationCache, default_file

# Photos under way for each thread, so that none waits for a slow neighbour.
AHEAD = 4
FACT = "segmenter"
# The key of a scene's origin that names who found its objects.
ORIGIN = "things"


def identity_of(segmenter: Segmenter) -> dict[str, Any]:
    """What tells a segmenter from every other that could find different things."""
    identity: dict[str, Any] = encode({"kind": segmenter.kind, **segmenter.fingerprint})
    return identity


@dataclass(slots=True)
class Finder:
    """A segmenter and its memory; safe to use from several threads."""

    segmenter: Segmenter
    identity: Mapping[str, Any]
    cache: SegmentationCache | None = None

    @classmethod
    def of(cls, config: Config) -> Finder | None:
        """The finder of a run, if it has a segmenter; the caller closes it."""
        segmenter = config.segmenter()
        if segmenter is None:
            return None
        settings, identity = config.settings.segmenting, identity_of(segmenter)
        if not settings.remember:
            return cls(segmenter, identity)
        file = Path(settings.cache) if settings.cache else default_file()
        return cls(segmenter, identity, SegmentationCache.open(file, identity))

    def recall(self, pixels: Pixels) -> tuple[Thing, ...] | None:
        """What is known of these pixels."""
        return None if self.cache is None else self.cache.get(pixels)

    def look(self, pixels: Pixels, *, remember: bool = True) -> tuple[Thing, ...]:
        """What the segmenter finds now; BadPicture where it gives what cannot be on the picture."""
        things = tuple(self.segmenter.segment(pixels))
        _check(things, pixels)
        if remember and self.cache is not None:
            self.cache.put(pixels, things)
        return things

    def close(self) -> None:
        if self.cache is not None:
            self.cache.close()


@dataclass(frozen=True, slots=True)
class _Looked:
    """A photo that the segmenter is done with; `recalled` if it needed not look."""

    item: Scene | Skip
    recalled: bool = False


@dataclass(slots=True)
class SceneSegmenting:
    """Gives scenes the objects that a segmenter finds, several photos at a time, in the order of the source."""

    finder: Finder
    source: SceneSource
    all_scenes: bool = False
    threads: int = 2
    min_score: float = 0.0
    looked: int = field(default=0, init=False)
    recalled: int = field(default=0, init=False)
    failed: int = field(default=0, init=False)
    things: int = field(default=0, init=False)

    def over(self, found: Iterable[Scene | Skip], limit: int | None = None) -> Generator[Scene | Skip, None, None]:
        """The scenes with their objects; a photo on which the segmenter fails becomes a skip.

        No more photos are looked at than make up `limit` scenes.
        """
        items, given = iter(found), 0
        waiting: deque[Scene | Skip | Future[_Looked]] = deque()
        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="anamorph-segment")
        try:
            while True:
                room = AHEAD * self.threads if limit is None else min(AHEAD * self.threads, limit - given)
                while len(waiting) < room and (item := next(items, None)) is not None:
                    if isinstance(item, Scene) and (self.all_scenes or not item.things):
                        waiting.append(pool.submit(self._segment, item))
                    else:
                        waiting.append(item)
                if not waiting:
                    return
                first = waiting.popleft()
                done = self._count(first.result()) if isinstance(first, Future) else first
                given += isinstance(done, Scene)
                yield done
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def told(self) -> Segmented:
        """What came of it so far."""
        return Segmented(self.looked, self.recalled, self.failed, self.things)

    def _count(self, looked: _Looked) -> Scene | Skip:
        if isinstance(looked.item, Skip):
            self.failed += 1
        else:
            self.recalled += looked.recalled
            self.looked += not looked.recalled
            self.things += len(looked.item.things)
        return looked.item

    def _segment(self, scene: Scene) -> _Looked:
        try:
            pixels = self.source.pixels(scene)
            known = self.finder.recall(pixels)
            things = self.finder.look(pixels) if known is None else known
        except UsageError:
            # The segmenter cannot work at all, such as for want of its weights: every photo would be skipped.
            raise
        except Exception as problem:  # noqa: BLE001  a segmenter may come from a user's own file
            reason = f"The segmenter {self.finder.segmenter.kind!r} failed on it: {_reason(problem)}"
            return _Looked(Skip(scene.id, reason))
        sure = tuple(thing for thing in things if thing.score is None or thing.score >= self.min_score)
        by = f"{self.finder.segmenter.kind} {digest_of(self.finder.identity)[:12]}"
        return _Looked(replace(scene, things=sure, origin={**scene.origin, ORIGIN: by}), known is not None)


@contextmanager
def segmented_scenes(
    config: Config, source: SceneSource, limit: int | None
) -> Iterator[tuple[Iterator[Scene | Skip], SceneSegmenting | None]]:
    """The scenes of a source, with the objects that the configuration's segmenter finds where it has one."""
    settings = config.settings.segmenting
    finder = Finder.of(config) if settings.scenes != "none" else None
    if finder is None:
        yield source.scan(), None
        return
    segmenting = SceneSegmenting(finder, source, settings.scenes == "all", settings.threads, settings.min_score)
    with closing(finder), closing(segmenting.over(source.scan(), limit)) as found:
        yield found, segmenting


def note_segmenter(store: RunStore, finder: Finder) -> None:
    """Keep with a run which segmenter it has."""
    with store.transaction():
        store.set_fact(FACT, dict(finder.identity))


def settle_segmenter(store: RunStore, finder: Finder) -> None:
    """Make sure that the segmenter is the one that the run began with."""
    before, now = store.fact(FACT), finder.identity
    if before is None:
        note_segmenter(store, finder)
    elif before != now:
        changed = ", ".join(sorted(key for key in {*before, *now} if before.get(key) != now.get(key)))
        raise RunError(
            f"{store.folder}: the segmenter changed since this run began ({changed}), so it would measure new images "
            "otherwise than earlier ones: start a new run, or bring the earlier weights and settings back."
        )


def _check(things: tuple[Thing, ...], pixels: Pixels) -> None:
    """A segmenter may be a user's own, and what it gives goes into the run's plan."""
    height, width = pixels.shape[:2]
    ids = [thing.id for thing in things]
    if len(set(ids)) != len(ids):
        twice = next(id for id in ids if ids.count(id) > 1)
        raise BadPicture(f"It gave two objects the id {twice!r}.")
    for thing in things:
        mask = thing.mask
        if mask is not None and (mask.height, mask.width) != (height, width):
            size = f"{mask.width} x {mask.height}"
            raise BadPicture(f"It gave {thing.id!r} a mask of {size} on a photo of {width} x {height}.")


def _reason(problem: BaseException) -> str:
    text = str(problem) if isinstance(problem, BadPicture) else f"{type(problem).__name__}: {problem}"
    return " ".join(text.split()).rstrip(".:") + "."
