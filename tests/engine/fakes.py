"""A system and a scene source whose every move a test decides."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from anamorph import catalog
from anamorph.config import Config, resolve
from anamorph.engine.events import Event
from anamorph.engine.run import carry_out, start
from anamorph.errors import BadPicture
from anamorph.model import Answer, Ask, Failure, Manner, Pixels, Scene, Skip, setting
from anamorph.store.run import RunStore

Behaviour = Callable[[Sequence[Ask]], Sequence[Answer | Failure]]


class Script:
    """What the fake system does, and what was asked of it."""

    def __init__(self, behaviour: Behaviour | None = None, **manner: Any) -> None:
        self.behaviour = behaviour or (lambda batch: [Answer("a cat")] * len(batch))
        self.manner = Manner(**manner)
        self.calls: list[list[str]] = []
        self.starts: list[float] = []
        self.under_way = 0
        self.most_under_way = 0
        self.lock = threading.Lock()
        self.fingerprint: dict[str, Any] = {"fake": 1}
        self.closed = 0

    @property
    def asked(self) -> list[str]:
        return [id for call in self.calls for id in call]


script = Script()


@dataclass(frozen=True)
class FakeSystem:
    """Does what the script says."""

    kind: ClassVar[str] = "fake"
    counts_tokens: ClassVar[bool] = True

    @property
    def manner(self) -> Manner:
        return script.manner

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return script.fingerprint

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        with script.lock:
            script.calls.append([ask.id for ask in batch])
            script.starts.append(time.monotonic())
            script.under_way += 1
            script.most_under_way = max(script.most_under_way, script.under_way)
        try:
            return script.behaviour(batch)
        finally:
            with script.lock:
                script.under_way -= 1

    def close(self) -> None:
        script.closed += 1


@dataclass(frozen=True)
class FakeScenes:
    """Tiny pictures, made up; scenes whose number is in `broken` cannot be decoded."""

    kind: ClassVar[str] = "fake"
    count: int = setting(4, "How many.")
    broken: tuple[int, ...] = setting((), "Which ones are broken.")
    decoded: ClassVar[list[str]] = []

    def scan(self) -> Iterator[Scene | Skip]:
        for index in range(self.count):
            yield Scene(f"s{index}", f"{index}", 8, 6)

    def pixels(self, scene: Scene) -> Pixels:
        self.decoded.append(scene.id)
        if int(scene.picture) in self.broken:
            raise BadPicture(f"{scene.picture}: broken.")
        return np.random.default_rng(int(scene.picture)).integers(0, 255, (6, 8, 3), dtype=np.uint8)


def use(new: Script) -> Script:
    """Let the fake system follow this script from now on."""
    global script
    script = new
    FakeScenes.decoded.clear()
    catalog._loaded.setdefault("systems", {})["fake"] = FakeSystem
    catalog._loaded.setdefault("scenes", {})["fake"] = FakeScenes
    return new


@dataclass
class Ran:
    """A run in a test: its folder, its events, and the error that ended it, if any."""

    folder: Path
    events: list[Event] = field(default_factory=list)
    problem: BaseException | None = None

    def of(self, kind: type[Event]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    def store(self) -> RunStore:
        return RunStore.open(self.folder, read_only=True)

    def outcomes(self) -> list[str]:
        with self.store() as store:
            return [row[0] for row in store.connection.execute('SELECT outcome FROM verdicts ORDER BY "case"')]


# One follow-up per scene keeps the arithmetic of the tests simple, and any two texts differ by their wording.
ONE_EDIT: dict[str, Any] = {"brightness": [], "contrast": [], "shear": [], "compare": "wording"}


def config_for(folder: Path, **changes: Any) -> Config:
    ask = {"backoff_seconds": 0.001, "retries": 2, **changes.pop("ask", {})}
    plain = {
        "methods": ["deeptest"],
        "scenes": {"kind": "fake", **changes.pop("scenes", {})},
        "system": {"kind": "fake"},
    }
    return resolve({**plain, "deeptest": ONE_EDIT, "ask": ask, **changes})


def go(folder: Path, **changes: Any) -> Ran:
    """Start a run in `folder`, or go on with the one that is there."""
    config = config_for(folder, **changes)
    ran = Ran(folder)
    opened = RunStore.open(folder) if (folder / "run.sqlite").exists() else start(config, folder)
    with opened as store:
        try:
            ran.events.extend(carry_out(store, config))
        except BaseException as problem:
            ran.problem = problem
    return ran
