"""Requests for a system that is asked elsewhere: every image made, and one JSON line per probe."""

from __future__ import annotations

import functools
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from anamorph import catalog
from anamorph.concurrency.ordered import in_order
from anamorph.config import Config
from anamorph.config.parts import part_of
from anamorph.engine.ask.posing import Posing
from anamorph.engine.events import Advised, Event, RequestsWritten, StageBegan
from anamorph.engine.prove.evidence import REQUESTS_FORM
from anamorph.engine.render.cuttings import made_from_wholes
from anamorph.engine.render.maker import ImageOrder
from anamorph.engine.render.renderer import ImageResult, event_of, renderer_for
from anamorph.engine.render.workforce import workforce_for
from anamorph.errors import UsageError
from anamorph.model import Ask, BatchLines, Scene, System
from anamorph.model.protocols import SystemOptions
from anamorph.store.answers import Asked, PendingProbe, count_pending, pending_probes, record_image, scene_of
from anamorph.store.own_files import open_own
from anamorph.store.plans import PLAN_ROUNDS
from anamorph.store.proofs import ROUNDS
from anamorph.store.run import RunStore

# The facts that keep the form of requests, and how many answers to closed questions are awaited.
FORM, WAITING = REQUESTS_FORM, "requests_waiting"
# The form of lines that is our own.
OWN_LINES = "lines"


class RequestFiles:
    """Writes lines, our own or those of a provider's batch API; where a file would be too large, the next one begins.

    Our own are those that a `command:` system gets, {"id", "image", "question"}.
    """

    def __init__(self, path: Path, batch: BatchLines | None = None, posing: Posing | None = None) -> None:
        self.paths: list[Path] = []
        self.lines = 0
        self._first, self._batch, self._posing = path, batch, posing
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
        """Write the requests of a probe whose image is made, one for each repeat that it lacks."""
        path = store.images.path(file).absolute()
        question = probe.question if self._posing is None else self._posing.of(probe.question)
        load = functools.partial(store.images.pixels, file)
        for attempt in probe.attempts:
            if self._batch is None:
                plain: dict[str, Any] = {"id": probe.digest, "image": str(path), "question": question}
                plain |= {"attempt": attempt} if attempt else {}
                self._write(json.dumps(plain, ensure_ascii=False).encode("utf-8", "backslashreplace"))
                continue
            custom_id = f"{probe.digest}-{attempt}" if attempt else probe.digest
            self._write(self._batch.line(Ask(probe.digest, question, path, load, attempt), custom_id))

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
        self._file = open_own(path, "anew")
        self.paths.append(path)
        self._lines_here = self._bytes_here = 0


def keep_form(store: RunStore, format_name: str, system: Any) -> None:
    """Keep in which form requests were written, so that those of later rounds are written alike."""
    with store.transaction():
        store.set_fact(FORM, {"format": format_name, "system": system})


def write_next_requests(store: RunStore, config: Config, system: System) -> Iterator[Event]:
    """Write the closed questions that a system lacks whose answers are made elsewhere, for the next round."""
    repeats = config.settings.ask.repeats
    missing = count_pending(store, repeats, "proving") if SystemOptions.offline.of(system) is not None else 0
    with store.transaction():
        store.set_fact(WAITING, missing)
    if not missing:
        return
    rounds = int(store.fact(PLAN_ROUNDS, 0)) + int(store.fact(ROUNDS, 0))
    path = store.folder / f"requests-{rounds + 1}.jsonl"
    form = store.fact(FORM, {})
    table = form.get("system")
    # Only a provider's batches need the system, and perhaps its key.
    wanted = form.get("format", OWN_LINES) != OWN_LINES and isinstance(table, Mapping) and config.trusted
    asked = part_of({"system": table}, "system") if wanted else None
    try:
        batch = None if asked is None else SystemOptions.batch_lines.of(asked)
        if batch is not None and batch.format != form.get("format"):
            batch = None
        # Whoever answers elsewhere is told the form of the answer.
        with RequestFiles(path, batch, Posing(config.settings.questions, instructs=True)) as files:
            for _ in write_requests(store, config, files, repeats, "proving"):
                pass
    finally:
        if asked is not None:
            asked.close()
    yield RequestsWritten(files.lines, tuple(map(str, files.paths)))


def write_requests(
    store: RunStore, config: Config, files: RequestFiles, repeats: int = 1, which: Asked = "planned"
) -> Iterator[Event]:
    """Make the images of all probes without an answer, and write their requests."""
    yield StageBegan("render", store.count("images", "file IS NULL AND NOT discarded"))
    workforce = workforce_for(store, config, renderer_for(store, config))
    if workforce.advice is not None:
        yield Advised(workforce.advice)
    with closing(workforce.renderer) as renderer:

        def render(group: tuple[Scene, list[PendingProbe]]) -> tuple[list[PendingProbe], list[ImageResult]]:
            scene, probes = group
            images = {probe.image: probe.edits for probe in probes if probe.file is None}
            return probes, list(renderer.render_each(scene, [ImageOrder(*each) for each in images.items()]))

        refused: set[int] = set()
        if which != "planned":
            refused = _make_from_wholes(store, config, repeats, which)
        with closing(in_order(render, _by_scene(store, repeats, which, refused), workforce.threads)) as made:
            for probes, results in made:
                yield from _written(store, probes, results, files)


def _make_from_wholes(store: RunStore, config: Config, repeats: int, which: Asked) -> set[int]:
    """Make crops and collages of the images that they are of; gives those that cannot be made."""
    refused: set[int] = set()
    for scene, probes in groupby(list(pending_probes(store, repeats, which)), key=lambda probe: probe.scene):
        missing = {probe.image: probe.edits for probe in probes if probe.file is None}
        with store.transaction():
            for result in made_from_wholes(store, config.settings.images, scene, missing):
                record_image(store, result.image, result.file, result.problem)
                if result.file is None:
                    refused.add(result.image)
    return refused


def _by_scene(
    store: RunStore, repeats: int, which: Asked, refused: Collection[int]
) -> Iterator[tuple[Scene, list[PendingProbe]]]:
    for scene, probes in groupby(pending_probes(store, repeats, which), key=lambda probe: probe.scene):
        yield scene_of(store, scene, catalog.find), [probe for probe in probes if probe.image not in refused]


def _written(
    store: RunStore, probes: Sequence[PendingProbe], results: Sequence[ImageResult], files: RequestFiles
) -> Iterator[Event]:
    made = {probe.image: probe.file for probe in probes if probe.file is not None}
    made |= {result.image: result.usable_file for result in results if result.usable_file is not None}
    with store.transaction():
        for result in results:
            record_image(store, result.image, result.file, result.problem, discarded=result.discarded)
    for probe in probes:
        if probe.image in made:
            files.add(store, probe, made[probe.image])
    for result in results:
        count = sum(probe.image == result.image for probe in probes)
        yield event_of(result, count)
