"""An even pace for calls, and growing pauses between tries."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

FIRST_PAUSE_SECONDS = 0.5
LONGEST_BACKOFF_SECONDS = 60.0


class Pace:
    """Lets one call start every so often."""

    def __init__(
        self,
        per_second: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._gap, self._clock, self._sleep = 1 / per_second, clock, sleep
        self._next = 0.0

    def wait(self) -> None:
        """Wait for a turn."""
        now = self._clock()
        if now < self._next:
            self._sleep(self._next - now)
            now = self._next
        self._next = now + self._gap


def backoff_seconds(tries: int, rng: Random) -> float:
    """The wait after so many failed tries: doubled each time, between half and all of it."""
    whole = min(LONGEST_BACKOFF_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** min(tries - 1, 30))
    return whole * (0.5 + rng.random() / 2)
