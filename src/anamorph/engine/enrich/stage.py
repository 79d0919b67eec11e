"""The stage that enriches scenes: each photo is decoded once, and several are under way at a time."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from anamorph.concurrency.ordered import in_order
from anamorph.config import Config
from anamorph.engine.enrich.colouring import coloured, lacks_colours
from anamorph.engine.enrich.completing import Completing
from anamorph.engine.enrich.counting import Counting
from anamorph.engine.enrich.footing import with_footings
from anamorph.engine.enrich.segmenting import Segmenting
from anamorph.engine.recogniser import recogniser_at_hand
from anamorph.engine.references import References
from anamorph.engine.segmenter import RunSegmenter
from anamorph.engine.studio import RunStudio
from anamorph.model import Scene, SceneSource, Skip
from anamorph.model.protocols import MethodOptions, SceneSourceOptions
from anamorph.photos.files import shown
from anamorph.photos.scene_limits import beyond_limits

# Without a segmenter, its setting for threads says nothing.
THREADS = 2


@dataclass(frozen=True, slots=True)
class Enrichment:
    """The steps that a run takes with every scene: objects and ground, amodal masks, colours, footings, counts."""

    source: SceneSource
    segmenting: Segmenting | None = None
    completing: Completing | None = None
    colouring: bool = False
    footing: bool = False
    counting: Counting | None = None
    references: References | None = None
    threads: int = THREADS

    @property
    def segmenter(self) -> RunSegmenter | None:
        """The segmenter that the steps use."""
        step = self.segmenting or self.completing
        return None if step is None else step.segmenter

    def over(self, found: Iterable[Scene | Skip], limit: int | None = None) -> Generator[Scene | Skip, None, None]:
        """The scenes with what the steps add, in their order; the segmenter sees no more photos than make up `limit`
        scenes."""
        most = None if self.segmenter is None else limit
        return in_order(self._enriched, found, self.threads, limit=most, counts=_is_scene)

    def _enriched(self, item: Scene | Skip) -> Scene | Skip:
        if isinstance(item, Skip):
            return item
        photo = functools.cache(functools.partial(self.source.pixels, item))
        if self.segmenting is not None and self.segmenting.wanted(item):
            item = within_limits(self.segmenting.segmented(item, photo))
            if isinstance(item, Skip):
                return item
        if self.completing is not None:
            if self.references is not None:
                item = self.references.on(item)
            item = replace(self.completing.completed(item, photo), references=())
        if self.colouring and lacks_colours(item):
            item = coloured(item, photo)
        if self.footing:
            item = with_footings(item, photo)
        return item if self.counting is None else self.counting.counted(item, photo)


@contextmanager
def enriched_scenes(
    config: Config,
    source: SceneSource,
    limit: int | None,
    chosen: Callable[[Iterable[Scene | Skip]], Iterator[Scene | Skip]] | None = None,
) -> Iterator[tuple[Iterator[Scene | Skip], Enrichment]]:
    """The scenes of a source with what the run's segmenter finds and what its methods want, and the steps taken.

    Of what the source has, only what is `chosen` is looked at.
    """
    found: Iterator[Scene | Skip] = map(within_limits, source.scan())
    found = found if chosen is None else chosen(found)
    settings = config.settings.segmenting
    wishes = (MethodOptions.wants_amodal_masks.of(method) for method in config.methods)
    completions = [wish for wish in wishes if wish is not None]
    segmenter = RunSegmenter.of(config) if completions or settings.scenes != "none" else None
    segmenting = completing = None
    if segmenter is not None and settings.scenes != "none":
        ground = segmenter.finds_ground and any(MethodOptions.wants_ground.of(method) for method in config.methods)
        segmenting = Segmenting(segmenter, settings.scenes == "all", settings.min_score, ground)
    if segmenter is not None and completions:
        completing = Completing(completions, segmenter, RunStudio.of(config))
    # Scenes that describe themselves are drawn: no colours are estimated, and drawn ground is not evidence.
    undescribed = not SceneSourceOptions.describes.of(source)
    colouring = undescribed and any(MethodOptions.wants_colours.of(method) for method in config.methods)
    footing = undescribed and any(MethodOptions.wants_footings.of(method) for method in config.methods)
    counting = None
    if any(MethodOptions.wants_counts.of(method) for method in config.methods):
        counting = Counting(recogniser_at_hand(config, source), config.settings.recognition.score)
    enrichment = Enrichment(
        source,
        segmenting,
        completing,
        colouring,
        footing,
        counting,
        References.wanted_by(config.methods, config.readers()),
        THREADS if segmenter is None else settings.threads,
    )
    if not (enrichment.segmenter or enrichment.colouring or enrichment.footing or enrichment.counting):
        yield found, enrichment
        return
    try:
        with closing(enrichment.over(found, limit)) as scenes:
            yield scenes, enrichment
    finally:
        if segmenter is not None:
            segmenter.close()


def within_limits(item: Scene | Skip) -> Scene | Skip:
    """A scene as it is, or a skip in its place where it has too much of something."""
    reason = beyond_limits(item) if isinstance(item, Scene) else None
    return item if reason is None else Skip(shown(item.id), reason)  # type: ignore[union-attr]


def _is_scene(item: Scene | Skip) -> bool:
    return isinstance(item, Scene)
