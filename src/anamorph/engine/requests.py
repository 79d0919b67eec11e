"""Requests for a system that is asked elsewhere: every image made, and one JSON line per probe."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from anamorph import catalog
from anamorph.concurrency.ordered import in_order
from anamorph.config import Config
from anamorph.engine.events import Advised, Event, StageBegan
from anamorph.engine.render.maker import ImageOrder
from anamorph.engine.render.renderer import ImageResult, event_of, renderer_for
from anamorph.engine.render.workforce import workforce_for
from anamorph.errors import UsageError
from anamorph.model import Ask, BatchLines, Scene
from anamorph.store.answers import PendingProbe, pending_probes, record_image, scene_of
from anamorph.store.run import RunStore


class RequestFiles:
    """Writes lines, our own or those of a provider's batch API; where a file would be too large, the next one begins.

    Our own are those that a `command:` system gets, {"id", "image", "question"}.
    """

    def __init__(self, path: Path, batch: BatchLines | None = None) -> None:
        self.paths: list[Path] = []
        self.lines = 0
        self._first, self._batch = path, batch
        self._file: BinaryIO | None = None
        self._lines_here = self._bytes_here = 0

    def __enter__(self) -> RequestFiles:
        # There is a file even where there is nothing to ask.
        self._next_file()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, store: RunStore, probe: PendingProbe, file: str) -> None:
        """Write the request of a probe whose image is made; a batch has one for each repeat."""
        path = store.images.path(file).absolute()
        if self._batch is None:
            plain = {"id": probe.digest, "image": str(path), "question": probe.question}
            self._write(json.dumps(plain, ensure_ascii=False).encode("utf-8", "backslashreplace"))
            return
        load = functools.partial(store.images.pixels, file)
        for attempt in probe.attempts:
            custom_id = f"{probe.digest}-{attempt}" if attempt else probe.digest
            self._write(self._batch.line(Ask(probe.digest, probe.question, path, load, attempt), custom_id))

    def _write(self, line: bytes) -> None:
        size, batch = len(line) + 1, self._batch
        if batch is not None:
            if size > batch.most_bytes:
                raise UsageError(
                    f"A request has {size:,} bytes, and a file of {batch.format} at most {batch.most_bytes:,}."
                )
            if self._lines_here >= batch.most_lines or self._bytes_here + size > batch.most_bytes:
                self._next_file()
        assert self._file is not None
        self._file.write(line + b"\n")
        self.lines += 1
        self._lines_here += 1
        self._bytes_here += size

    def _next_file(self) -> None:
        if self._file is not None:
            self._file.close()
        number = len(self.paths) + 1
        path = self._first
        if number > 1:
            path = path.with_name(f"{path.stem}-{number}{path.suffix}")
        self._file = path.open("wb")
        self.paths.append(path)
        self._lines_here = self._bytes_here = 0


def write_requests(store: RunStore, config: Config, files: RequestFiles, repeats: int = 1) -> Iterator[Event]:
    """Make the images of all probes without an answer, and write their requests."""
    yield StageBegan("ask", store.count("probes"))
    workforce = workforce_for(store, config, renderer_for(store, config))
    if workforce.advice is not None:
        yield Advised(workforce.advice)
    with closing(workforce.renderer) as renderer:

        def render(group: tuple[Scene, list[PendingProbe]]) -> tuple[list[PendingProbe], list[ImageResult]]:
            scene, probes = group
            images = {probe.image: probe.edits for probe in probes}
            return probes, list(renderer.render_each(scene, [ImageOrder(*each) for each in images.items()]))

        with closing(in_order(render, _by_scene(store, repeats), workforce.threads)) as made:
            for probes, results in made:
                yield from _written(store, probes, results, files)


def _by_scene(store: RunStore, repeats: int) -> Iterator[tuple[Scene, list[PendingProbe]]]:
    for scene, probes in groupby(pending_probes(store, repeats), key=lambda probe: probe.scene):
        yield scene_of(store, scene, catalog.find), list(probes)


def _written(
    store: RunStore, probes: Sequence[PendingProbe], results: Sequence[ImageResult], files: RequestFiles
) -> Iterator[Event]:
    made = {result.image: result.usable_file for result in results if result.usable_file is not None}
    with store.transaction():
        for result in results:
            record_image(store, result.image, result.file, result.problem, discarded=result.discarded)
    for probe in probes:
        if probe.image in made:
            files.add(store, probe, made[probe.image])
    for result in results:
        count = sum(probe.image == result.image for probe in probes)
        yield event_of(result, count)
