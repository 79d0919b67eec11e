"""One HTTP/1.1 exchange over an open socket, within a deadline; httptools takes the reply apart."""

from __future__ import annotations

import socket
import ssl
import time
import zlib
from collections.abc import Mapping
from typing import Any

import httptools

from anamorph.http.messages import Reply

_CHUNK_BYTES = 1 << 16
# What may come besides a body: a status line and headers.
_HEAD_LIMIT_BYTES = 1 << 20
# A socket of Python's, one with TLS, or TLS within TLS.
Socket = Any


class NotHttp(Exception):
    """What came back is not HTTP, or ends before it is complete; the message says which."""


class TooLong(Exception):
    """More came back than may."""


def head_of(method: str, target: str, headers: Mapping[str, str], length: int | None) -> bytes:
    """The head of a request; ValueError if a part of it would break its line."""
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    if length is not None:
        lines.append(f"content-length: {length}")
    if not "".join(lines).isprintable():
        raise ValueError("a control character in the head of a request")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def exchange(sock: Socket, head: bytes, content: bytes, deadline: float, most_bytes: int) -> tuple[Reply, bool]:
    """Send a request and read its reply; True if the connection can carry another.

    Raises OSError (a TimeoutError when time is up), NotHttp or TooLong, after which the connection is of no use.
    """
    broken = _send(sock, head, content, deadline)
    reading = _Reading(most_bytes)
    while not reading.done:
        data = _receive(sock, deadline)
        if data:
            reading.feed(data)
        elif broken is not None and not reading.began:
            raise broken
        else:
            reading.end()
    return reading.reply(), reading.reusable and broken is None


def open_tunnel(sock: Socket, host: str, port: int, headers: Mapping[str, str], deadline: float) -> int:
    """Ask a proxy for a way to a host; the status that it answers with, which is 2xx if there is one."""
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    _send(sock, head_of("CONNECT", where, {"host": where, **headers}, None), b"", deadline)
    reading = _Reading(_HEAD_LIMIT_BYTES)
    while not reading.headers_complete:
        data = _receive(sock, deadline)
        if not data:
            raise NotHttp("it ended early")
        reading.feed(data)
    return reading.status


def _send(sock: Socket, head: bytes, content: bytes, deadline: float) -> OSError | None:
    """Send all; a connection that breaks meanwhile may still hold a reply, such as that the image is too large."""
    try:
        sock.settimeout(_left(deadline))
        if isinstance(sock, socket.socket) and not isinstance(sock, ssl.SSLSocket):
            # In one call as far as it goes; Windows has none that takes two parts.
            sent = sock.sendmsg((head, content)) if hasattr(sock, "sendmsg") else 0
            if sent < len(head) + len(content):
                rest = memoryview(content)[sent - len(head) :] if sent >= len(head) else head[sent:] + content
                sock.sendall(rest)
        else:
            # Not `sendall`: with TLS its time would begin anew with every record.
            unsent = memoryview(head + content)
            while unsent:
                sock.settimeout(_left(deadline))
                unsent = unsent[sock.send(unsent) :]
    except (BrokenPipeError, ConnectionResetError) as problem:
        return problem
    return None


def _receive(sock: Socket, deadline: float) -> bytes:
    # Anew each time, so that a server that drips cannot hold a call for ever.
    sock.settimeout(_left(deadline))
    data: bytes = sock.recv(_CHUNK_BYTES)
    return data


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("timed out")
    return left


class _Reading:
    """A reply as it comes in; httptools calls the methods whose names begin with `on_`."""

    def __init__(self, most_bytes: int) -> None:
        self._parser = httptools.HttpResponseParser(self)
        # Home-made servers end lines without a carriage return, and the standard asks clients to bear with it.
        self._parser.set_dangerous_leniencies(lenient_optional_cr_before_lf=True)
        self._most_bytes = most_bytes
        self._received = 0
        self._body_bytes = 0
        self._body: list[bytes] = []
        self._headers: dict[str, str] = {}
        self.status = 0
        self.began = self.headers_complete = self.done = self.reusable = False

    def feed(self, data: bytes) -> None:
        self._received += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            raise NotHttp("it wants to speak another protocol") from None
        except httptools.HttpParserError as problem:
            # Whatever follows a complete reply only spoils the connection.
            if not self.done:
                raise NotHttp(" ".join(str(problem).split()) or type(problem).__name__) from None
            self.reusable = False
        if self._body_bytes > self._most_bytes or self._received > self._most_bytes + _HEAD_LIMIT_BYTES:
            raise TooLong

    def end(self) -> None:
        """The other side closed the connection, which ends a body that has no length."""
        if not self.headers_complete or {"content-length", "transfer-encoding"} & self._headers.keys():
            raise NotHttp("it ended early")
        self.done = True

    def reply(self) -> Reply:
        content = b"".join(self._body)
        encoding = self._headers.get("content-encoding", "").strip().lower()
        if encoding in ("gzip", "x-gzip", "deflate"):
            content = _inflated(content, encoding, self._most_bytes)
        return Reply(self.status, self._headers, content)

    def on_message_begin(self) -> None:
        self.began = True
        if self.done:
            self.reusable = False

    def on_header(self, name: bytes, value: bytes) -> None:
        if self.done:
            return
        key, text = name.decode("latin-1").lower(), value.decode("latin-1").strip()
        self._headers[key] = f"{self._headers[key]}, {text}" if key in self._headers else text

    def on_headers_complete(self) -> None:
        if not self.done:
            self.status = self._parser.get_status_code()
            self.headers_complete = True

    def on_body(self, body: bytes) -> None:
        if not self.done:
            self._body.append(body)
            self._body_bytes += len(body)

    def on_message_complete(self) -> None:
        if self.done:
            return
        if 100 <= self.status < 200:
            # An interim reply; the one that counts follows.
            self._headers.clear()
            self.headers_complete = False
            return
        self.done = True
        self.reusable = self._parser.should_keep_alive()


def _inflated(content: bytes, encoding: str, most_bytes: int) -> bytes:
    """A body that came compressed although nobody asked for it."""
    # 32: with a header of gzip or of zlib; -15: without one, as some servers understand "deflate".
    for window in (32 + zlib.MAX_WBITS, *((-zlib.MAX_WBITS,) if encoding == "deflate" else ())):
        inflater = zlib.decompressobj(window)
        try:
            found = inflater.decompress(content, most_bytes)
        except zlib.error:
            continue
        if inflater.unconsumed_tail:
            raise TooLong
        return found
    raise NotHttp(f"its body is not {encoding}")
