"""The functions of the library: run, plan, judge, read, open_run."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from anamorph.api.inputs import MethodsLike, Request, ScenesLike, SystemLike, plain_settings, request_of
from anamorph.api.runs import Progress, Run, show
from anamorph.config import Config, resolve
from anamorph.engine.default_method import require_methods
from anamorph.engine.events import Event
from anamorph.engine.plan import plan_stage
from anamorph.engine.preflight import Preflight, check_output, is_untouched
from anamorph.engine.run import carry_out, start
from anamorph.errors import UsageError
from anamorph.model import Answer, AnswerReading, CaptionReading, Unreadable
from anamorph.report.baseline.file import ChosenBaseline, choose_baseline
from anamorph.store.run import RUN_FILE, RunStore
from anamorph.store.signing import sign
from anamorph.studies.judge.files import BadLine, RecordedLine, rows_of
from anamorph.studies.judge.judge import DEFAULT, JudgedRow, TranscriptJudge


def run(
    system: SystemLike,
    scenes: ScenesLike,
    methods: MethodsLike | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    seed: int = 7,
    limit: int | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: Progress = None,
    baseline: str | os.PathLike[str] | None = None,
    fail_on_new: bool = False,
) -> Run:
    """Plan, render, ask and judge; gives the finished run, which is kept in the folder `out`.

    `system` is any callable, a System, or the short form of the command line; `scenes` a folder, the short form, a list
    of arrays, images, paths or Scenes, or a SceneSource; `methods` names or objects, by default crosscheck for a system
    that takes questions and deeptest for others. `settings` is a table as in a configuration file. Against the file
    `baseline`, only what it does not know counts for the gate; with `fail_on_new`, any new cause fails it. A problem
    with any of them is raised before anything is asked, and leaves no folder behind.
    """
    chosen = _baseline(baseline, fail_on_new)
    folder = _folder(out)
    request = request_of(system, scenes, methods, folder=folder, seed=seed, limit=limit, settings=settings)
    request.config.settings.gate.require_baseline(chosen)
    with Preflight(request.config, folder) as preflight:
        config = preflight.checked()
        with _started(request, folder) as store:
            _show(store, request, _all_events(store, request, config), progress)
    return Run(folder, request.config, baseline=chosen)


def plan(
    system: SystemLike | None,
    scenes: ScenesLike,
    methods: MethodsLike | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    seed: int = 7,
    limit: int | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: Progress = None,
) -> Run:
    """Plan only, to see what would be asked; `Run.resume` carries it out.

    Takes what `run` takes; the system may be None, and be given to `resume`. Without `out` the plan lies in a temporary
    folder that is removed with the object.
    """
    with contextlib.ExitStack() as undo:
        place = Path(tempfile.mkdtemp(prefix="anamorph-plan-")) if out is None else None
        if place is not None:
            undo.callback(shutil.rmtree, place, ignore_errors=True)
        folder = _folder(out) if place is None else place / "run"
        request = request_of(system, scenes, methods, folder=folder, seed=seed, limit=limit, settings=settings)
        require_methods(request.config)
        request.config.scenes()
        check_output(folder)
        with _started(request, folder) as store:
            _show(store, request, _planning(store, request), progress)
        undo.pop_all()
    return Run(folder, request.config, place)


def open_run(
    path: str | os.PathLike[str], *, baseline: str | os.PathLike[str] | None = None, fail_on_new: bool = False
) -> Run:
    """A run on disk, whoever made it; against a baseline, where one is given."""
    return Run(Path(path), baseline=_baseline(baseline, fail_on_new))


def _baseline(path: str | os.PathLike[str] | None, fail_on_new: bool) -> ChosenBaseline | None:
    return choose_baseline(None if path is None else Path(path), fail_on_new=fail_on_new)


def judge(
    rows: Iterable[Mapping[str, Any]] | str | os.PathLike[str],
    *,
    profile: str = DEFAULT,
    settings: Mapping[str, Any] | None = None,
) -> Iterator[JudgedRow | BadLine]:
    """Judge recorded outputs: tables as `anamorph judge` reads them, or the path of a file of them.

    A row that cannot be judged comes back as a BadLine that says why; a row without an id gets its number.
    """
    judging = TranscriptJudge(resolve(plain_settings(settings), "settings").readers(), profile)
    if isinstance(rows, str | os.PathLike):
        path = Path(rows)
        if not path.is_file():
            raise UsageError(f"{path}: there is no such file to judge.")
        return _judged_file(judging, path)
    if not isinstance(rows, Iterable) or isinstance(rows, Mapping):
        raise UsageError(f"rows: expected tables or the path of a file, got a {type(rows).__name__}.")
    return judging.judge_all(_lines(rows))


def read(
    text: str, question: str | None = None, *, settings: Mapping[str, Any] | None = None
) -> CaptionReading | AnswerReading | Unreadable:
    """The reading of a caption or, with a `question`, of an answer to it."""
    if not isinstance(text, str):
        raise UsageError(f"text: expected a string, got a {type(text).__name__}.")
    readers = resolve(plain_settings(settings), "settings").readers()
    reading = readers.read("caption" if question is None else "answer", Answer(text), question)
    assert isinstance(reading, CaptionReading | AnswerReading | Unreadable)
    return reading


def _folder(out: str | os.PathLike[str] | None) -> Path:
    if out is not None:
        return Path(out)
    name = time.strftime("runs/%Y%m%d-%H%M%S")
    places = (Path(name if number == 1 else f"{name}-{number}") for number in range(1, 10_000))
    return next(place for place in places if not (place / RUN_FILE).exists())


def _started(request: Request, folder: Path) -> RunStore:
    store = start(request.config, folder)
    try:
        if request.photos is not None:
            request.photos.write(folder)
    except BaseException:
        store.discard()
        raise
    return store


def _all_events(store: RunStore, request: Request, config: Config) -> Iterator[Event]:
    yield from _planning(store, request)
    yield from carry_out(store, config)


def _planning(store: RunStore, request: Request) -> Iterator[Event]:
    yield from plan_stage(store, request.config)
    if request.photos is not None:
        # The plan has the scenes, so from now on a folder of photos is enough, also for another process.
        stored = {**request.config.plain, "scenes": request.photos.stored_part(store.folder)}
        with store.transaction():
            store.set_fact("config", stored)
            sign(store)


def _show(store: RunStore, request: Request, events: Iterator[Event], progress: Progress) -> None:
    try:
        show(events, progress, store.folder)
    except BaseException as problem:
        if (isinstance(problem, UsageError) or not store.fact("planned")) and is_untouched(store):
            if request.photos is not None:
                request.photos.remove(store.folder)
            store.discard()
        raise


def _lines(rows: Iterable[Any]) -> Iterator[RecordedLine | BadLine]:
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            yield BadLine(number, f"expected a table, got a {type(row).__name__}.")
            continue
        plain = {key: list(value) if isinstance(value, tuple) else value for key, value in row.items()}
        yield RecordedLine(number, {"id": number, **plain})


def _judged_file(judging: TranscriptJudge, path: Path) -> Iterator[JudgedRow | BadLine]:
    with path.open("rb") as file:
        yield from judging.judge_all(rows_of(file, path.name))
