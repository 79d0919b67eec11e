"""Calls to the system, each in a thread of its own: retries, time-outs, and single calls where a batch fails."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from anamorph.concurrency.budget import Budget
from anamorph.concurrency.pacing import LONGEST_PAUSE_SECONDS, Circuit, Limiter, backoff_seconds
from anamorph.config import AskSettings
from anamorph.engine.render.maker import sentence
from anamorph.engine.render.renderer import gone
from anamorph.errors import AnamorphError, AskError, Lost, MachineFault, Transient, machine_fault
from anamorph.model import Answer, Ask, Failure, System
from anamorph.model.answer import TOO_LONG
from anamorph.store.answers import AttemptResult

# An adapter that cannot stop a call by itself is abandoned this long after the time-out.
GRACE_SECONDS = 2.0
UNCOUNTED = (
    "A budget for tokens cannot be kept, because the replies do not say how many they took. Use price, what one image "
    "costs, in the place of price_in and price_out"
)


@dataclass(frozen=True, slots=True)
class ProbeAttempt:
    """One attempt at one probe."""

    probe: int
    image_file: str | None
    ask: Ask


@dataclass(slots=True, eq=False)
class _Slot:
    """A thread that calls; once it is abandoned, whatever it still delivers is ignored."""

    abandoned: bool = False
    call_began: float | None = None
    call_size: int = 0
    thread: threading.Thread | None = None
    left: list[ProbeAttempt] = field(default_factory=list)
    died_of: str = ""


@dataclass(slots=True, eq=False)
class Dispatcher:
    """Takes batches of attempts and delivers their results; `deliver` and `on_retry` are called from other threads."""

    system: System
    settings: AskSettings
    parallel: int
    deliver: Callable[[list[AttemptResult]], None]
    on_retry: Callable[[str, float], None]
    account: Mapping[str, Any] = field(default_factory=dict)
    stop: threading.Event = field(default_factory=threading.Event)
    _work: queue.SimpleQueue[list[ProbeAttempt] | None] = field(default_factory=queue.SimpleQueue)
    _slots: list[_Slot] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    limiter: Limiter = field(init=False)
    circuit: Circuit = field(init=False)
    budget: Budget = field(init=False)
    # Seconds that images were with the system, added up over all images.
    image_seconds: float = 0.0
    machine_fault: str | None = None
    # Calls that failed for want of memory, and how many in a row.
    without_memory: int = 0
    _without_memory_in_a_row: int = 0
    _costs: bool = field(init=False)

    def __post_init__(self) -> None:
        self._costs = self.system.manner.costs
        self.budget = Budget.of(self.settings, self.stop, self.account, costs=self._costs)
        self.limiter = Limiter(self.settings.rate_per_second, self.stop)
        self.circuit = Circuit(self.settings.give_up_after, self.stop)
        for _ in range(self.parallel):
            self._start_slot()

    @property
    def calling(self) -> bool:
        """Whether a call is under way."""
        return any(slot.call_began is not None for slot in list(self._slots))

    @property
    def images_under_way(self) -> int:
        """How many images are with the system."""
        return sum(slot.call_size for slot in list(self._slots) if slot.call_began is not None)

    def put(self, batch: list[ProbeAttempt]) -> None:
        """Queue a batch for the next free thread."""
        self._work.put(batch)

    def close(self, patience_seconds: float, *, to_the_end: bool = False) -> None:
        """Wait a while for calls under way, then leave; where the budget or a rule ended the run, they get their full
        time.
        """
        self.stop.set()
        for _ in self._slots:
            self._work.put(None)
        if self.budget.refused or to_the_end:
            longest = max((slot.call_size for slot in self._slots), default=1)
            patience_seconds = max(patience_seconds, self._patience_seconds(longest))
        until = time.monotonic() + patience_seconds
        for slot in self._slots:
            if slot.thread is not None:
                slot.thread.join(max(0.0, until - time.monotonic()))

    def abandon_overdue(self) -> None:
        """Give up calls that are past their time-out, which counts per image, and did not stop by themselves; and those
        whose thread died.
        """
        now = time.monotonic()
        for slot in list(self._slots):
            began = slot.call_began
            if began is None:
                if slot.thread is not None and not slot.thread.is_alive() and not self.stop.is_set():
                    self._bury(slot)
                continue
            # The cheap check first: this is gone through for every answer.
            if now - began <= self.settings.timeout_seconds:
                continue
            if now - began <= self._patience_seconds(slot.call_size):
                continue
            with self._lock:
                if slot.call_began != began or slot.abandoned:
                    continue
                slot.abandoned = True
                left, slot.left = slot.left, []
                self._slots.remove(slot)
            message = f"No answer within {self.settings.timeout_seconds:g} s; the call was given up"
            self.deliver([AttemptResult(item.probe, item.ask.attempt, None, message, now - began, 1) for item in left])
            self.circuit.failed(message)
            self._start_slot()

    def _bury(self, slot: _Slot) -> None:
        """Deliver a failure for what a dead thread was to ask, and have another one go on."""
        with self._lock:
            slot.abandoned = True
            left, slot.left = slot.left, []
            self._slots.remove(slot)
        message = f"The thread of this call died ({slot.died_of or 'nobody knows of what'})"
        self.deliver([AttemptResult(item.probe, item.ask.attempt, None, message, 0.0, 1) for item in left])
        self.circuit.failed(message)
        self._start_slot()

    def _patience_seconds(self, size: int) -> float:
        return self.settings.timeout_seconds * max(1, size) + self.system.manner.startup_seconds + GRACE_SECONDS

    def _start_slot(self) -> None:
        slot = _Slot()
        self._slots.append(slot)
        slot.thread = threading.Thread(target=self._live, args=(slot,), name="anamorph-ask", daemon=True)
        slot.thread.start()

    def _live(self, slot: _Slot) -> None:
        try:
            self._serve(slot)
        except BaseException as problem:  # noqa: BLE001  the engine's own thread sees that this one is dead, and goes on
            slot.died_of = sentence(problem)

    def _serve(self, slot: _Slot) -> None:
        rng = Random()
        while not slot.abandoned:
            batch = self._work.get()
            if batch is None or self.stop.is_set():
                return
            slot.left = list(batch)
            self._ask_until_done(slot, batch, rng)

    def _ask_until_done(self, slot: _Slot, items: list[ProbeAttempt], rng: Random) -> None:
        tries = 0
        while items and self.limiter.wait() and self.budget.pay(len(items)):
            tries += 1
            began = time.monotonic()
            results, all_failed = self._call(slot, items, began, tries)
            # Before anything else: also what comes too late was paid for.
            if self._costs and not self.budget.settle(results):
                self.circuit.open(UNCOUNTED)
            if slot.abandoned:
                return
            seconds = (time.monotonic() - began) / len(items)
            if all_failed and len(items) > 1:
                # One bad image must not take its neighbours with it.
                for item in items:
                    self._ask_until_done(slot, [item], rng)
                return
            items = self._sort_out(slot, items, results, seconds, tries)
            if items and not self._wait_for_next_try(results, tries, rng):
                return

    def _call(
        self, slot: _Slot, items: Sequence[ProbeAttempt], began: float, tries: int
    ) -> tuple[Sequence[Answer | Failure], bool]:
        """The results of one call; True if the whole call failed in a way that another try cannot fix."""
        with self._lock:
            slot.call_size = len(items)
            slot.call_began = began
        try:
            results = self.system.ask([item.ask for item in items], self.settings.timeout_seconds)
            if len(results) != len(items):
                raise AskError(f"The system gave {len(results)} answers for {len(items)} images")
        except Lost as problem:
            if self._costs:
                self.budget.lose(len(items))
            # What killed two workers may be one image of the batch.
            return [Failure(str(problem), True, problem.retry_after_seconds)] * len(items), tries > 1
        except Transient as problem:
            return [Failure(str(problem), True, problem.retry_after_seconds)] * len(items), False
        except BaseException as problem:  # noqa: BLE001  an adapter may come from a user's own file, and may raise anything
            fault = machine_fault(problem)
            if fault is not None:
                self._count_fault(fault, len(items))
            elif isinstance(problem, AnamorphError) and not isinstance(problem, AskError):
                self.circuit.open(str(problem))
            return [Failure(sentence(problem) if fault is None else fault.message)] * len(items), True
        finally:
            with self._lock:
                slot.call_began = None
                self.image_seconds += (time.monotonic() - began) * len(items)
        return results, False

    def _sort_out(
        self, slot: _Slot, items: list[ProbeAttempt], results: Sequence[Answer | Failure], seconds: float, tries: int
    ) -> list[ProbeAttempt]:
        """Deliver what is final; what is worth another try remains."""
        final: list[AttemptResult] = []
        remaining: list[ProbeAttempt] = []
        for item, result in zip(items, results, strict=True):
            key = (item.probe, item.ask.attempt)
            if isinstance(result, Answer) and result.too_long:
                final.append(AttemptResult(*key, None, TOO_LONG, seconds, tries, usage=result.usage))
            elif isinstance(result, Answer) and not result.empty:
                final.append(AttemptResult(*key, result, "", seconds, tries))
            elif isinstance(result, Answer):
                problem = "The system gave an empty answer"
                final.append(AttemptResult(*key, None, problem, seconds, tries, usage=result.usage))
            elif result.retryable and tries <= self.settings.retries:
                remaining.append(item)
            else:
                final.append(AttemptResult(*key, None, result.message, seconds, tries, usage=result.usage))
        self._look_for_images(items, results)
        self._judge_call(results, exhausted=not remaining)
        with self._lock:
            if slot.abandoned:
                return []
            answered = {(result.probe, result.attempt) for result in final}
            slot.left = [item for item in slot.left if (item.probe, item.ask.attempt) not in answered]
        if final:
            self.deliver(final)
        return remaining

    def _count_fault(self, fault: MachineFault, images: int) -> None:
        """Give up where the machine will not do better; a batch that it had no memory for is asked one by one."""
        if fault.lasts:
            self.give_up(fault.message)
        elif images == 1:
            with self._lock:
                self.without_memory += 1
                self._without_memory_in_a_row += 1
            if 0 < self.settings.give_up_after <= self._without_memory_in_a_row:
                self.give_up(fault.message)

    def give_up(self, fault: str) -> None:
        """Stop at once, for a reason that is not the system's."""
        self.machine_fault = self.machine_fault or fault
        self.circuit.open(fault)

    def _look_for_images(self, items: list[ProbeAttempt], results: Sequence[Answer | Failure]) -> None:
        """Where calls fail because the run was moved or removed, the system is not to blame."""
        if all(isinstance(result, Answer) for result in results):
            return
        path = next((item.ask.path for item in items if item.ask.path is not None), None)
        if path is not None and not path.parent.parent.exists():
            self.give_up(gone(path.parent.parent))

    def _judge_call(self, results: Sequence[Answer | Failure], *, exhausted: bool) -> None:
        # A system that declines one picture works, however many follow-ups of it are declined, too.
        failures = [result for result in results if isinstance(result, Failure) and not result.declined]
        if len(failures) < len(results):
            self._without_memory_in_a_row = 0
            self.circuit.succeeded()
        # A system that asks for a pause is alive, unless it asks for one every time.
        elif exhausted or failures[0].retry_after_seconds is None:
            self.circuit.failed(failures[0].message)

    def _wait_for_next_try(self, results: Sequence[Answer | Failure], tries: int, rng: Random) -> bool:
        failures = [result for result in results if isinstance(result, Failure) and result.retryable]
        asked_for = max((failure.retry_after_seconds or 0.0 for failure in failures), default=0.0)
        wait = max(asked_for, backoff_seconds(self.settings.backoff_seconds, tries, rng))
        if asked_for > LONGEST_PAUSE_SECONDS:
            self.circuit.open(f"The system asks for a pause of {asked_for:g} s: {failures[0].message}")
            return False
        self.on_retry(failures[0].message, wait)
        if asked_for:
            self.limiter.pause(asked_for)
        return not self.stop.wait(wait)
