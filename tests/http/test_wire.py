from __future__ import annotations

import gzip
import socket
import threading
import time
import zlib
from collections.abc import Callable
from typing import TypeVar

import pytest

from anamorph.http.messages import Reply
from anamorph.http.wire import NotHttp, TooLong, exchange, head_of, open_tunnel
from tests.systems.servers import HASTY, PATIENT

HEAD = head_of("POST", "/x", {"host": "h"}, 4)
OK = b"HTTP/1.1 200 OK\r\n"
MOST = 1 << 20
T = TypeVar("T")


def converse(*parts: bytes, content: bytes = b"body", most: int = MOST) -> tuple[Reply, bool]:
    """What an exchange comes to with a server that sends these parts and then closes."""

    def play(server: socket.socket) -> None:
        wanted = len(HEAD) + len(content)
        while wanted > 0 and (data := server.recv(1 << 16)):
            wanted -= len(data)
        for part in parts:
            server.sendall(part)
            time.sleep(0.01)

    return with_server(play, lambda ours: exchange(ours, HEAD, content, time.monotonic() + PATIENT, most))


def with_server(play: Callable[[socket.socket], None], act: Callable[[socket.socket], T]) -> T:
    ours, theirs = socket.socketpair()

    def serve() -> None:
        try:
            play(theirs)
        except OSError:
            pass
        finally:
            theirs.close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        return act(ours)
    finally:
        ours.close()
        thread.join()


def test_the_head_of_a_request_is_plain_http() -> None:
    assert HEAD == b"POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: 4\r\n\r\n"
    assert head_of("GET", "/", {}, None) == b"GET / HTTP/1.1\r\n\r\n"
    for target, value in (("/\r\nx: y", "z"), ("/", "z\nx: y"), ("/", "z\0")):
        with pytest.raises(ValueError, match="control character"):
            head_of("GET", target, {"a": value}, None)


