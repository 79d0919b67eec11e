"""The cases of a contact sheet, drawn evenly from the photos of a run, with both images made."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from random import Random
from typing import Any

from anamorph import catalog
from anamorph.config import Config
from anamorph.engine.render.maker import ImageOrder
from anamorph.engine.render.renderer import ImageResult, Renderer, renderer_for
from anamorph.errors import BadPicture
from anamorph.model import Pixels, Scene, decode
from anamorph.report.wording import in_words
from anamorph.store.answers import PendingProbe, probes_by_id, record_image, scene_of
from anamorph.store.pictures import discarded_pictures
from anamorph.store.run import RunStore
from anamorph.store.verdicts import cases_by_id, cases_with_scenes
from anamorph.studies.review.sampling import in_turn


@dataclass(frozen=True, slots=True, eq=False)
class SheetCase:
    """A source, its follow-up, and what was done in between, in words; `problem` where it was discarded."""

    name: str
    words: str
    source: Pixels
    follow_up: Pixels
    problem: str | None = None


@dataclass(slots=True)
class SheetCounts:
    """How many cases were passed over because an image was discarded or is missing."""

    discarded: int = 0
    missing: int = 0


def sheet_cases(
    store: RunStore, config: Config, most: int, counts: SheetCounts, *, method: str | None = None
) -> Iterator[SheetCase]:
    """At most this many cases of a plan, each photo once before any comes twice; images that are missing are made.

    A case whose image the melt check discards is passed over, since nothing would be asked about it.
    """
    grouped = ((scene, case) for case, scene in cases_with_scenes(store, method))
    with closing(_Images(store, config)) as images:
        order = in_turn(grouped, Random(f"{config.settings.seed}:sheet"))
        found = (_case(store, case, images, counts) for case in order)
        yield from itertools.islice((case for case in found if case is not None), most)


def sheet_discards(store: RunStore, config: Config, most: int, counts: SheetCounts) -> Iterator[SheetCase]:
    """At most this many images that the melt check discarded, beside their photos."""
    made = 0
    for id, edits, file, problem, body, photo in discarded_pictures(store):
        if made == most:
            return
        scene = decode(Scene, json.loads(body), catalog.find)
        try:
            if file is None:
                raise BadPicture("It was not kept.")
            if photo is None and not config.trusted:
                raise BadPicture("Its photo was not kept.")
            before = store.images.pixels(photo) if photo else config.scenes().pixels(scene)
            after = store.images.pixels(file)
        except BadPicture:
            counts.missing += 1
            continue
        made += 1
        labels = {thing.id: thing.label for thing in scene.things}
        yield SheetCase(f"image {id} {scene.id}", _done(json.loads(edits), (), labels), before, after, problem)


class _Images:
    """The images of probes: stored ones, or made now where the run may be carried out."""

    def __init__(self, store: RunStore, config: Config) -> None:
        self._store, self._config = store, config
        self._renderer: Renderer | None = None

    def pixels(self, scene: Scene, probes: Sequence[PendingProbe]) -> list[Pixels | None]:
        """One for each probe; None for an image that was discarded, and BadPicture for one that cannot be made."""
        files = {probe.image: probe.file for probe in probes}
        discarded = (self._store.count("images", f"discarded AND id = {int(probe.image)}") for probe in probes)
        lost = {probe.image for probe, gone in zip(probes, discarded, strict=True) if gone}
        orders = {
            probe.image: ImageOrder(probe.image, probe.edits)
            for probe in probes
            if probe.image not in lost and (probe.file is None or self._store.images.find(probe.file) is None)
        }
        for result in self._made(scene, list(orders.values())) if orders else ():
            with self._store.transaction():
                record_image(self._store, result.image, result.file, result.problem, discarded=result.discarded)
            if result.discarded:
                lost.add(result.image)
            elif result.file is None:
                raise BadPicture(result.problem or "It could not be made.")
            files[result.image] = result.file
        kept = [None if probe.image in lost else files[probe.image] for probe in probes]
        return [None if file is None else self._store.images.pixels(file) for file in kept]

    def close(self) -> None:
        if self._renderer is not None:
            self._renderer.close()

    def _made(self, scene: Scene, orders: Sequence[ImageOrder]) -> list[ImageResult]:
        if not self._config.trusted or self._store.lock is None:
            raise BadPicture("It was not made yet.")
        if self._renderer is None:
            self._renderer = renderer_for(self._store, self._config)
        return self._renderer.render(scene, orders)


def _case(store: RunStore, case: int, images: _Images, counts: SheetCounts) -> SheetCase | None:
    (planned,) = cases_by_id(store, [case])
    source, *rest = probes_by_id(store, planned.probes)
    follow_up = next((probe for probe in rest if probe.image != source.image), None)
    if follow_up is None:
        return None
    scene = scene_of(store, source.scene, catalog.find)
    try:
        before, after = images.pixels(scene, [source, follow_up])
    except BadPicture:
        counts.missing += 1
        return None
    if before is None or after is None:
        counts.discarded += 1
        return None
    labels = {thing.id: thing.label for thing in scene.things}
    words = _done(json.loads(follow_up.edits), json.loads(source.edits), labels)
    return SheetCase(f"{planned.digest[:8]} {planned.method} {planned.relation} {scene.id}", words, before, after)


def _done(edits: Sequence[Any], before: Sequence[Any], labels: dict[str, str]) -> str:
    """The edits of the follow-up and, after "from", those of the source."""
    done = "; ".join(in_words(edit, labels) for edit in edits)
    return f"{done} | source: {'; '.join(in_words(edit, labels) for edit in before)}" if before else done
