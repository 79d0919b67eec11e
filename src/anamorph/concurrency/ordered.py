"""Work on a stream of items in several threads, with the results in the order of the items."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

# Items in flight per thread, so that no thread waits for a slow neighbor and memory is bounded.
AHEAD = 4


def in_order(
    work: Callable[[T], R],
    items: Iterable[T],
    threads: int,
    *,
    limit: int | None = None,
    counts: Callable[[R], bool] = lambda result: True,
) -> Generator[R, None, None]:
    """The result of `work` for each item; `items` is read in the caller's thread, as far ahead as threads need.

    With a `limit`, no more items are started than could yield that many results that count.
    """
    source, given = iter(items), 0
    waiting: deque[Future[R]] = deque()
    pool = ThreadPoolExecutor(threads, thread_name_prefix="anamorph-in-order")
    try:
        while True:
            room = AHEAD * threads if limit is None else min(AHEAD * threads, limit - given)
            while len(waiting) < room:
                try:
                    item = next(source)
                except StopIteration:
                    break
                waiting.append(pool.submit(work, item))
            if not waiting:
                return
            result = waiting.popleft().result()
            given += counts(result)
            yield result
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
