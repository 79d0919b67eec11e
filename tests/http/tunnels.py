"""A proxy on this machine that opens tunnels."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading


class Proxy:
    """A proxy that opens tunnels to where a test says, whatever it is asked for."""

    def __init__(
        self, target: tuple[str, int], context: ssl.SSLContext | None = None, status: bytes = b"200 Go"
    ) -> None:
        self.target = target
        self.context = context
        self.status = status
        self.asked: list[bytes] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.threads = [threading.Thread(target=self._accept)]
        self.threads[0].start()

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *_: object) -> None:
        # Closing a listener does not wake the one that waits for it.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for thread in self.threads:
            thread.join()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.threads.append(threading.Thread(target=self._serve, args=(connection,)))
                self.threads[-1].start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            stack.enter_context(connection)
            if self.context is not None:
                connection = stack.enter_context(self.context.wrap_socket(connection, server_side=True))
            asked = b""
            while b"\r\n\r\n" not in asked:
                asked += connection.recv(1 << 16)
            self.asked.append(asked)
            connection.sendall(b"HTTP/1.1 %b\r\n\r\n" % self.status)
            if not self.status.startswith(b"200"):
                return
            there = stack.enter_context(socket.create_connection(self.target))
            back = threading.Thread(target=_pass_on, args=(there, connection))
            back.start()
            _pass_on(connection, there)
            back.join()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        # Not that of a TLS socket, which the other direction still reads from.
        socket.socket.shutdown(sink, socket.SHUT_RDWR)
