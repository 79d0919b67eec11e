"""A server that speaks bytes, so that a test decides every one of them."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator

OK = b"HTTP/1.1 200 OK\r\n"
Play = Callable[[socket.socket], None]


class Talker:
    """Plays the same part on every connection, and counts them."""

    def __init__(self, play: Play) -> None:
        self._play = play
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads = [threading.Thread(target=self._accept)]
        self._opened: list[socket.socket] = []
        self.connections = 0
        self.port = int(self._listener.getsockname()[1])
        self._threads[0].start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/x"

    def close(self) -> None:
        # Closing a listener does not wake the one that waits for it.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for opened in self._opened:
            with contextlib.suppress(OSError):
                opened.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                opened, _ = self._listener.accept()
                self.connections += 1
                self._opened.append(opened)
                self._threads.append(threading.Thread(target=self._serve, args=(opened,)))
                self._threads[-1].start()

    def _serve(self, opened: socket.socket) -> None:
        with contextlib.suppress(OSError), opened:
            self._play(opened)


@contextlib.contextmanager
def talking(play: Play) -> Iterator[Talker]:
    talker = Talker(play)
    try:
        yield talker
    finally:
        talker.close()


def read_request(opened: socket.socket) -> bytes | None:
    """The head and the content of one request; None if the client hung up instead."""
    data = b""
    while b"\r\n\r\n" not in data:
        if not (more := opened.recv(1 << 16)):
            return None
        data += more
    head, _, content = data.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    wanted = int(lengths[0]) if lengths else 0
    while len(content) < wanted:
        if not (more := opened.recv(1 << 16)):
            return None
        content += more
    return head + b"\r\n\r\n" + content


def answering(*parts: bytes) -> Play:
    """Answers every request on a connection with these parts, one after the other."""

    def play(opened: socket.socket) -> None:
        while read_request(opened) is not None:
            for part in parts:
                opened.sendall(part)

    return play


def answering_once(*parts: bytes) -> Play:
    """Answers one request and closes the connection."""

    def play(opened: socket.socket) -> None:
        if read_request(opened) is not None:
            for part in parts:
                opened.sendall(part)

    return play
