"""A real server on this machine that does to each request what a test says."""

from __future__ import annotations

import http.server
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# Long enough for a loaded machine; nothing waits for it unless something is broken.
PATIENT = 60.0
HASTY = 0.5
SECRET = "sk-4f9a7c51d0e2"


class ClosingHandler(http.server.BaseHTTPRequestHandler):
    """Closes both streams even where the client is gone and the rest of a reply cannot be sent."""

    def finish(self) -> None:
        try:
            super().finish()
        except OSError:
            self.rfile.close()


class Handler(ClosingHandler):
    protocol_version = "HTTP/1.1"
    # Head and body in one packet: two would wait for each other.
    wbufsize = -1
    server: Server

    def do_POST(self) -> None:
        self.server.requests.append(self)
        self.body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.server.behaviour(self)

    do_GET = do_PUT = do_POST

    def reply(self, body: bytes | Any, status: int = 200, **headers: str) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response_only(status)
        for name, value in {"content-length": str(len(content)), "content_type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def reset(self) -> None:
        """Close with a reset, not with an end."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    """Does to each request what the test says, and remembers the requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[Handler] = []
        self.connections = 0
        self.closed = threading.Semaphore(0)
        self.behaviour: Callable[[Handler], None] = lambda request: request.reply({"text": "a dog"})

    def verify_request(self, request: Any, client_address: Any) -> bool:
        self.connections += 1
        return True

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        self.closed.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def last(self) -> Handler:
        return self.requests[-1]


@contextmanager
def serving() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
