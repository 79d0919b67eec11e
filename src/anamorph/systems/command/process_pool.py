"""The processes of a command system: lent to one batch at a time, replaced when they die, ended together."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator

from anamorph.errors import SystemDown, Transient
from anamorph.systems.command.process import LineProcess

CLOSE_SECONDS = 2.0
TERMINATE_SECONDS = 1.0


class ProcessPool:
    """At most `size` processes, started lazily."""

    def __init__(self, start: Callable[[], LineProcess], size: int) -> None:
        self._start = start
        self._places = threading.BoundedSemaphore(size)
        self._lock = threading.Lock()
        self._idle: list[LineProcess] = []
        self._busy: set[LineProcess] = set()
        self._closed = False

    @contextlib.contextmanager
    def lend(self, timeout_seconds: float) -> Iterator[LineProcess]:
        """A process ready for a batch; kept only if still alive afterwards."""
        if not self._places.acquire(timeout=timeout_seconds):
            raise Transient(f"No process of the command was free for {timeout_seconds:g} s.")
        try:
            process = self._take()
            try:
                yield process
            except BaseException:
                process.kill()
                raise
            finally:
                self._give_back(process)
        finally:
            self._places.release()

    def close(self) -> None:
        """End idle processes gracefully and kill busy ones, which releases their waiters."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for process in self._busy:
                # Only a signal: its pipes belong to the waiting thread.
                process.signal_group(signal.SIGKILL)
        for process in idle:
            process.close_input()
        stubborn = _still_running(idle, CLOSE_SECONDS)
        for process in stubborn:
            process.signal_group(signal.SIGTERM)
        _still_running(stubborn, TERMINATE_SECONDS)
        for process in idle:
            process.kill()

    def _take(self) -> LineProcess:
        while True:
            with self._lock:
                if self._closed:
                    raise SystemDown("The command was asked after it was closed.")
                process = self._idle.pop() if self._idle else self._start()
                self._busy.add(process)
            # A new one that already died is lent as well, so that its death is reported, not retried forever.
            if not process.has_answered or process.is_ready():
                return process
            with self._lock:
                self._busy.discard(process)
            process.kill()

    def _give_back(self, process: LineProcess) -> None:
        with self._lock:
            self._busy.discard(process)
            if process.is_killed:
                return
            if not self._closed:
                self._idle.append(process)
                return
        process.kill()


def _still_running(processes: list[LineProcess], seconds: float) -> list[LineProcess]:
    """Those that have not ended after `seconds` in all."""
    deadline = time.monotonic() + seconds
    return [process for process in processes if not process.wait(max(0.0, deadline - time.monotonic()))]
