"""Calls to the system of a reader: several at once, each within its time, retried where that helps, in a budget."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from random import Random

from anamorph.concurrency.budget import Budget, Prices
from anamorph.concurrency.pacing import LONGEST_PAUSE_SECONDS, Circuit, Limiter, backoff_seconds
from anamorph.errors import AnamorphError, AskError, Transient
from anamorph.model import Answer, Ask, Failure, System
from anamorph.model.answer import TOO_LONG
from anamorph.python_files import named

GIVE_UP_AFTER = 25
# A system that cannot stop a call by itself is abandoned this long after the time-out.
GRACE_SECONDS = 2.0
SPENT = "not read: the budget of readers.llm is spent"
_UNCOUNTED = (
    "the budget of readers.llm cannot be kept, because replies do not say how many tokens they took; use price in "
    "place of price_in and price_out"
)
_CLOSED = "the reader was closed"
FIRST_BACKOFF_SECONDS = 0.5


class NotAsked(Exception):
    """No reply came, and why; or none was asked for."""


@dataclass(slots=True, eq=False)
class Asking:
    """Puts texts to a system from any number of threads, until the system is given up or the budget is spent."""

    system: System
    retries: int
    timeout_seconds: float
    parallel: int
    prices: Prices
    stop: threading.Event = field(default_factory=threading.Event)
    budget: Budget = field(init=False)
    _limiter: Limiter = field(init=False)
    _circuit: Circuit = field(init=False)
    _places: threading.Semaphore = field(init=False)
    _costs: bool = field(init=False)

    def __post_init__(self) -> None:
        self._costs = self.system.manner.costs
        self.budget = Budget.of(self.prices, self.stop, {}, costs=self._costs)
        self._limiter, self._circuit = Limiter(None, self.stop), Circuit(GIVE_UP_AFTER, self.stop)
        self._places = threading.Semaphore(self.parallel)

    def reply(self, id: str, text: str, attempt: int) -> str:
        """What the system says to a text; NotAsked where it says nothing."""
        ask, rng, tries = Ask.of_text(id, text, attempt), Random(), 0
        with self._places:
            while True:
                if not self._limiter.wait() or not self.budget.pay(1):
                    raise NotAsked(self._why_not())
                tries += 1
                result = self._call(ask)
                if self._costs and not self.budget.settle([result]):
                    self._circuit.open(_UNCOUNTED)
                if isinstance(result, Answer):
                    self._circuit.succeeded()
                    return result.text or ""
                again = result.retryable and tries <= self.retries
                self._count(result, again)
                if not again:
                    raise NotAsked(f"could not be read: {result.message}")
                self._wait(result, tries, rng)

    def close(self) -> None:
        """Ask no more, and close the system; calls under way are left to themselves."""
        self.stop.set()
        self.system.close()

    def _why_not(self) -> str:
        if self._circuit.reason is not None:
            return f"could not be read: {self._circuit.reason}"
        return SPENT if self.budget.refused else f"could not be read: {_CLOSED}"

    def _count(self, failure: Failure, again: bool) -> None:
        # A system that declines a text works, and so does one that asks for a pause, unless it never stops.
        if failure.declined:
            self._circuit.succeeded()
        elif not again or failure.retry_after_seconds is None:
            self._circuit.failed(failure.message)

    def _wait(self, failure: Failure, tries: int, rng: Random) -> None:
        asked_for = failure.retry_after_seconds or 0.0
        if asked_for > LONGEST_PAUSE_SECONDS:
            self._circuit.open(f"the system asks for a pause of {asked_for:g} s: {failure.message}")
        elif asked_for:
            self._limiter.pause(asked_for)
        self.stop.wait(max(asked_for, backoff_seconds(FIRST_BACKOFF_SECONDS, tries, rng)))

    def _call(self, ask: Ask) -> Answer | Failure:
        """The result of one call; one that does not end is left to its thread."""
        results: list[Answer | Failure] = []
        thread = threading.Thread(target=lambda: results.append(self._result(ask)), name="anamorph-read", daemon=True)
        thread.start()
        thread.join(self.timeout_seconds + self.system.manner.startup_seconds + GRACE_SECONDS)
        if results:
            return results[0]
        return Failure(f"No answer within {self.timeout_seconds:g} s; the call was given up")

    def _result(self, ask: Ask) -> Answer | Failure:
        try:
            (result,) = self.system.ask([ask], self.timeout_seconds)
        except Transient as problem:
            return Failure(str(problem), True, problem.retry_after_seconds)
        except AskError as problem:
            return Failure(str(problem))
        except AnamorphError as problem:
            self._circuit.open(str(problem))
            return Failure(str(problem))
        except BaseException as problem:  # noqa: BLE001  a system may come from a user's own file, and may raise anything
            return Failure(named(problem))
        if isinstance(result, Answer) and result.too_long:
            return Failure(TOO_LONG, usage=result.usage)
        if isinstance(result, Answer) and result.text is None:
            return Failure("The system gave labels, and not a text", usage=result.usage)
        return result
