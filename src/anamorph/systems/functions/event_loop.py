"""The event loop that async functions run in: one for each system, in a thread of its own."""

from __future__ import annotations

import asyncio
import inspect
import threading
from typing import Any


class EventLoop:
    """Waits for what a function returned, if that is awaitable.

    One loop for all calls, because clients of a network belong to the loop that they were first used in. The thread is
    made when it is first needed, and ends with `close`.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def settled(self, result: Any) -> Any:
        """The result; of a coroutine, or a list of them, what they return."""
        if isinstance(result, list) and any(map(inspect.isawaitable, result)):
            return [self.settled(each) for each in result]
        if not inspect.isawaitable(result):
            return result
        return asyncio.run_coroutine_threadsafe(_awaited(result), self._running()).result()

    def close(self) -> None:
        with self._lock:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._loop = None

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="anamorph-async", daemon=True).start()
            return self._loop


async def _awaited(result: Any) -> Any:
    return await result