@pytest.mark.parametrize(
    ("parts", "content", "reusable"),
    [
        ([OK + b"content-length: 2\r\n\r\nhi"], b"hi", True),
        ([OK[:9], OK[9:], b"content-le", b"ngth: 2\r\n\r", b"\nh", b"i"], b"hi", True),
        ([OK + b"transfer-encoding: chunked\r\n\r\n1\r\nh\r\n", b"1;x=y\r\ni\r\n0\r\n\r\n"], b"hi", True),
        ([OK + b"content-length: 2\r\nconnection: close\r\n\r\nhi"], b"hi", False),
        ([b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nhi"], b"hi", False),
        # Only the end of the connection ends a body without a length.
        ([OK + b"\r\nh", b"i"], b"hi", False),
        # An interim reply comes before the one that counts, and its headers do not.
        ([b"HTTP/1.1 100 Continue\r\nx: early\r\n\r\n", OK + b"content-length: 2\r\n\r\nhi"], b"hi", True),
        # Lines that end without a carriage return, as home-made servers write them, and no reason.
        ([b"HTTP/1.1 200\ncontent-length: 2\n\nhi"], b"hi", True),
        # Whatever follows a reply belongs to nobody.
        ([OK + b"content-length: 2\r\n\r\nhi" + OK + b"content-length: 2\r\n\r\nho"], b"hi", False),
        ([OK + b"content-length: 2\r\n\r\nhi and more"], b"hi", False),
        ([b"HTTP/1.1 204 No Content\r\n\r\n"], b"", True),
    ],
)
def test_a_reply_is_read_to_its_end_and_no_further(parts: list[bytes], content: bytes, reusable: bool) -> None:
    reply, again = converse(*parts)
    assert (reply.content, again) == (content, reusable) and reply.status in (200, 204) and "x" not in reply.headers


def test_headers_have_lower_names_and_those_of_one_name_are_joined() -> None:
    reply, _ = converse(OK + b"X-A: 1\r\nx-a:  2 \r\nContent-Length: 0\r\nB: \xe9\r\n\r\n")
    assert reply.headers == {"x-a": "1, 2", "content-length": "0", "b": "é"}


def test_a_body_that_came_compressed_is_inflated_within_the_limit() -> None:
    bare = zlib.compressobj(wbits=-15)
    forms = {
        b"gzip": gzip.compress(b"hello"),
        b"deflate": zlib.compress(b"hello"),
        b"Deflate": bare.compress(b"hello") + bare.flush(),
        b"br": b"unknown, so as it is",
    }
    for name, body in forms.items():
        reply, _ = converse(OK + b"content-encoding: %b\r\ncontent-length: %d\r\n\r\n" % (name, len(body)) + body)
        assert reply.content == (body if name == b"br" else b"hello")
    bomb = gzip.compress(bytes(MOST + 1))
    with pytest.raises(TooLong):
        converse(OK + b"content-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(bomb) + bomb)
    with pytest.raises(NotHttp, match="is not gzip"):
        converse(OK + b"content-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc")


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [b"HTTP/1.1 200"],
        [OK + b"x: "],
        [OK + b"content-length: 9\r\n\r\nhi"],
        [OK + b"transfer-encoding: chunked\r\n\r\n5\r\nhel"],
        [b"SSH-2.0-OpenSSH\r\n"],
        [b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nyz"],
    ],
)
def test_a_reply_that_is_not_whole_or_not_http_is_told(parts: list[bytes]) -> None:
    with pytest.raises(NotHttp):
        converse(*parts)


@pytest.mark.parametrize("endless", [OK + b"\r\n", OK + b"x: ", OK + b"transfer-encoding: chunked\r\n\r\n"])
def test_what_is_too_long_is_not_read_to_its_end(endless: bytes) -> None:
    chunk = b"5\r\nhello\r\n" * 2000 if b"chunked" in endless else b"x" * 20_000
    with pytest.raises((TooLong, NotHttp)):
        converse(endless, *[chunk] * 500, most=1 << 16)


def test_a_reply_that_comes_before_all_is_sent_counts() -> None:
    """Such as that the image is too large, from a server that then hangs up."""

    def refuse(server: socket.socket) -> None:
        server.recv(1 << 12)
        server.sendall(b"HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n")
        server.shutdown(socket.SHUT_RD)

    reply, again = with_server(refuse, lambda ours: exchange(ours, HEAD, bytes(8_000_000), _soon(PATIENT), MOST))
    assert (reply.status, again) == (413, False)


def test_time_runs_out_while_sending_too() -> None:
    with pytest.raises(TimeoutError):
        with_server(
            lambda _: time.sleep(HASTY * 2), lambda ours: exchange(ours, HEAD, bytes(50_000_000), _soon(HASTY), MOST)
        )


@pytest.mark.parametrize(("host", "asked"), [("h.example", b"h.example:443"), ("::1", b"[::1]:443")])
def test_a_tunnel_is_asked_for_and_its_status_told(host: str, asked: bytes) -> None:
    said = b""

    def play(server: socket.socket) -> None:
        nonlocal said
        said = server.recv(1 << 16)
        server.sendall(b"HTTP/1.1 407 No\r\ncontent-length: 5\r\n\r\nhello")

    def listen(server: socket.socket) -> None:
        server.recv(1 << 16)

    status = with_server(play, lambda ours: open_tunnel(ours, host, 443, {"proxy-authorization": "k"}, _soon(PATIENT)))
    assert status == 407
    assert said == b"CONNECT %b HTTP/1.1\r\nhost: %b\r\nproxy-authorization: k\r\n\r\n" % (asked, asked)
    with pytest.raises(NotHttp, match="ended early"):
        with_server(
            listen,
            lambda ours: open_tunnel(ours, host, 443, {}, _soon(PATIENT)),
        )


def _soon(seconds: float) -> float:
    return time.monotonic() + seconds
