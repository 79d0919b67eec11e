"""The event loop of async functions: one per system, in its own thread."""

from __future__ import annotations

import inspect
import threading
import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

# A function that is still waiting is abandoned after this long.
_PATIENCE_SECONDS = 1.0


class EventLoop:
    """Awaits a function's result if it is awaitable.

    One loop for all calls, because network clients belong to the loop of their first use. The thread is started lazily,
    and ends with `close`.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: weakref.finalize[..., EventLoop] | None = None

    def __reduce__(self) -> tuple[type[EventLoop], tuple[()]]:
        """Pickles as a new loop."""
        return EventLoop, ()

    def settled(self, result: Any) -> Any:
        """The result, with a coroutine, or a list of them, awaited."""
        if isinstance(result, list) and any(map(inspect.isawaitable, result)):
            return [self.settled(each) for each in result]
        if not inspect.isawaitable(result):
            return result
        # Most functions are not async, and it is slow to load.
        import asyncio

        return asyncio.run_coroutine_threadsafe(_awaited(result), self._running()).result()

    @property
    def running(self) -> bool:
        """Whether anything was awaited since it was made or closed."""
        return self._loop is not None

    def close(self) -> None:
        with self._lock:
            if self._end is not None:
                self._end()
            self._loop = self._end = None

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                import asyncio

                self._loop = asyncio.new_event_loop()
                thread = threading.Thread(target=_run, args=(self._loop,), name="anamorph-async", daemon=True)
                thread.start()
                # Also ends it if `close` is never called.
                self._end = weakref.finalize(self, _end, self._loop, thread)
            return self._loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()


def _end(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    loop.call_soon_threadsafe(loop.stop)
    thread.join(_PATIENCE_SECONDS)


async def _awaited(result: Any) -> Any:
    return await result
