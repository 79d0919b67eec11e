from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from anamorph.concurrency.ordered import AHEAD, in_order


def test_results_come_in_the_order_of_the_items_whoever_is_done_first() -> None:
    second_is_done = threading.Event()

    def work(item: int) -> int:
        if item == 0:
            assert second_is_done.wait(30)
        else:
            second_is_done.set()
        return 10 * item

    assert list(in_order(work, range(9), 2)) == [10 * item for item in range(9)]


def test_only_a_few_items_are_under_way_and_they_are_read_in_the_callers_thread() -> None:
    readers: set[int] = set()
    read = 0

    def endless() -> Iterator[int]:
        nonlocal read
        while True:
            readers.add(threading.get_ident())
            read += 1
            yield read

    with closing(in_order(lambda item: item, endless(), 3)) as results:
        for taken in range(1, 50):
            next(results)
            assert read <= taken + 3 * AHEAD
    assert readers == {threading.get_ident()}


def test_no_more_items_are_begun_than_make_up_the_limit() -> None:
    begun: list[int] = []

    def work(item: int) -> int:
        begun.append(item)
        return item

    odd = list(in_order(work, range(100), 2, limit=3, counts=lambda result: result % 2 == 1))
    assert odd == [0, 1, 2, 3, 4, 5] and sorted(begun) == odd


def test_an_error_is_raised_in_its_turn() -> None:
    results = in_order(lambda item: 1 // item, [2, 1, 0, 5], 2)
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_leaving_early_ends_the_threads() -> None:
    before = threading.active_count()
    with closing(in_order(lambda item: item, iter(int, 1), 4)) as results:
        next(results)
    assert threading.active_count() <= before


def test_nothing_in_gives_nothing() -> None:
    assert list(in_order(lambda item: item, [], 2)) == []
