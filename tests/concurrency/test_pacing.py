from __future__ import annotations

import threading
from random import Random

from hypothesis import given, strategies as st

from anamorph.concurrency.pacing import LONGEST_BACKOFF_SECONDS, Circuit, Limiter, backoff_seconds


@given(st.floats(0, 1000), st.integers(1, 10_000), st.integers())
def test_backoff_grows_but_never_past_its_limit(first: float, tries: int, seed: int) -> None:
    wait = backoff_seconds(first, tries, Random(seed))
    assert 0 <= wait <= LONGEST_BACKOFF_SECONDS
    assert wait <= first * 2.0 ** min(tries - 1, 30)


def test_backoff_doubles_and_is_spread() -> None:
    waits = {backoff_seconds(1.0, 3, Random(seed)) for seed in range(50)}
    assert len(waits) == 50 and min(waits) >= 2.0 and max(waits) <= 4.0


class Sleeper(threading.Event):
    """An event that nobody sets: waiting for it only moves a clock."""

    def __init__(self) -> None:
        super().__init__()
        self.now, self.slept = 100.0, list[float]()

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self.slept.append(timeout)
        self.now += timeout
        return False


def test_calls_start_at_an_even_pace_and_the_first_at_once() -> None:
    sleeper = Sleeper()
    limiter = Limiter(4.0, sleeper, lambda: sleeper.now)
    for _ in range(3):
        assert limiter.wait()
    assert sleeper.slept == [0.25, 0.25]
    sleeper.now += 10
    assert limiter.wait()
    assert sleeper.slept == [0.25, 0.25]


def test_a_pause_is_for_everyone() -> None:
    sleeper = Sleeper()
    limiter = Limiter(None, sleeper, lambda: sleeper.now)
    assert limiter.wait() and sleeper.slept == []
    limiter.pause(7.0)
    limiter.pause(3.0)
    assert limiter.wait() and sleeper.slept == [7.0]


def test_a_circuit_opens_after_so_many_failures_in_a_row() -> None:
    circuit = Circuit(3, threading.Event())
    for message in ("a", "b"):
        circuit.failed(message)
    circuit.succeeded()
    for message in ("c", "d"):
        circuit.failed(message)
    assert not circuit.stop.is_set()
    circuit.failed("e")
    assert circuit.stop.is_set()
    assert str(circuit.reason) == "3 calls in a row failed; the last one: e"


def test_zero_means_never() -> None:
    circuit = Circuit(0, threading.Event())
    for _ in range(1000):
        circuit.failed("x")
    assert circuit.reason is None


def test_a_limiter_lets_nobody_start_once_the_run_stops() -> None:
    stop = threading.Event()
    limiter = Limiter(0.001, stop)
    assert limiter.wait()
    threading.Timer(0.05, stop.set).start()
    assert not limiter.wait()
