"""A copy of the system on a worker of a Ray cluster; this file knows nothing of Ray."""

from __future__ import annotations

import functools
import os
import platform
import shutil
import tempfile
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

import anamorph
from anamorph.config import resolve
from anamorph.engine.ray.freight import Freight, moved_to
from anamorph.engine.ray.render_task import MadeParcel
from anamorph.engine.render.maker import sentence
from anamorph.engine.render.recipe import go_to
from anamorph.errors import AnamorphError, AskError, Transient
from anamorph.model import Answer, Ask, Failure, Manner, System
from anamorph.model.answer import TOO_LONG
from anamorph.model.protocols import SystemOptions
from anamorph.python_files import is_ctrl_c
from anamorph.store.images import decoded

SystemPart: TypeAlias = Literal["system", "confirm_with"]


@dataclass(frozen=True, slots=True)
class SystemOrder:
    """The source of a worker's system: a configuration, or an object of a Python program."""

    plain: Mapping[str, Any]
    part: SystemPart
    directory: str
    environment: Mapping[str, str] = field(repr=False)
    given: object = None
    freight: Freight = Freight()


@dataclass(frozen=True, slots=True)
class SystemFacts:
    """A copy's description of its system, or the problem with making it."""

    node: str
    process: int
    version: str
    problem: str = ""
    usage_error: bool = False
    kind: str = ""
    manner: Manner = Manner()
    fingerprint: Mapping[str, Any] = field(default_factory=dict)
    answers_with: tuple[str, ...] = ()
    takes_instructions: bool = False
    counts_tokens: bool = False


@dataclass(frozen=True, slots=True)
class SentAsk:
    """An ask on its way to a worker, its image by name."""

    id: str
    question: str | None
    image: str | None
    attempt: int


@dataclass(frozen=True, slots=True)
class CallResult:
    """The outcome of a call: results, or the problem with all of it."""

    results: Sequence[Answer | Failure] = ()
    problem: str = ""
    kind: Literal["", "transient", "refused", "broken"] = ""
    retry_after_seconds: float | None = None


class SystemReplica:
    """A copy of the system, made where it is asked."""

    def __init__(self, order: SystemOrder) -> None:
        self._problem: BaseException | None = None
        self._singles: ThreadPoolExecutor | None = None
        self._turns: threading.Semaphore | None = None
        self._lock = threading.Lock()
        try:
            os.environ.update(order.environment)
            go_to(order.directory)
            self._moved = order.freight.unload()
            self._system = _made(order, self._moved)
            self._facts = self._described()
        except BaseException as problem:
            # A system may come from a user's own file, and may raise anything.
            if is_ctrl_c(problem):
                raise
            self._problem = problem

    def describe(self) -> SystemFacts:
        """The description of this copy."""
        if self._problem is None:
            return self._facts
        wrong = isinstance(self._problem, AnamorphError) and self._problem.exit_code == 2
        return SystemFacts(*_here(), problem=sentence(self._problem), usage_error=wrong)

    def ask(
        self,
        asks: Sequence[SentAsk],
        timeout_seconds: float,
        at_once: int,
        singly: bool,
        images: Mapping[str, bytes],
        *parcels: MadeParcel,
    ) -> CallResult:
        """Ask about images, which came with the message or in parcels; `singly` one by one. At most `at_once`
        calls of the system are under way, however many messages are here.
        """
        found = dict(images)
        for parcel in parcels:
            found.update(parcel.contents)
        folder = Path(tempfile.mkdtemp(prefix="anamorph-"))
        try:
            batch = [_ask_of(ask, found, folder) for ask in asks]
            with self._lock:
                self._turns = self._turns or threading.Semaphore(at_once)
                if singly and self._singles is None:
                    self._singles = ThreadPoolExecutor(at_once, thread_name_prefix="anamorph-ask")
            if self._singles is None:
                with self._turns:
                    return _called(self._system, batch, timeout_seconds)
            calls = [self._singles.submit(_called, self._system, [ask], timeout_seconds) for ask in batch]
            return _joined([call.result() for call in calls])
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        if self._problem is None:
            self._system.close()

    def _described(self) -> SystemFacts:
        system = self._system
        return SystemFacts(
            *_here(),
            kind=system.kind,
            manner=system.manner,
            # Where a node keeps a file makes no other system of it.
            fingerprint=moved_to(system.fingerprint, {here: text for text, here in self._moved.items()}),
            answers_with=SystemOptions.answers_with.of(system),
            takes_instructions=SystemOptions.takes_instructions.of(system),
            counts_tokens=SystemOptions.counts_tokens.of(system),
        )


def _made(order: SystemOrder, moved: Mapping[str, str]) -> System:
    if order.given is not None:
        return order.given  # type: ignore[return-value]
    config = resolve(moved_to(order.plain, moved))
    system = config.system() if order.part == "system" else config.witness()
    assert system is not None
    return system


def _here() -> tuple[str, int, str]:
    return platform.node(), os.getpid(), anamorph.__version__


def _ask_of(sent: SentAsk, images: Mapping[str, bytes], folder: Path) -> Ask:
    if sent.image is None:
        return Ask(sent.id, sent.question, None, _nothing, sent.attempt)
    content, path = images[sent.image], folder / sent.image
    path.write_bytes(content)
    return Ask(sent.id, sent.question, path, functools.partial(decoded, content, sent.image), sent.attempt)


def _called(system: System, batch: Sequence[Ask], timeout_seconds: float) -> CallResult:
    try:
        results = system.ask(batch, timeout_seconds)
    except Transient as problem:
        return CallResult((), str(problem), "transient", problem.retry_after_seconds)
    except BaseException as problem:
        if is_ctrl_c(problem):
            raise
        broken = isinstance(problem, AnamorphError) and not isinstance(problem, AskError)
        return CallResult((), sentence(problem), "broken" if broken else "refused")
    if len(results) != len(batch):
        return CallResult((), f"The system gave {len(results)} answers to {len(batch)} images", "refused")
    # Here already, so that nothing of it goes over the network.
    return CallResult(
        tuple(Failure(TOO_LONG) if isinstance(each, Answer) and each.too_long else each for each in results)
    )


def _joined(calls: Sequence[CallResult]) -> CallResult:
    """The results of calls about one image each; a system that is broken is broken for all."""
    broken = next((call for call in calls if call.kind == "broken"), None)
    if broken is not None:
        return broken
    results: list[Answer | Failure] = []
    for call in calls:
        failure = Failure(call.problem, call.kind == "transient", call.retry_after_seconds)
        results += call.results or [failure]
    return CallResult(tuple(results))


def _nothing() -> Any:
    raise AskError("This system said that it does not look at images, so none was made.")
