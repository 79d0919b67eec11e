"""The recipe for a run's images: plain data from which another process, here or elsewhere, makes them exactly alike."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anamorph import catalog
from anamorph.config import Config, resolve
from anamorph.engine.kept import stock_of
from anamorph.engine.recogniser import Recogniser, recogniser_like
from anamorph.engine.render.fill_check import fill_check
from anamorph.engine.render.insertion_check import InsertionCheck
from anamorph.engine.render.keeping import ImageStock
from anamorph.engine.render.maker import ImageMaker, ImageOrder, MadeImage
from anamorph.engine.render.melt_check import MeltCheck
from anamorph.engine.render.painting_check import PaintingCheck
from anamorph.engine.segmenter import RunSegmenter
from anamorph.engine.studio import RunStudio, identity_of_tool, tools_of
from anamorph.errors import RunError
from anamorph.model import Pixels, Scene
from anamorph.pools.folder import JoinedPools, Pool
from anamorph.store.plans import values_in_edits
from anamorph.store.run import RunStore

# What images depend on; the system's settings, which may name secrets, stay where the run is driven.
_SETTINGS = (
    "cache",
    "images",
    "inpainters",
    "load",
    "melt_check",
    "painters",
    "recognition",
    "segmenter",
    "segmenting",
)


@dataclass(frozen=True, slots=True)
class RenderRecipe:
    """How to make the images of a run, without its store and its scene source; it can be pickled.

    Whatever must be settled with the store was settled where the recipe was made. What was found there, the digests of
    weights and files, is in the recipe, and a process in which anything differs refuses to make images.
    """

    plain: Mapping[str, Any]
    trusted: bool
    # Relative paths begin here.
    directory: str
    pools: tuple[str, ...]
    tools: Mapping[str, Mapping[str, Any]]
    loaded: Mapping[str, str]
    segmenter: Mapping[str, Any] | None = None
    at_hand: bool = False
    recogniser: Mapping[str, Any] | None = None
    inserts: bool = False
    paints: bool = False

    def maker(self) -> ImageMaker:
        """What makes the images, in a process whose working directory is the recipe's; the caller closes it."""
        for file, sha256 in self.loaded.items():
            if _sha256(file) != sha256:
                raise _differs(f"the file {file}")
        config = resolve(self.plain, "the recipe for images", trusted=self.trusted)
        studio = RunStudio(
            config.inpainters(), JoinedPools(tuple(Pool.open(Path(each)) for each in self.pools)), config.painters()
        )
        for group, find in tools_of(studio).items():
            for name, identity in self.tools.get(group, {}).items():
                if identity_of_tool(find(name)) != identity:
                    raise _differs(f"the {catalog.singular(group)} {name!r}")
        settings, recogniser = config.settings, self._recogniser(config)
        stock = stock_of(settings.cache)
        return ImageMaker(
            settings.images,
            catalog.find,
            studio,
            self._melt_check(config),
            InsertionCheck(recogniser, settings.recognition) if self.inserts and recogniser is not None else None,
            PaintingCheck(recogniser, settings.recognition) if self.paints else None,
            None if stock is None else ImageStock(stock, settings.images, studio),
            fill_check(settings.melt_check),
        )

    def _recogniser(self, config: Config) -> Recogniser | None:
        if self.recogniser is None:
            return None
        found = recogniser_like(config, self.recogniser)
        if found is None:
            raise _differs("what recognises objects")
        return found

    def _melt_check(self, config: Config) -> MeltCheck | None:
        if self.segmenter is None:
            return None
        segmenter = RunSegmenter.at_hand(config, self.segmenter) if self.at_hand else RunSegmenter.of(config)
        if segmenter is None or dict(segmenter.identity) != dict(self.segmenter):
            if segmenter is not None:
                segmenter.close()
            raise _differs("the segmenter of the melt check")
        return MeltCheck(segmenter, config.settings.melt_check, at_hand=self.at_hand)


def recipe_of(store: RunStore, config: Config, maker: ImageMaker) -> RenderRecipe:
    """The recipe of what `maker` makes, which was settled with the store."""
    studio, check = maker.studio, maker.check
    recognising = maker.insertions or maker.paintings
    recogniser = None if recognising is None else recognising.recogniser
    return RenderRecipe(
        plain={name: config.plain[name] for name in _SETTINGS if name in config.plain},
        trusted=config.trusted,
        directory=str(Path.cwd()),
        pools=tuple(str(pool.folder.absolute()) for pool in studio.pools.pools)
        if isinstance(studio, RunStudio)
        else (),
        tools={group: store.fact(group, {}) for group in ("inpainters", "painters")},
        loaded={file: _sha256(file) for file in config.settings.load},
        segmenter=None if check is None else dict(check.segmenter.identity),
        at_hand=check is not None and check.at_hand,
        recogniser=None if recogniser is None else dict(recogniser.identity),
        inserts=maker.insertions is not None,
        paints=maker.paintings is not None,
    )


def only_here(store: RunStore, config: Config) -> str | None:
    """What the run's images need and only this program has, in words; None where another process can make them."""
    files = {Path(file).resolve() for file in config.settings.load}
    for group, kind in _extensions_used(store, config):
        if catalog.is_from_program(group, kind, files):
            return f"the {catalog.singular(group)} {kind!r}"
    return None


def _extensions_used(store: RunStore, config: Config) -> Iterator[tuple[str, str]]:
    yield from (("edits", kind) for kind in sorted(values_in_edits(store, "kind")))
    for group in ("inpainters", "painters"):
        yield from ((group, name) for name in sorted(values_in_edits(store, catalog.singular(group))))
    if "segmenter" in config.plain:
        yield "segmenters", config.plain["segmenter"]["kind"]


def go_to(directory: str) -> None:
    """Work in a run's directory, if this machine has it; that of an earlier run in this process may be gone by now."""
    if Path(directory).is_dir():
        os.chdir(directory)
        return
    try:
        Path.cwd()
    except FileNotFoundError:
        os.chdir(tempfile.gettempdir())


class RenderWorker:
    """Makes images by a recipe in a process that does nothing else, whoever started it."""

    def __init__(self, recipe: RenderRecipe) -> None:
        go_to(recipe.directory)
        self._maker = recipe.maker()

    def make(self, scene: Scene, photo: Pixels, orders: Iterable[ImageOrder]) -> Iterator[MadeImage]:
        """Make images of one scene from its photo as they are ordered; one that fails does not stop the others."""
        # What comes from shared memory cannot be written to, and an edit may be a user's own.
        return self._maker.make_each(scene, photo if photo.flags.writeable else photo.copy(), orders)

    def close(self) -> None:
        self._maker.close()


def _differs(what: str) -> RunError:
    return RunError(f"Images cannot be made here: {what} is not the one that the run has.")


def _sha256(file: str) -> str:
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return ""
