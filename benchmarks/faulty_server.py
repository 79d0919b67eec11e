"""A server in a process of its own that answers from the bytes of the image alone, and commits faults now and then.

It logs every call before it replies, so that a run can be compared with what was really answered.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import hashlib
import json
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import IO, TypeAlias
from urllib.request import Request, urlopen

ROOT = Path(__file__).parents[1]
# A digest, the number of what was done, and whether a redirect brought the call here.
RECORD = struct.Struct("16sB?")
ANSWERED = "answered"
DIGEST_BYTES = 16
# What an image shows, by the first byte of its digest: one in ten shows another thing.
RARE_FROM = 230
OVERSIZE = gzip.compress(bytes(17 << 20))
DRIP_SECONDS = 0.25


def caption(digest: str) -> str:
    """What the server says of an image: what it shows, and which image it was."""
    # In letters that no number can be read from.
    name = digest.translate(str.maketrans("0123456789abcdef", "bcdfghjklmnpqrtv"))
    return f"{things_in(digest)}, which is {name}."


def things_in(digest: str) -> str:
    """What an image shows; a subject that changes altogether is proved by captions alone."""
    return "A cat and a bus in a street" if int(digest[:2], 16) >= RARE_FROM else "A dog and a car on a lawn"


@dataclass(frozen=True)
class LoggedCall:
    """One call as the server saw it."""

    digest: str
    did: str
    redirected: bool


def logged_calls(log: Path, start: int = 0) -> Iterator[LoggedCall]:
    """The calls from number `start` on."""
    with log.open("rb") as file:
        file.seek(start * RECORD.size)
        while len(record := file.read(RECORD.size)) == RECORD.size:
            digest, number, redirected = RECORD.unpack(record)
            yield LoggedCall(digest.hex(), DEEDS[number], redirected)


def count_calls(log: Path) -> int:
    """How many calls were logged."""
    return log.stat().st_size // RECORD.size if log.exists() else 0


# --- what is done to a call ------------------------------------------------------------------------------------------


class _Connection(asyncio.Protocol):
    """A connection that is kept; calls come one after the other."""

    def __init__(self, server: _Server) -> None:
        self.server = server
        self.received = b""
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, ended, rest = self.received.partition(b"\r\n\r\n")
        if not ended:
            return
        lines = head.split(b"\r\n")
        length = next((int(line[15:]) for line in lines if line[:15].lower() == b"content-length:"), 0)
        if len(rest) < length:
            return
        self.received = rest[length:]
        self.server.serve(self, lines[0].split()[1], rest[:length])

    def reply(self, content: bytes, status: str = "200 OK", **headers: str) -> None:
        fields = {"content_type": "application/json", "content_length": str(len(content)), **headers}
        head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
        self.transport.write(f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + content)

    def send(self, content: bytes) -> None:
        self.transport.write(content)

    def end(self) -> None:
        self.transport.close()

    def reset(self) -> None:
        ours: socket.socket = self.transport.get_extra_info("socket")
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def drip(self, content: bytes) -> None:
        if content and not self.transport.is_closing():
            self.send(content[:1])
            asyncio.get_running_loop().call_later(DRIP_SECONDS, self.drip, content[1:])


Fault: TypeAlias = Callable[[_Connection, bytes], None]


def _half(connection: _Connection, good: bytes) -> None:
    connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(good) + good[: len(good) // 2])
    connection.end()


def _no_http(connection: _Connection, _: bytes) -> None:
    connection.send(b"nonsense\r\n\r\n")
    connection.end()


# Those of tests/systems/remote/test_faults.py, tests/systems/http/test_trouble.py and tests/http/test_client.py.
FAULTS: Mapping[str, Fault] = {
    "429 with Retry-After": lambda call, _: call.reply(b"{}", "429 Too Many Requests", retry_after="0.01"),
    "429": lambda call, _: call.reply(b"{}", "429 Too Many Requests"),
    "500": lambda call, _: call.reply(b"oops", "500 Internal Server Error", content_type="text/plain"),
    "503": lambda call, _: call.reply(b"", "503 Service Unavailable"),
    "400": lambda call, _: call.reply(b"{}", "400 Bad Request"),
    "connection reset": lambda call, _: call.reset(),
    "connection closed": lambda call, _: call.end(),
    "no HTTP": _no_http,
    "no reply": lambda call, _: None,
    "half a reply, then nothing": lambda call, good: call.send(
        b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(good) + good[:9]
    ),
    "dripping reply": lambda call, good: call.drip(b"HTTP/1.1 200 OK\r\nx-slow: " + good * 99),
    "half a reply, then closed": _half,
    "malformed JSON": lambda call, _: call.reply(b'{"text": "a d'),
    "HTML": lambda call, _: call.reply(b"<html>busy</html>", content_type="text/html"),
    "empty body": lambda call, _: call.reply(b""),
    "wrong shape": lambda call, _: call.reply(b'{"caption": ["a dog"]}'),
    "empty answer": lambda call, _: call.reply(b'{"text": ""}'),
    "oversize reply": lambda call, _: call.reply(OVERSIZE, content_encoding="gzip"),
    "header flood": lambda call, _: call.send(b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 20_000),
    "broken compression": lambda call, good: call.reply(good, content_encoding="gzip"),
    "redirect": lambda call, _: call.reply(b"", "307 Temporary Redirect", location="/moved"),
    "redirect to another host": lambda call, _: call.reply(
        b"", "307 Temporary Redirect", location="http://127.0.0.2:9/"
    ),
}
DEEDS = (ANSWERED, *FAULTS)


class _Server:
    """Serves every connection; each fault has the same share of the calls."""

    def __init__(self, log: IO[bytes], share: float, seed: int) -> None:
        self.log, self.share, self.rng = log, share, Random(seed)

    def serve(self, connection: _Connection, path: bytes, content: bytes) -> None:
        if path == b"/heal":
            self.share = 0.0
            connection.reply(b"{}")
            return
        digest = hashlib.sha256(content).digest()[:DIGEST_BYTES]
        drawn = self.rng.random()
        number = 0
        # Where a redirect leads to, there is an answer, so that every redirect is followed to its end.
        if path != b"/moved" and self.share and drawn < self.share * len(FAULTS):
            number = min(1 + int(drawn / self.share), len(FAULTS))
        os.write(self.log.fileno(), RECORD.pack(digest, number, path == b"/moved"))
        good = json.dumps({"text": caption(digest.hex())}).encode()
        if number:
            FAULTS[DEEDS[number]](connection, good)
        else:
            connection.reply(good)


async def _serve(log: Path, share: float, seed: int) -> None:
    with log.open("ab") as file:
        server = _Server(file, share, seed)
        listening = await asyncio.get_running_loop().create_server(lambda: _Connection(server), "127.0.0.1", 0)
        print(listening.sockets[0].getsockname()[1], flush=True)
        await listening.serve_forever()


@contextlib.contextmanager
def faulty_server(log: Path, share: float, seed: int) -> Iterator[str]:
    """The address of a server that commits each fault in this share of the calls."""
    words = [sys.executable, "-m", "benchmarks.faulty_server", str(log), str(share), str(seed)]
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.terminate()
        process.wait()
        process.stdout.close() if process.stdout else None


def heal(url: str) -> None:
    """From now on every call is answered."""
    with urlopen(Request(f"{url}/heal", b"")) as reply:
        assert reply.status == 200


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])))
