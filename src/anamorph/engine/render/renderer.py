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
from anamorph.engine.recogniser import recogniser_of
from anamorph.engine.render.fill_check import fill_check
from anamorph.engine.render.insertion_check import InsertionCheck
from anamorph.engine.render.keeping import ImageStock
from anamorph.engine.render.maker import ImageMaker, ImageOrder, MadeImage, sentence
from anamorph.engine.render.melt_check import MeltCheck
from anamorph.engine.render.painting_check import PaintingCheck
from anamorph.engine.segmenter import RunSegmenter, detector_of, settle_segmenter
from anamorph.engine.studio import RunStudio, settle_tools
from anamorph.errors import MachineFailed, MachineFault, machine_fault
from anamorph.model import Scene, SceneSource
from anamorph.python_files import is_ctrl_c
from anamorph.store.images import ImageFolder
from anamorph.store.plans import values_in_edits
from anamorph.store.run import RunStore


@dataclass(frozen=True, slots=True)
class ImageResult:
    """Where an image is, or why it could not be made; one that a check `discarded` has both, to be looked at."""

    image: int
    file: str | None
    problem: str | None
    discarded: bool = False
    # Where the machine is to blame, and not the photo or an edit.
    fault: MachineFault | None = None

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
    if isinstance(problem, MachineFailed):
        raise problem
    fault = _bearable(machine_fault(problem))
    reason = sentence(problem) if fault is None else fault.message
    return (ImageResult(order.image, None, reason, fault=fault) for order in orders)


def kept(made: MadeImage, folder: ImageFolder, suffix: str) -> ImageResult:
    """Where an image is, now that it is in the run's folder; MachineFailed where it cannot be written there."""
    if made.content is None:
        fault = _bearable(made.fault)
        return ImageResult(made.image, None, made.problem if fault is None else fault.message, fault=fault)
    try:
        return ImageResult(made.image, folder.write(made.content, suffix), made.problem, made.discarded)
    except OSError as problem:
        # Names and folders are ours, so whatever keeps one image from being written keeps the others.
        if not folder.root.parent.exists():
            raise MachineFailed(gone(folder.root)) from problem
        said = f"The machine failed, and not the system: no image can be written in {folder.root} ({problem})."
        raise MachineFailed(said) from problem


def gone(folder: Path) -> str:
    """What to say where a run's folder is not there any more."""
    return (
        f"The machine failed, and not the system: {folder} is gone. If the run was moved, go on with `anamorph resume` "
        "where it is now."
    )


def _bearable(fault: MachineFault | None) -> MachineFault | None:
    """A fault that other images need not meet; MachineFailed for one that lasts."""
    if fault is not None and fault.lasts:
        raise MachineFailed(f"{fault.message}.")
    return fault


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
    segmenter, at_hand = (RunSegmenter.of(config) if settings.enabled else None), False
    if segmenter is not None:
        try:
            settle_segmenter(store, segmenter)
        except BaseException:
            segmenter.close()
            raise
    elif settings.enabled and settings.at_hand:
        segmenter, at_hand = detector_of(store, config), True
    check = None if segmenter is None else MeltCheck(segmenter, settings, at_hand=at_hand)
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
    recogniser, settings = recogniser_of(store, config, source), config.settings.recognition
    insertions = InsertionCheck(recogniser, settings) if inserts and recogniser is not None else None
    return insertions, PaintingCheck(recogniser, settings) if paints else None
