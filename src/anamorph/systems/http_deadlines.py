"""A deadline over a whole exchange: a watch for each call, and the one thread that rings them."""

from __future__ import annotations

import heapq
import itertools
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from anamorph.systems.environment import Veil


class Watch:
    """Cuts the connection of a call when its time is up.

    Time-outs of sockets begin anew with every byte, so a server that drips could hold a call for ever.
    """

    def __init__(self, veil: Veil) -> None:
        self.veil = veil
        self.rang = False
        self.over = False
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None

    @contextmanager
    def running(self, seconds: float) -> Iterator[None]:
        _alarm.set(self, time.monotonic() + seconds)
        current.watch = self
        try:
            yield
        finally:
            current.watch = None
            self.over = True
            with self._lock:
                self._socket = None

    def look_at(self, connection: socket.socket) -> None:
        with self._lock:
            self._socket = connection
            if self.rang:
                self._cut()

    def ring(self) -> None:
        with self._lock:
            if not self.over:
                self.rang = True
                self._cut()

    def _cut(self) -> None:
        if self._socket is not None:
            # Not the method of a TLS socket, which would take the session from under the reader.
            with suppress(OSError):
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


class _Alarm:
    """One thread that rings every watch whose time is up; a timer for each call would start a thread for each call."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[tuple[float, int, Watch]] = []
        self._order = itertools.count()
        self._thread: threading.Thread | None = None

    def set(self, watch: Watch, when: float) -> None:
        with self._changed:
            self._forget_the_over()
            heapq.heappush(self._waiting, (when, next(self._order), watch))
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._serve, name="anamorph-http-alarm", daemon=True)
                self._thread.start()
            elif self._waiting[0][2] is watch:
                self._changed.notify()

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._forget_the_over()
                left = self._waiting[0][0] - time.monotonic() if self._waiting else None
                if left is None or left > 0:
                    self._changed.wait(left)
                    continue
                watch = heapq.heappop(self._waiting)[2]
            watch.ring()

    def _forget_the_over(self) -> None:
        while self._waiting and self._waiting[0][2].over:
            heapq.heappop(self._waiting)


_alarm = _Alarm()


class _Current(threading.local):
    """The watch of the call that this thread is making."""

    watch: Watch | None = None


current = _Current()
