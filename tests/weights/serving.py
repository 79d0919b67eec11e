"""A server on this machine that answers with what a test puts on its shelf, and tells what it was asked for."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TypeAlias

Behaviour: TypeAlias = Callable[["Handler"], None]


class Shelf(ThreadingHTTPServer):
    """Paths and what is served there: bytes, or something to do."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.shelf: dict[str, bytes | Behaviour] = {}
        self.asked: list[str] = []
        self.scheme = "http"

    def address(self, path: str) -> str:
        return f"{self.scheme}://localhost:{self.server_address[1]}{path}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is what some tests are about."""


class Handler(BaseHTTPRequestHandler):
    server: Shelf

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        served = self.server.shelf.get(self.path)
        if served is None:
            self.send_error(404)
        elif isinstance(served, bytes):
            self.send(served)
        else:
            served(self)

    def send(self, content: bytes, length: int | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(content) if length is None else length))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


def redirect(target: str) -> Behaviour:
    def answer(handler: Handler) -> None:
        handler.send_response(302)
        handler.send_header("Location", target)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


@contextmanager
def serving(certificate: tuple[Path, Path] | None = None) -> Iterator[Shelf]:
    server = Shelf()
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        server.scheme = "https"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
