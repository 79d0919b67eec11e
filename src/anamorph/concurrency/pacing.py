"""Rate limits, backoff between retries, and a circuit breaker."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

# A server that asks for a longer pause counts as down.
LONGEST_PAUSE_SECONDS = 600.0
LONGEST_BACKOFF_SECONDS = 60.0


@dataclass(slots=True)
class Limiter:
    """Spaces calls evenly, and pauses all when the system asks; thread-safe."""

    rate_per_second: float | None
    stop: threading.Event = field(default_factory=threading.Event)
    clock: Callable[[], float] = time.monotonic
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _next_start: float = 0.0
    _not_before: float = 0.0

    def wait(self) -> bool:
        """Wait for a turn; False if the run stops meanwhile."""
        with self._lock:
            start = max(self.clock(), self._next_start)
            if self.rate_per_second is not None:
                self._next_start = start + 1 / self.rate_per_second
        while True:
            remaining = max(start, self._not_before) - self.clock()
            if remaining <= 0:
                return not self.stop.is_set()
            if self.stop.wait(remaining):
                return False

    def pause(self, seconds: float) -> None:
        """Delay all calls for a while."""
        with self._lock:
            self._not_before = max(self._not_before, self.clock() + seconds)


@dataclass(slots=True)
class Circuit:
    """Opens, and so stops the run, when calls keep failing with no success between them; `worked` if any succeeded."""

    give_up_after: int
    stop: threading.Event
    reason: str | None = None
    worked: bool = False
    _failed: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def succeeded(self) -> None:
        with self._lock:
            self._failed = 0
            self.worked = True

    def failed(self, message: str) -> None:
        """Count one failed try."""
        with self._lock:
            self._failed += 1
            if self.give_up_after and self._failed >= self.give_up_after and self.reason is None:
                self.reason = f"{self._failed} calls in a row failed; the last one: {message}"
                self.stop.set()

    def open(self, message: str) -> None:
        """Stop at once."""
        with self._lock:
            self.reason = self.reason or message
            self.stop.set()


def backoff_seconds(first: float, tries: int, rng: Random) -> float:
    """The wait before try `tries` + 1: exponential backoff with jitter of up to half."""
    # Capped, because a large exponent overflows a float.
    whole = min(LONGEST_BACKOFF_SECONDS, first * 2.0 ** min(tries - 1, 30))
    return whole * (0.5 + rng.random() / 2)
