"""Making images: a scene is decoded once for all of its follow-ups."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from anamorph import catalog
from anamorph.config import Config
from anamorph.engine.events import Discarded, Rendered, RenderFailed
from anamorph.engine.recogniser import recogniser_at_hand, settle_recogniser
from anamorph.engine.render.debris_check import DebrisCheck
from anamorph.engine.render.insertion_check import InsertionCheck
from anamorph.engine.render.melt_check import MeltCheck
from anamorph.engine.render.plates import PlateStudio
from anamorph.engine.segmenter import FACT as SEGMENTER
from anamorph.engine.segmenter import RunSegmenter, settle_segmenter
from anamorph.engine.studio import RunStudio, settle_tools
from anamorph.errors import AnamorphError
from anamorph.model import Edit, Kinds, Picture, Scene, SceneSource, Studio, decode
from anamorph.store.images import ImageFolder, ImageFormat
from anamorph.store.plans import values_in_edits
from anamorph.store.run import RunStore

REMEMBERED_EDITS = 64
# The fact that keeps which detector looked at melts in a run without a segmenter.
DETECTOR_AT_HAND = "melt_check_detector"


@dataclass(frozen=True, slots=True)
class ImageOrder:
    """One image to be made of a scene; `edits` is JSON."""

    image: int
    edits: str


@dataclass(frozen=True, slots=True)
class ImageResult:
    """Where an image is, or why it could not be made; one that the melt check `discarded` has both, to be looked at."""

    image: int
    file: str | None
    problem: str | None
    discarded: bool = False

    @property
    def usable_file(self) -> str | None:
        """The image's file, where the system may be asked about it."""
        return None if self.discarded else self.file


def event_of(result: ImageResult, probes: int) -> Rendered | RenderFailed | Discarded:
    """The event that reports a result; without an image, this many probes are not asked."""
    if result.problem is None:
        return Rendered(result.image)
    return (Discarded if result.discarded else RenderFailed)(result.image, probes, result.problem)


class Check(Protocol):
    """Looks at a picture before and after an edit."""

    def complaint(self, edit: Edit, before: Picture, after: Picture) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Renderer:
    """Makes the images of scenes and keeps them; safe to use from several threads."""

    source: SceneSource
    folder: ImageFolder
    format: ImageFormat
    kinds: Kinds
    studio: Studio | None = None
    check: MeltCheck | None = None
    insertions: InsertionCheck | None = None
    debris: DebrisCheck | None = None
    _read: dict[str, tuple[Edit, ...]] = field(default_factory=dict, repr=False, compare=False)

    def render(self, scene: Scene, orders: Sequence[ImageOrder]) -> list[ImageResult]:
        """Make images of one scene; one that fails does not stop the others."""
        return list(self.render_each(scene, orders))

    def render_each(self, scene: Scene, orders: Sequence[ImageOrder]) -> Iterator[ImageResult]:
        """Make images of one scene, one after the other."""
        try:
            photo = self.source.pixels(scene)
        except Exception as problem:  # noqa: BLE001  a source may come from a user's own file
            reason = sentence(problem)
            yield from (ImageResult(order.image, None, reason) for order in orders)
            return
        studio = None if self.studio is None else PlateStudio(self.studio, photo)
        checks = self._checks(scene)
        for order in orders:
            yield self._one(Picture(photo, scene.things, studio), order, checks)

    def close(self) -> None:
        if self.check is not None:
            self.check.segmenter.close()

    def _checks(self, scene: Scene) -> list[Check]:
        """What looks at the images of a scene; whatever knows classes has the first word."""
        melts = None if self.check is not None and self.check.at_hand and scene.is_drawn else self.check
        debris = None if scene.is_drawn else self.debris
        return [check for check in (melts, self.insertions, debris) if check is not None]

    def _one(self, picture: Picture, order: ImageOrder, checks: Sequence[Check]) -> ImageResult:
        try:
            for edit in self._edits(order.edits):
                edited = edit.apply(picture)
                said = (check.complaint(edit, picture, edited) for check in checks)
                complaint = next(filter(None, said), None)
                if complaint is not None:
                    return ImageResult(order.image, self._kept(edited), complaint, discarded=True)
                picture = edited
            return ImageResult(order.image, self._kept(picture), None)
        except Exception as problem:  # noqa: BLE001  an edit may come from a user's own file
            return ImageResult(order.image, None, sentence(problem))

    def _kept(self, picture: Picture) -> str:
        return self.folder.write(self.format.encode(picture.pixels), self.format.suffix)

    def _edits(self, text: str) -> tuple[Edit, ...]:
        """The edits of an order; methods often order the same for every scene, so recent ones are remembered."""
        edits = self._read.get(text)
        if edits is None:
            if len(self._read) >= REMEMBERED_EDITS:
                self._read.clear()
            edits = self._read[text] = edits_from_json(text, self.kinds)
        return edits


def renderer_for(store: RunStore, config: Config, *, looks: bool = True) -> Renderer:
    """The renderer of a run, which the caller closes.

    Its inpainters, its painters and its segmenter are checked first, unless the system does not look at images.
    """
    source, format = config.scenes(), config.settings.images
    if not looks:
        return Renderer(source, store.images, format, catalog.find)
    studio = RunStudio.of(config, store)
    settle_tools(store, studio)
    insertions = _insertion_check(store, config, source)
    settings = config.settings.melt_check
    debris = DebrisCheck(settings) if settings.enabled else None
    segmenter, fact = (RunSegmenter.of(config) if settings.enabled else None), SEGMENTER
    if segmenter is None and settings.enabled and settings.at_hand:
        segmenter, fact = RunSegmenter.at_hand(), DETECTOR_AT_HAND
    if segmenter is None:
        return Renderer(source, store.images, format, catalog.find, studio, None, insertions, debris)
    try:
        settle_segmenter(store, segmenter, fact)
    except BaseException:
        segmenter.close()
        raise
    check = MeltCheck(segmenter, settings, at_hand=fact == DETECTOR_AT_HAND)
    return Renderer(source, store.images, format, catalog.find, studio, check, insertions, debris)


def _insertion_check(store: RunStore, config: Config, source: SceneSource) -> InsertionCheck | None:
    """The check of inserted objects, where the plan has any and something here can recognise them."""
    if not values_in_edits(store, "cutout"):
        return None
    recogniser = recogniser_at_hand(config, source)
    settle_recogniser(store, recogniser)
    return None if recogniser is None else InsertionCheck(recogniser, config.settings.recognition)


@dataclass(frozen=True, slots=True)
class _Edits:
    edits: tuple[Edit, ...] = ()


def edits_from_json(text: str, kinds: Kinds) -> tuple[Edit, ...]:
    """The edits of an image as the store keeps them."""
    return decode(_Edits, {"edits": json.loads(text)}, kinds).edits


def sentence(problem: BaseException) -> str:
    """What went wrong, in words; an error that is not ours is named by its type."""
    if isinstance(problem, AnamorphError):
        return str(problem)
    return f"{type(problem).__name__}: {problem}" if str(problem) else type(problem).__name__


RenderCall = Callable[[Scene, Sequence[ImageOrder]], list[ImageResult]]
