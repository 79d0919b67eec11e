"""A server in a process of its own that answers every call after a while."""

from __future__ import annotations

import contextlib
import multiprocessing
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body in one packet: two would wait 40 ms for a delayed acknowledgement.
    wbufsize = 1 << 16
    latency_seconds = 0.0

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        time.sleep(self.latency_seconds)
        body = b'{"text": "a photo"}'
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def _serve(port: Connection, latency_seconds: float) -> None:
    _Handler.latency_seconds = latency_seconds
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    port.send(server.server_address[1])
    server.serve_forever()


@contextlib.contextmanager
def slow_server(latency_seconds: float) -> Iterator[str]:
    """Its address; its CPU is not counted as ours."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs, latency_seconds), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}/caption"
    finally:
        process.terminate()
        process.join()
