"""Handing probes out to be answered elsewhere: every image made, and one JSON line per probe."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import TextIO

from anamorph import catalog
from anamorph.config import Config
from anamorph.engine.events import Discarded, Event, Rendered, RenderFailed, StageBegan
from anamorph.engine.render.renderer import ImageOrder, Renderer, renderer_for
from anamorph.store.answers import PendingProbe, pending_probes, record_image, scene_of
from anamorph.store.discards import is_discard
from anamorph.store.run import RunStore


def export_requests(store: RunStore, config: Config, path: Path) -> Iterator[Event]:
    """Write `{"id", "image", "question"}` lines, as a `command:` system gets them, for all probes without an answer."""
    yield StageBegan("ask", store.count("probes"))
    threads = config.settings.ask.render_threads
    with (
        closing(renderer_for(store, config)) as renderer,
        ThreadPoolExecutor(threads) as pool,
        path.open("w", encoding="utf-8") as lines,
    ):
        batch: list[list[PendingProbe]] = []
        for _, members in groupby(pending_probes(store, repeats=1), key=lambda probe: probe.scene):
            batch.append(list(members))
            if len(batch) >= 4 * threads:
                yield from _export(store, renderer, pool, batch, lines)
                batch = []
        yield from _export(store, renderer, pool, batch, lines)


def _export(
    store: RunStore, renderer: Renderer, pool: ThreadPoolExecutor, batch: list[list[PendingProbe]], lines: TextIO
) -> Iterator[Event]:
    scenes = [scene_of(store, probes[0].scene, catalog.find) for probes in batch]
    orders = [
        [ImageOrder(image, edits) for image, edits in {p.image: p.edits for p in probes}.items()] for probes in batch
    ]
    for probes, results in zip(batch, pool.map(renderer.render, scenes, orders), strict=True):
        files: dict[int, str] = {}
        with store.transaction():
            for result in results:
                record_image(store, result.image, result.file, result.problem)
                if result.file is not None:
                    files[result.image] = result.file
        for probe in probes:
            if probe.image not in files:
                continue
            image = str(store.images.path(files[probe.image]).absolute())
            lines.write(
                json.dumps({"id": probe.digest, "image": image, "question": probe.question}, ensure_ascii=False) + "\n"
            )
        for result in results:
            count = sum(probe.image == result.image for probe in probes)
            problem = result.problem
            if problem is None:
                yield Rendered(result.image)
            else:
                yield (Discarded if is_discard(problem) else RenderFailed)(result.image, count, problem)
