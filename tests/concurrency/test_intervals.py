from __future__ import annotations

from random import Random

from anamorph.concurrency.intervals import LONGEST_BACKOFF_SECONDS, Pace, backoff_seconds


def test_calls_start_at_an_even_pace_and_the_first_at_once() -> None:
    now, slept = [100.0], []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    pace = Pace(4.0, lambda: now[0], sleep)
    for _ in range(3):
        pace.wait()
    assert slept == [0.25, 0.25]
    now[0] += 10
    pace.wait()
    assert slept == [0.25, 0.25]


def test_pauses_double_up_to_a_limit() -> None:
    rng = Random(1)
    assert 0.25 <= backoff_seconds(1, rng) <= 0.5
    assert 1.0 <= backoff_seconds(3, rng) <= 2.0
    assert backoff_seconds(5_000, rng) <= LONGEST_BACKOFF_SECONDS
