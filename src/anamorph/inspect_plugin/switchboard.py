"""Between the engine, whose threads ask, and the samples of an evaluation, whose coroutines call the model."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, ClassVar

from anamorph.model import Answer, Ask, Failure, Manner

# How long a question of a photo whose sample has not begun waits before the samples that have begun call the model for
# it. inspect_ai begins at most --max-samples of them, and none of them can end before all questions are answered.
PATIENCE_SECONDS = 2.0
# Calls that the engine has under way; inspect_ai itself says how many of them reach the model at once.
PARALLEL = 64


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A question about a photo, and where its answer goes."""

    photo: str
    ask: Ask
    answer: Future[Answer | Failure] = field(default_factory=Future)

    def fail(self, why: str, *, limited: bool = False) -> None:
        """Without an answer, unless there is one; where a limit is the reason, the model counts as alive."""
        if not self.answer.done():
            self.answer.set_result(Failure(why, declined=limited))


class Switchboard:
    """Hands each question to the sample of its photo.

    `photo_of` says which photo a question is about. A sample `join`s with a function that wakes it, `take`s calls until
    `over`, and `leave`s. Safe from any thread.
    """

    def __init__(self, photo_of: Callable[[Ask], str]) -> None:
        self._photo_of = photo_of
        self._lock = threading.Lock()
        self._waiting: dict[str, deque[Call]] = {}
        self._awake: dict[str, Callable[[], None]] = {}
        self._closed: dict[str, str] = {}
        self._tired: set[str] = set()
        self._short_of_samples = False
        self.over = False
        self.problem: BaseException | None = None
        # By question and attempt, the photo and what was said.
        self.said: dict[tuple[str, int], tuple[str, str]] = {}

    def ask(self, ask: Ask) -> Answer | Failure:
        """Called by the engine: wait for the answer that some sample gets."""
        call = Call(self._photo_of(ask), ask)
        with self._lock:
            if self.over:
                return Failure("The evaluation has ended.")
            why = self._closed.get(call.photo)
            if why is not None:
                return Failure(why, declined=True)
            if self._tired and self._awake.keys() <= self._tired and call.photo not in self._awake:
                return Failure("The limits of all samples were reached.", declined=True)
            self._waiting.setdefault(call.photo, deque()).append(call)
            wake = self._to_wake(call.photo)
        for each in wake:
            each()
        answer = call.answer.result()
        if isinstance(answer, Answer) and answer.text is not None:
            self.said[ask.id, ask.attempt] = (call.photo, answer.text)
        return answer

    def _to_wake(self, photo: str) -> list[Callable[[], None]]:
        own = self._awake.get(photo)
        return [own] if own is not None else list(self._awake.values()) if self._short_of_samples else []

    def join(self, photo: str, wake: Callable[[], None]) -> None:
        """The sample of a photo has begun."""
        with self._lock:
            self._awake[photo] = wake
            self._closed.pop(photo, None)
            self._tired.discard(photo)

    def leave(self, photo: str, why: str = "") -> None:
        """The sample of a photo has ended; if the run goes on, nothing more is asked about the photo."""
        with self._lock:
            self._awake.pop(photo, None)
            self._tired.discard(photo)
            if self.over:
                return
            self._closed[photo] = why or "The sample of this photo has ended."
            left = self._waiting.pop(photo, deque())
        for call in left:
            call.fail(self._closed[photo], limited=True)

    def tire(self, photo: str, why: str) -> None:
        """A sample waits for the end and calls no more; where none is left that calls, nothing more is asked."""
        with self._lock:
            self._tired.add(photo)
            names = [*self._waiting] if self._awake.keys() <= self._tired else [photo]
            for name in names:
                self._closed[name] = why
            left = [call for name in names for call in self._waiting.pop(name, ())]
        for call in left:
            call.fail(why, limited=True)

    def take(self, photo: str, *, patient: bool) -> Call | None:
        """The next call of a photo, else one of a photo whose sample has not begun, once waiting for it was in vain."""
        with self._lock:
            own = self._waiting.get(photo)
            if own:
                return own.popleft()
            orphans = next((calls for name, calls in self._waiting.items() if calls and name not in self._awake), None)
            if orphans is None:
                return None
            self._short_of_samples |= not patient
            return orphans.popleft() if self._short_of_samples else None

    def end(self, problem: BaseException | None = None) -> None:
        """The run is done, or cannot go on."""
        with self._lock:
            if self.over:
                return
            self.over, self.problem = True, problem
            left = [call for calls in self._waiting.values() for call in calls]
            self._waiting.clear()
            wake = list(self._awake.values())
        for call in left:
            call.fail("The evaluation has ended.")
        for each in wake:
            each()


@dataclass(frozen=True, eq=False)
class InspectedModel:
    """The model of an evaluation as the system under test."""

    kind: ClassVar[str] = "inspect-evaluation"
    answers_with: ClassVar[tuple[str, ...]] = ("caption", "answer")
    takes_instructions: ClassVar[bool] = True
    counts_tokens: ClassVar[bool] = True
    name: str
    settings: Mapping[str, Any]
    board: Switchboard

    @property
    def manner(self) -> Manner:
        # inspect_ai has a cache of its own (--cache-prompt, generate's cache).
        return Manner(parallel=PARALLEL, remembers=False)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"kind": self.kind, "model": self.name, "settings": dict(self.settings)}

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        return [self.board.ask(ask) for ask in batch]

    def close(self) -> None:
        """The model belongs to the evaluation."""
