"""The run behind an evaluation: one for each epoch, carried out by the engine while samples call the model."""

from __future__ import annotations

import math
import shutil
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from anamorph.api.calls import run as run_anamorph
from anamorph.api.inputs import request_of
from anamorph.api.runs import Run
from anamorph.config import Config
from anamorph.errors import RunError
from anamorph.inspect_plugin.switchboard import InspectedModel, Switchboard
from anamorph.model import Ask, Pixels, Scene, SceneSource, Skip
from anamorph.report.issues import Issue
from anamorph.store.answers import photo_of_probe
from anamorph.store.floors import photo_names, read_floors
from anamorph.store.run import RUN_FILE, RunStore

# The time limit of a call is inspect_ai's, which may also wait for samples to begin.
_NO_TIMEOUT_SECONDS = 1e6
# Retries are inspect_ai's.
_ASK = {"timeout_seconds": _NO_TIMEOUT_SECONDS, "retries": 0}


@dataclass(frozen=True, slots=True)
class Test:
    """A system and the photos that test it; `settings` as in a configuration file, `out` is where runs are kept."""

    method: str
    scenes: str | Mapping[str, Any]
    seed: int
    settings: Mapping[str, Any]
    out: Path | None

    def config(self) -> Config:
        """Checked, without a system."""
        return self._request(None, self.scenes, Path("unused"), None)

    def carried_out(self, system: InspectedModel, folder: Path, photos: Iterable[str]) -> Run:
        """The run over some photos, begun or continued."""
        chosen = set(photos)
        every = [each.id for each in self.config().scenes().scan() if isinstance(each, Scene)]
        first = every[: len(chosen)]
        scenes: Any = self.scenes
        if chosen != set(first):
            scenes = ChosenPhotos(self.config().scenes(), frozenset(chosen))
        limit = len(chosen) if len(chosen) < len(every) and scenes is self.scenes else None
        ask = {**_ASK, **self.settings.get("ask", {})}
        settings = {**self.settings, "ask": ask}
        if (folder / RUN_FILE).is_file():
            again = replace(self, settings=settings)._request(system, scenes, folder, limit)
            return Run(folder, again).resume(progress=False)
        return run_anamorph(
            system, scenes, self.method, out=folder, seed=self.seed, limit=limit, settings=settings, progress=False
        )

    def _request(self, system: Any, scenes: Any, folder: Path, limit: int | None) -> Config:
        return request_of(
            system, scenes, self.method, folder=folder, seed=self.seed, limit=limit, settings=self.settings
        ).config


@dataclass(frozen=True, slots=True, eq=False)
class ChosenPhotos:
    """Those scenes of a source that an evaluation has as samples (--sample-id, --limit)."""

    kind: ClassVar[str] = "chosen-photos"
    source: SceneSource
    ids: frozenset[str]

    def scan(self) -> Iterator[Scene | Skip]:
        return (each for each in self.source.scan() if isinstance(each, Skip) or each.id in self.ids)

    def pixels(self, scene: Scene) -> Pixels:
        return self.source.pixels(scene)


@dataclass(slots=True)
class PhotoResult:
    """How the cases of a photo came out; `relations` by name (decided, violated).

    `answers` and `false_answers` are those of all photos that collages link to it, counted at the first of them.
    """

    holds: int = 0
    violated: int = 0
    undecided: int = 0
    leads: int = 0
    answers: int = 0
    false_answers: int = 0
    relations: dict[str, tuple[int, int]] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)


class EpochRun:
    """One run of the engine in a thread, which samples feed with answers."""

    def __init__(self, test: Test, model: str, settings: Mapping[str, Any], photos: Iterable[str], name: str) -> None:
        self._place = None if test.out is not None else Path(tempfile.mkdtemp(prefix="anamorph-inspect-"))
        self.folder = (test.out or self._place or Path()) / name
        self._test, self._photos = test, tuple(photos)
        self.board = Switchboard(self._photo_of)
        self._system = InspectedModel(model, settings, self.board)
        self.results: dict[str, PhotoResult] = {}
        self.gate = ""
        self.ended = math.inf
        self._thread = threading.Thread(target=self._carry_out, name="anamorph-run", daemon=True)
        self._thread.start()

    def said_of(self, photo: str) -> dict[tuple[str, int], str]:
        """By question and attempt, what was said of a photo."""
        return {key: text for key, (about, text) in self.board.said.items() if about == photo}

    def close(self) -> None:
        """End what is under way, and remove a folder that nobody asked for."""
        self.board.end()
        self._thread.join()
        if self._place is not None:
            shutil.rmtree(self._place, ignore_errors=True)

    def _photo_of(self, ask: Ask) -> str:
        with RunStore.open(self.folder, read_only=True) as store:
            name = photo_of_probe(store, ask.id)
        if name is None:
            raise RunError(f"{self.folder}: has no probe {ask.id}.")
        return name

    def _carry_out(self) -> None:
        problem: BaseException | None = None
        try:
            run = self._test.carried_out(self._system, self.folder, self._photos)
            self.results, self.gate = results_by_photo(run), run.gate.sentence
        except BaseException as raised:  # noqa: BLE001 - it is raised again in the samples
            problem = raised
        self.ended = time.monotonic()
        self.board.end(problem)


def results_by_photo(run: Run) -> dict[str, PhotoResult]:
    """The findings of a run, photo by photo."""
    found: dict[str, PhotoResult] = {}
    for case in run.cases:
        result = found.setdefault(case.scene, PhotoResult())
        decided, violated = result.relations.get(case.relation, (0, 0))
        # As everywhere, a lead is a case that holds as far as is proved.
        if case.outcome in ("holds", "violated", "lead"):
            broken = case.outcome == "violated"
            result.relations[case.relation] = (decided + 1, violated + broken)
            result.violated += broken
            result.holds += not broken
        else:
            result.undecided += 1
    for issue in run.issues:
        found[issue.source.scene].issues.append(issue)
    for lead in run.leads:
        found[lead.source.scene].leads += 1
    with RunStore.open(run.folder, read_only=True) as store:
        rows = read_floors(store, "group")
        for name, row in zip(photo_names(store, rows), rows, strict=True):
            result = found.setdefault(name, PhotoResult())
            result.answers, result.false_answers = row.answers, row.fewest
    return found
