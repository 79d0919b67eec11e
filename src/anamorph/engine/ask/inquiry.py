"""Asking about more images than the plan has, with the run's own retries, limits, time-outs and budget."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from anamorph.config import Config
from anamorph.engine.ask.dispatcher import Dispatcher, ProbeAttempt
from anamorph.engine.ask.posing import Posing
from anamorph.engine.ask.stage import PATIENCE_SECONDS, WATCH_SECONDS
from anamorph.model import Answer, Ask, Pixels, System
from anamorph.store.answers import AttemptResult
from anamorph.store.run import RunStore


class NoMoreCalls(Exception):
    """The budget of the run or of this inquiry is used up, or the system does not work."""


@dataclass(frozen=True, slots=True)
class AskedImage:
    """An image to ask about, by the digest of its probe; `path` is None for a system that does not look."""

    digest: str
    question: str | None
    path: Path | None
    load: Callable[[], Pixels]


@dataclass(frozen=True, slots=True)
class Replies:
    """The answers to an image, as many as the run repeats its questions; none, and the `problem`, where one failed."""

    image: AskedImage
    answers: tuple[Answer, ...]
    problem: str = ""


class Inquiry:
    """Asks about images that are not in the plan, at most `most_calls` times; what it sends is the run's to pay."""

    def __init__(self, store: RunStore, config: Config, system: System, most_calls: int, parallel: int = 1) -> None:
        self._store, self._ask, self._posing = store, config.settings.ask, Posing.to(system, config)
        self._results: queue.SimpleQueue[list[AttemptResult]] = queue.SimpleQueue()
        account = store.fact("spending", {})
        self._before = int(account.get("images_sent", 0))
        self._counted = self._before
        self._dispatcher = Dispatcher(
            system,
            self._ask,
            parallel,
            deliver=self._results.put,
            on_retry=lambda reason, wait: None,
            account=account,
        )
        self._dispatcher.budget.most_sent = self._before + most_calls

    def __enter__(self) -> Inquiry:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._dispatcher.close(PATIENCE_SECONDS)
        with self._store.transaction():
            self.keep_accounts()

    @property
    def sent(self) -> int:
        """How many images were sent in all."""
        return self._dispatcher.budget.sent - self._before

    @property
    def down(self) -> str | None:
        """Why the system does not work, if it does not."""
        return self._dispatcher.circuit.reason

    def take_count(self) -> int:
        """How many images were sent since this was last asked."""
        sent = self._dispatcher.budget.sent
        new, self._counted = sent - self._counted, sent
        return new

    def keep_accounts(self) -> None:
        """Keep what was sent and spent; the caller holds the transaction."""
        self._store.set_fact("spending", self._dispatcher.budget.account())

    def ask(self, image: AskedImage) -> tuple[Answer, ...]:
        """The answers to one image; empty where one failed."""
        (found,) = self.ask_all([image])
        return found.answers

    def ask_all(self, images: Sequence[AskedImage]) -> Iterator[Replies]:
        """The answers to each image, as they come in; NoMoreCalls once no more may be asked."""
        repeats = self._ask.repeats
        # One by one: a batch that the budget refuses would not be asked at all.
        for place, image in enumerate(images):
            for attempt in range(repeats):
                ask = Ask(image.digest, self._posing.of(image.question), image.path, image.load, attempt)
                self._dispatcher.put([ProbeAttempt(place, None, ask)])
        waiting: dict[int, list[AttemptResult]] = {place: [] for place in range(len(images))}
        while waiting:
            idle = self._dispatcher.stop.is_set() and not self._dispatcher.calling
            try:
                delivered = self._results.get(timeout=WATCH_SECONDS)
            except queue.Empty:
                self._dispatcher.abandon_overdue()
                # Nothing was under way when this wait began, and nothing has come in since.
                if idle and self._results.empty():
                    raise NoMoreCalls from None
                continue
            for result in delivered:
                mine = waiting[result.probe]
                mine.append(result)
                if len(mine) == repeats:
                    del waiting[result.probe]
                    yield _replies(images[result.probe], mine)


def _replies(image: AskedImage, results: Sequence[AttemptResult]) -> Replies:
    by_attempt = sorted(results, key=lambda result: result.attempt)
    answers = tuple(result.answer for result in by_attempt if result.answer is not None)
    problem = next((result.problem for result in by_attempt if result.answer is None), "")
    return Replies(image, answers if not problem else (), problem)
