"""Making images from the photo of a scene: edits, checks and encoding, with no store and no scene source."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from anamorph.engine.render.fill_check import FillCheck
from anamorph.engine.render.insertion_check import InsertionCheck
from anamorph.engine.render.keeping import WORTH_KEEPING, ImageStock, KeptImage, KeyedCheck, SceneStock
from anamorph.engine.render.melt_check import MeltCheck
from anamorph.engine.render.painting_check import PaintingCheck
from anamorph.engine.render.plates import PlateStudio
from anamorph.errors import AnamorphError, MachineFault, machine_fault
from anamorph.model import Edit, Kinds, Picture, Pixels, Scene, Studio, decode
from anamorph.python_files import is_ctrl_c
from anamorph.store.images import ImageFormat

REMEMBERED_EDITS = 64


@dataclass(frozen=True, slots=True)
class ImageOrder:
    """One image to be made of a scene; `edits` is JSON."""

    image: int
    edits: str


@dataclass(frozen=True, slots=True)
class MadeImage:
    """An encoded image, or why it could not be made; one that a check `discarded` has both."""

    image: int
    content: bytes | None
    problem: str | None
    discarded: bool = False
    # Where the machine is to blame, and not the photo or an edit.
    fault: MachineFault | None = None


class Check(KeyedCheck, Protocol):
    """Looks at a picture before and after an edit."""

    def complaint(self, edit: Edit, before: Picture, after: Picture) -> str | None: ...


@dataclass(frozen=True, slots=True)
class ImageMaker:
    """Makes the images of a scene from its photo; safe to use from several threads."""

    format: ImageFormat
    kinds: Kinds
    studio: Studio | None = None
    check: MeltCheck | None = None
    insertions: InsertionCheck | None = None
    paintings: PaintingCheck | None = None
    # The images of earlier runs.
    stock: ImageStock | None = None
    fills: FillCheck | None = None
    _read: dict[str, tuple[Edit, ...]] = field(default_factory=dict, repr=False, compare=False)

    def make_each(self, scene: Scene, photo: Pixels, orders: Iterable[ImageOrder]) -> Iterator[MadeImage]:
        """Make images of one scene as they are ordered; one that fails does not stop the others."""
        studio = None if self.studio is None else PlateStudio(self.studio, photo)
        checks = self._checks(scene)
        stock = None if self.stock is None else self.stock.of_scene(scene, photo, checks)
        for order in orders:
            picture = Picture(photo, scene.things, studio)
            if stock is None or studio is None:
                yield self._one(picture, order, checks)
            else:
                yield self._kept_or_made(picture, order, checks, stock, studio)

    def close(self) -> None:
        if self.stock is not None:
            self.stock.stock.close()
        if self.check is not None:
            self.check.segmenter.close()

    def _checks(self, scene: Scene) -> list[Check]:
        """The checks of a scene's images, the cheapest first."""
        melts = None if self.check is not None and self.check.at_hand and scene.is_drawn else self.check
        fills = None if scene.is_drawn else self.fills
        return [check for check in (fills, melts, self.insertions, self.paintings) if check is not None]

    def _kept_or_made(
        self, picture: Picture, order: ImageOrder, checks: Sequence[Check], stock: SceneStock, studio: PlateStudio
    ) -> MadeImage:
        """An image of an earlier run, or one that is made now and kept if that took long."""
        try:
            key = stock.key_of(order.edits, self._edits(order.edits))
        except Exception:  # noqa: BLE001  what is wrong with an edit is said when it is applied
            key = None
        if key is None:
            return self._one(picture, order, checks)
        found = stock.get(key)
        if found is not None:
            return MadeImage(order.image, found.content, found.problem, found.discarded)
        studio.begin()
        begun = time.thread_time()
        made = self._one(picture, order, checks)
        worth = studio.worth_keeping(time.thread_time() - begun >= WORTH_KEEPING)
        # An edit that used a tool which its settings do not name would be kept by too little.
        if made.content is not None and worth and studio.used <= key.tools:
            stock.put(key, KeptImage(made.content, made.problem, made.discarded))
        return made

    def _one(self, picture: Picture, order: ImageOrder, checks: Sequence[Check]) -> MadeImage:
        try:
            for edit in self._edits(order.edits):
                refusals = (check.refusal(edit, picture) for check in checks if isinstance(check, FillCheck))
                refusal = next(filter(None, refusals), None)
                if refusal is not None:
                    # It is not made: what is kept to be looked at is the image without it.
                    return MadeImage(order.image, self.format.encode(picture.pixels), refusal, discarded=True)
                edited = edit.apply(picture)
                said = (check.complaint(edit, picture, edited) for check in checks)
                complaint = next(filter(None, said), None)
                if complaint is not None:
                    return MadeImage(order.image, self.format.encode(edited.pixels), complaint, discarded=True)
                picture = edited
            return MadeImage(order.image, self.format.encode(picture.pixels), None)
        except BaseException as problem:
            # An edit may come from a user's own file, and may raise anything.
            if is_ctrl_c(problem):
                raise
            return MadeImage(order.image, None, sentence(problem), fault=machine_fault(problem))

    def _edits(self, text: str) -> tuple[Edit, ...]:
        """The edits of an order; methods often order the same for every scene, so recent ones are remembered."""
        edits = self._read.get(text)
        if edits is None:
            if len(self._read) >= REMEMBERED_EDITS:
                self._read.clear()
            edits = self._read[text] = edits_from_json(text, self.kinds)
        return edits


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
