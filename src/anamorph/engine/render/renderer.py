"""The images of a run: made from photos, kept in its folder; a scene is decoded once for all of its follow-ups."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from anamorph import catalog
from anamorph.config import Config
from anamorph.engine.events import Discarded, Rendered, RenderFailed
from anamorph.engine.kept import stock_of
from anamorph.engine.recogniser import recogniser_at_hand, settle_recogniser
from anamorph.engine.render.fill_check import fill_check
from anamorph.engine.render.insertion_check import InsertionCheck
from anamorph.engine.render.keeping import ImageStock
from anamorph.engine.render.maker import ImageMaker, ImageOrder, MadeImage, sentence
from anamorph.engine.render.melt_check import MeltCheck
from anamorph.engine.render.painting_check import PaintingCheck
from anamorph.engine.segmenter import FACT as SEGMENTER
from anamorph.engine.segmenter import RunSegmenter, settle_segmenter
from anamorph.engine.studio import RunStudio, settle_tools
from anamorph.errors import MachineFailed, machine_fault
from anamorph.model import Scene, SceneSource
from anamorph.python_files import is_ctrl_c
from anamorph.store.images import ImageFolder
from anamorph.store.plans import values_in_edits
from anamorph.store.run import RunStore

# The fact that keeps which detector looked at melts in a run without a segmenter.
DETECTOR_AT_HAND = "melt_check_detector"


@dataclass(frozen=True, slots=True)
class ImageResult:
    """Where an image is, or why it could not be made; one that a check `discarded` has both, to be looked at."""

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


class ImageRenderer(Protocol):
    """Makes the images of scenes and keeps them, wherever the work is done; several threads may use it."""

    def render_each(self, scene: Scene, orders: Iterable[ImageOrder]) -> Generator[ImageResult, None, None]:
        """A result for every order; orders are taken as their turn comes, since others may take some, too."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Renderer:
    """Makes the images of scenes in this process and keeps them; safe to use from several threads."""

    source: SceneSource
    folder: ImageFolder
    maker: ImageMaker

    def render(self, scene: Scene, orders: Iterable[ImageOrder]) -> list[ImageResult]:
        """Make images of one scene; one that fails does not stop the others."""
        return list(self.render_each(scene, orders))

    def render_each(self, scene: Scene, orders: Iterable[ImageOrder]) -> Generator[ImageResult, None, None]:
        """Make images of one scene as they are ordered, one after the other: an order is taken when its turn comes."""
        try:
            photo = self.source.pixels(scene)
        except BaseException as problem:
            # A source may come from a user's own file, and may raise anything.
            if is_ctrl_c(problem):
                raise
            yield from failed(orders, problem)
            return
        for made in self.maker.make_each(scene, photo, orders):
            yield kept(made, self.folder, self.maker.format.suffix)

    def close(self) -> None:
        self.maker.close()


def failed(orders: Iterable[ImageOrder], problem: BaseException) -> Iterator[ImageResult]:
    """What there is where one problem keeps all of these images from being made."""
    refuse_machine(problem)
    reason = sentence(problem)
    return (ImageResult(order.image, None, reason) for order in orders)


def kept(made: MadeImage, folder: ImageFolder, suffix: str) -> ImageResult:
    """Where an image is, now that it is in the run's folder; one that cannot be written there has failed."""
    if made.content is None:
        return ImageResult(made.image, None, made.problem)
    try:
        return ImageResult(made.image, folder.write(made.content, suffix), made.problem, made.discarded)
    except OSError as problem:
        refuse_machine(problem)
        if not folder.root.parent.exists():
            raise MachineFailed(gone(folder.root)) from problem
        return ImageResult(made.image, None, sentence(problem))


def gone(folder: Path) -> str:
    """What to say where a run's folder is not there any more."""
    return (
        f"The machine failed, and not the system: {folder} is gone. If the run was moved, go on with `anamorph resume` "
        "where it is now."
    )


def refuse_machine(problem: BaseException) -> None:
    """MachineFailed where no file can be opened any more: it is not the fault of a photo."""
    fault = machine_fault(problem)
    if fault is not None and fault.lasts:
        raise MachineFailed(f"{fault.message}.") from problem


def renderer_for(store: RunStore, config: Config, *, looks: bool = True) -> Renderer:
    """The renderer of a run, which the caller closes.

    Its inpainters, its painters and its segmenter are checked first, unless the system does not look at images.
    """
    source = config.scenes()
    maker = settled_maker(store, config, source) if looks else ImageMaker(config.settings.images, catalog.find)
    return Renderer(source, store.images, maker)


def settled_maker(store: RunStore, config: Config, source: SceneSource) -> ImageMaker:
    """What makes the images of a run, once it is sure that all it uses is what the run began with."""
    studio = RunStudio.of(config, store)
    settle_tools(store, studio)
    insertions, paintings = _recognition_checks(store, config, source)
    settings = config.settings.melt_check
    segmenter, fact = (RunSegmenter.of(config) if settings.enabled else None), SEGMENTER
    if segmenter is None and settings.enabled and settings.at_hand:
        segmenter, fact = RunSegmenter.at_hand(config), DETECTOR_AT_HAND
    check = None
    if segmenter is not None:
        try:
            settle_segmenter(store, segmenter, fact)
        except BaseException:
            segmenter.close()
            raise
        check = MeltCheck(segmenter, settings, at_hand=fact == DETECTOR_AT_HAND)
    format, stock = config.settings.images, stock_of(config.settings.cache)
    kept_images = None if stock is None else ImageStock(stock, format, studio)
    return ImageMaker(format, catalog.find, studio, check, insertions, paintings, kept_images, fill_check(settings))


def _recognition_checks(
    store: RunStore, config: Config, source: SceneSource
) -> tuple[InsertionCheck | None, PaintingCheck | None]:
    """The checks of inserted objects and of painted pictures, where the plan has any."""
    inserts, paints = (bool(values_in_edits(store, field)) for field in ("cutout", "painter"))
    if not inserts and not paints:
        return None, None
    recogniser, settings = recogniser_at_hand(config, source), config.settings.recognition
    settle_recogniser(store, recogniser)
    insertions = InsertionCheck(recogniser, settings) if inserts and recogniser is not None else None
    return insertions, PaintingCheck(recogniser, settings) if paints else None
