"""Requests for a system that is asked elsewhere: every image made, and one JSON line per probe."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import TextIO

from anamorph import catalog
from anamorph.concurrency.ordered import in_order
from anamorph.config import Config
from anamorph.engine.events import Event, StageBegan
from anamorph.engine.render.renderer import ImageOrder, ImageResult, event_of, renderer_for
from anamorph.model import Scene
from anamorph.store.answers import PendingProbe, pending_probes, record_image, scene_of
from anamorph.store.run import RunStore


def write_requests(store: RunStore, config: Config, path: Path) -> Iterator[Event]:
    """Write `{"id", "image", "question"}` lines, as a `command:` system gets them, for all probes without an answer."""
    yield StageBegan("ask", store.count("probes"))
    with closing(renderer_for(store, config)) as renderer, path.open("w", encoding="utf-8") as lines:

        def render(group: tuple[Scene, list[PendingProbe]]) -> tuple[list[PendingProbe], list[ImageResult]]:
            scene, probes = group
            images = {probe.image: probe.edits for probe in probes}
            return probes, renderer.render(scene, [ImageOrder(image, edits) for image, edits in images.items()])

        with closing(in_order(render, _by_scene(store), config.settings.ask.render_threads)) as made:
            for probes, results in made:
                yield from _written(store, probes, results, lines)


def _by_scene(store: RunStore) -> Iterator[tuple[Scene, list[PendingProbe]]]:
    for scene, probes in groupby(pending_probes(store, repeats=1), key=lambda probe: probe.scene):
        yield scene_of(store, scene, catalog.find), list(probes)


def _written(
    store: RunStore, probes: Sequence[PendingProbe], results: Sequence[ImageResult], lines: TextIO
) -> Iterator[Event]:
    files = {result.image: result.usable_file for result in results if result.usable_file is not None}
    with store.transaction():
        for result in results:
            record_image(store, result.image, result.file, result.problem, discarded=result.discarded)
    for probe in probes:
        if probe.image not in files:
            continue
        image = str(store.images.path(files[probe.image]).absolute())
        lines.write(
            json.dumps({"id": probe.digest, "image": image, "question": probe.question}, ensure_ascii=False) + "\n"
        )
    for result in results:
        count = sum(probe.image == result.image for probe in probes)
        yield event_of(result, count)
