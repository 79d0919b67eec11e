"""A server on 127.0.0.1 that does to each request what the test says."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.systems.servers import ClosingHandler


@dataclass(frozen=True)
class Seen:
    """A request; one handler serves many, so it is no record of any."""

    path: str
    parameters: dict[str, str]
    headers: dict[str, str]


class Handler(ClosingHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    server: Server

    def do_GET(self) -> None:
        parameters = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        self.server.requests.append(
            Seen(self.path, parameters, {name.lower(): value for name, value in self.headers.items()})
        )
        self.server.behaviour(self)

    def reply(self, body: Any, status: int = 200, **headers: str) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response_only(status)
        for name, value in {"content-length": str(len(content)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, behaviour: Callable[[Handler], None]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behaviour = behaviour
        self.requests: list[Seen] = []

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what some tests are about."""


@contextmanager
def serving(behaviour: Callable[[Handler], None]) -> Iterator[Server]:
    server = Server(behaviour)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def pages(*replies: Any) -> Callable[[Handler], None]:
    """One reply after the other; the last one for all that follow."""
    left = list(replies)

    def behave(request: Handler) -> None:
        request.reply(left.pop(0) if len(left) > 1 else left[0])

    return behave
