from __future__ import annotations

import contextlib
import gzip
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import tracemalloc
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from anamorph.http.messages import Reply, Request
from anamorph.http.proxies import Origin, Proxy
from anamorph.http.transfers import HEAD_LIMIT_LINES, Handle, TransferError
from tests.conftest import ROOT
from tests.http.conversations import OK, Play, Talker, answering, answering_once, read_request, talking
from tests.systems.servers import HASTY, PATIENT

MOST = 1 << 20
HI = b"content-length: 2\r\n\r\nhi"


@pytest.fixture
def handle() -> Iterator[Handle]:
    with contextlib.closing(Handle()) as handle:
        yield handle


def exchange(
    handle: Handle, talker: Talker, content: bytes = b"body", most: int = MOST, seconds: float = PATIENT
) -> Reply:
    request = Request("POST", talker.url, {"content-type": "text/plain"}, content)
    return handle.exchange(request, time.monotonic() + seconds, most)


def trouble(handle: Handle, play: Play, **settings: object) -> str:
    with talking(play) as talker, pytest.raises(TransferError) as caught:
        exchange(handle, talker, **settings)  # type: ignore[arg-type]
    return caught.value.kind


# --- what is sent ----------------------------------------------------------------------------------------------------


def test_a_request_is_plain_http_with_nothing_that_nobody_asked_for(handle: Handle) -> None:
    seen: list[bytes | None] = []

    def play(opened: socket.socket) -> None:
        while (request := read_request(opened)) is not None:
            seen.append(request)
            opened.sendall(OK + HI)

    with talking(play) as talker:
        headers = {"content-type": "text/plain", "accept": "a/b", "x-empty": ""}
        url = f"{talker.url}/ä/../b?q=ß&r=a%20b"
        handle.exchange(Request("PUT", url, headers, b"body"), time.monotonic() + PATIENT, MOST)
        handle.exchange(Request("GET", talker.url, {"accept": "a/b"}, b""), time.monotonic() + PATIENT, MOST)
    assert seen == [
        b"PUT /x/%%C3%%A4/../b?q=%%C3%%9F&r=a%%20b HTTP/1.1\r\nHost: 127.0.0.1:%d\r\naccept-encoding: identity\r\n"
        b"content-type: text/plain\r\naccept: a/b\r\nx-empty:\r\nContent-Length: 4\r\n\r\nbody" % talker.port,
        b"GET /x HTTP/1.1\r\nHost: 127.0.0.1:%d\r\naccept-encoding: identity\r\naccept: a/b\r\n\r\n" % talker.port,
    ]


@pytest.mark.parametrize(
    ("url", "value"),
    [
        ("http://h/x", "z\nx: y"),
        ("http://h/x", "z\0"),
        ("http://h/x", "é"),
        ("ftp://h/x", "z"),
        ("file:///etc/passwd", "z"),
        ("http://[", "z"),
        ("http://h:99999/", "z"),
        ("http://é/", "z"),
    ],
)
def test_what_would_break_a_line_or_leads_elsewhere_is_not_sent(handle: Handle, url: str, value: str) -> None:
    with pytest.raises(TransferError) as caught:
        handle.exchange(Request("GET", url, {"a": value}, b""), time.monotonic() + PATIENT, MOST)
    assert caught.value.kind == "address"


# --- what comes back -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "content", "reusable"),
    [
        ([OK + HI], b"hi", True),
        ([OK[:9], OK[9:], b"content-le", b"ngth: 2\r\n\r", b"\nh", b"i"], b"hi", True),
        ([OK + b"transfer-encoding: chunked\r\n\r\n1\r\nh\r\n", b"1;x=y\r\ni\r\n0\r\n\r\n"], b"hi", True),
        ([OK + b"connection: close\r\n" + HI], b"hi", False),
        ([b"HTTP/1.0 200 OK\r\n" + HI], b"hi", False),
        # A reason may be anything.
        ([b"HTTP/1.1 200 x: y\r\n" + HI], b"hi", True),
        # An interim reply comes before the one that counts, and its headers do not.
        ([b"HTTP/1.1 100 Continue\r\nx: early\r\n\r\n", OK + HI], b"hi", True),
        # Lines that end without a carriage return, as home-made servers write them, and no reason.
        ([b"HTTP/1.1 200\ncontent-length: 2\n\nhi"], b"hi", True),
        # Whatever follows a reply belongs to nobody.
        ([OK + HI + OK + b"content-length: 2\r\n\r\nho"], b"hi", False),
        ([OK + HI + b" and more"], b"hi", False),
        ([b"HTTP/1.1 204 No Content\r\n\r\n"], b"", True),
    ],
)
def test_a_reply_is_read_to_its_end_and_no_further(
    handle: Handle, parts: list[bytes], content: bytes, reusable: bool
) -> None:
    with talking(answering(*parts)) as talker:
        for _ in range(2):
            reply = exchange(handle, talker)
            assert reply.content == content and reply.status in (200, 204) and "x" not in reply.headers
        assert talker.connections == (1 if reusable else 2)


def test_the_end_of_the_connection_ends_a_body_without_a_length(handle: Handle) -> None:
    with talking(answering_once(OK + b"\r\nh", b"i")) as talker:
        assert exchange(handle, talker).content == b"hi"


def test_headers_have_lower_names_and_those_of_one_name_are_joined(handle: Handle) -> None:
    with talking(answering(OK + b"X-A: 1\r\nx-a:  2 \r\nContent-Length: 0\r\nB: \xe9\r\n\r\n")) as talker:
        assert exchange(handle, talker).headers == {"x-a": "1, 2", "content-length": "0", "b": "é"}


def test_a_body_that_came_compressed_is_inflated_within_the_limit(handle: Handle) -> None:
    bare = zlib.compressobj(wbits=-15)
    forms = {
        b"gzip": gzip.compress(b"hello"),
        b"deflate": zlib.compress(b"hello"),
        b"Deflate": bare.compress(b"hello") + bare.flush(),
        b"br": b"unknown, so as it is",
    }

    def packed(name: bytes, body: bytes) -> Play:
        return answering(OK + b"content-encoding: %b\r\ncontent-length: %d\r\n\r\n" % (name, len(body)) + body)

    for name, body in forms.items():
        with talking(packed(name, body)) as talker:
            assert exchange(handle, talker).content == (body if name == b"br" else b"hello")
    assert trouble(handle, packed(b"gzip", gzip.compress(bytes(MOST + 1)))) == "too-long"
    assert trouble(handle, packed(b"gzip", b"abc")) == "not-http"
    with talking(packed(b"gzip", gzip.compress(bytes(MOST)))) as talker:
        assert exchange(handle, talker).content == bytes(MOST)


def test_a_small_body_that_inflates_without_end_is_refused_with_little_memory(handle: Handle) -> None:
    body = gzip.compress(bytes(200 * MOST))
    head = OK + b"content-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(body)
    tracemalloc.start()
    try:
        assert trouble(handle, answering(head + body), most=100 * MOST) == "too-long"
        assert tracemalloc.get_traced_memory()[1] < 10 * MOST
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("parts", "kind"),
    [
        ([], "not-http"),
        ([b"HTTP/1.1 200"], "not-http"),
        ([b"SSH-2.0-OpenSSH\r\n"], "not-http"),
        ([b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nyz"], "not-http"),
        ([OK + b"content-length: 9\r\n\r\nhi"], "short"),
        ([OK + b"transfer-encoding: chunked\r\n\r\n5\r\nhel"], "short"),
    ],
)
def test_a_reply_that_is_not_whole_or_not_http_is_an_error(handle: Handle, parts: list[bytes], kind: str) -> None:
    assert trouble(handle, answering_once(*parts)) == kind


@pytest.mark.parametrize(
    ("start", "chunk"),
    [
        (OK + b"\r\n", bytes(20_000)),
        (OK + b"transfer-encoding: chunked\r\n\r\n", b"5\r\nhello\r\n" * 2000),
        (OK + b"x: ", b"x" * 20_000),
        (OK, b"x: y\r\n" * 3000),
    ],
)
def test_what_is_too_long_is_not_read_to_its_end(handle: Handle, start: bytes, chunk: bytes) -> None:
    """Be it a body, one header without an end, or headers without number."""
    sent = 0

    def play(opened: socket.socket) -> None:
        nonlocal sent
        read_request(opened)
        opened.sendall(start)
        while True:
            opened.sendall(chunk)
            sent += len(chunk)

    assert trouble(handle, play, most=1 << 16) == "too-long"
    assert sent < 1 << 25


@pytest.mark.parametrize("flood", [OK + b"x: y\r\n" * 50_000, b"HTTP/1.1 100 Continue\r\n\r\n" * 20_000])
def test_a_flood_of_short_headers_is_refused_early(handle: Handle, flood: bytes) -> None:
    """Well below the limit on bytes, each line costs more than it weighs."""

    def play(opened: socket.socket) -> None:
        read_request(opened)
        opened.sendall(flood)

    assert trouble(handle, play) == "too-long"
    assert len(handle._lines) == HEAD_LIMIT_LINES + 1


# --- how long --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reads_on", [True, False])
def test_a_reply_that_comes_before_all_is_sent_counts(handle: Handle, reads_on: bool) -> None:
    """Such as that the image is too large, whether or not the server reads what else was sent."""
    over = threading.Event()

    def refuse(opened: socket.socket) -> None:
        opened.recv(1 << 12)
        opened.sendall(b"HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n")
        while reads_on and opened.recv(1 << 16):
            pass
        over.wait(PATIENT)

    with talking(refuse) as talker:
        for _ in range(10):
            assert exchange(handle, talker, bytes(8_000_000)).status == 413
        over.set()
        assert talker.connections == 10


def test_time_runs_out_while_sending_too(handle: Handle) -> None:
    over = threading.Event()
    with talking(lambda _: void(over.wait(PATIENT))) as talker, pytest.raises(TransferError) as caught:
        try:
            exchange(handle, talker, bytes(50_000_000), seconds=HASTY)
        finally:
            over.set()
    assert caught.value.kind == "timeout"


def void(_: object) -> None:
    """For a lambda that must give nothing."""


def test_a_stream_gives_the_head_before_the_body_and_stops_when_nothing_comes(handle: Handle) -> None:
    over = threading.Event()

    def play(opened: socket.socket) -> None:
        read_request(opened)
        opened.sendall(OK + b"content-length: 9\r\n\r\n")
        over.wait(PATIENT)
        opened.sendall(b"half")
        over.clear()
        over.wait(PATIENT)

    with talking(play) as talker:
        parts = handle.stream(Request("GET", talker.url, {}, b""), silence_seconds=3.0)
        head = next(parts)
        assert isinstance(head, Reply) and (head.status, head.headers) == (200, {"content-length": "9"})
        over.set()
        assert next(parts) == b"half"
        with pytest.raises(TransferError) as caught:
            next(parts)
        over.set()
        assert caught.value.kind == "timeout"


# --- connections -----------------------------------------------------------------------------------------------------


def test_a_request_is_never_sent_twice_over_a_connection_that_breaks(handle: Handle) -> None:
    """Every call may cost money, and the engine counts them."""
    seen: list[bytes] = []

    def play(opened: socket.socket) -> None:
        while (request := read_request(opened)) is not None:
            seen.append(request)
            if len(seen) > 1:
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            opened.sendall(OK + HI)

    with talking(play) as talker:
        assert exchange(handle, talker).content == b"hi"
        with pytest.raises(TransferError) as caught:
            exchange(handle, talker)
        assert caught.value.kind in ("broken", "not-http") and len(seen) == 2


def test_an_address_is_the_one_connected_to_whatever_the_host_is_called(handle: Handle) -> None:
    with talking(answering(OK + HI)) as talker:
        request = Request("GET", f"http://no-such-host.invalid:{talker.port}/x", {}, b"")
        parts = list(handle.stream(request, silence_seconds=PATIENT, address="127.0.0.1"))
        assert parts[1:] == [b"hi"] and talker.connections == 1


def test_an_address_is_checked_once_more_when_a_socket_is_opened() -> None:
    """Whatever libcurl made of the address, where the socket leads is what counts."""
    asked: list[str] = []

    def refusal(address: str) -> str:
        asked.append(address)
        return "a loopback address"

    with talking(answering(OK + HI)) as talker, contextlib.closing(Handle(refusal=refusal)) as handle:
        with pytest.raises(TransferError) as caught:
            list(handle.stream(Request("GET", talker.url, {}, b""), silence_seconds=PATIENT, address="127.0.0.1"))
        assert (caught.value.kind, caught.value.reason) == ("refused", "a loopback address")
        assert asked == ["127.0.0.1"] and talker.connections == 0


def test_no_netrc_is_read(handle: Handle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password hush\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    seen: list[bytes | None] = []

    def play(opened: socket.socket) -> None:
        seen.append(read_request(opened))
        opened.sendall(OK + HI)

    with talking(play) as talker:
        exchange(handle, talker)
    assert seen[0] is not None and b"uthorization" not in seen[0]


@pytest.mark.parametrize(("host", "asked"), [("h.example", b"h.example:443"), ("[::1]", b"[::1]:443")])
def test_a_tunnel_is_asked_for_and_a_status_that_refuses_it_is_the_proxys(host: str, asked: bytes) -> None:
    seen: list[bytes | None] = []

    def play(opened: socket.socket) -> None:
        seen.append(read_request(opened))
        opened.sendall(b"HTTP/1.1 407 No\r\ncontent-length: 5\r\n\r\nhello")

    with talking(play) as talker:
        proxy = Proxy(Origin("http", "127.0.0.1", talker.port), "proxy-authorization: k")
        with contextlib.closing(Handle(proxy)) as handle, pytest.raises(TransferError) as caught:
            handle.exchange(Request("GET", f"https://{host}/", {}, b""), time.monotonic() + PATIENT, MOST)
    assert (caught.value.kind, caught.value.reason) == ("proxy", "it answered with status 407")
    assert seen == [b"CONNECT %b HTTP/1.1\r\nHost: %b\r\nproxy-authorization: k\r\n\r\n" % (asked, asked)]


def test_a_proxy_that_hangs_up_is_the_proxys_trouble() -> None:
    def play(opened: socket.socket) -> None:
        read_request(opened)

    with talking(play) as talker:
        proxy = Proxy(Origin("http", "127.0.0.1", talker.port), None)
        with contextlib.closing(Handle(proxy)) as handle, pytest.raises(TransferError) as caught:
            handle.exchange(Request("GET", "https://h.example/", {}, b""), time.monotonic() + PATIENT, MOST)
    assert caught.value.kind == "proxy"


# --- Ctrl-C ----------------------------------------------------------------------------------------------------------

WAITS = """
import sys, time
from anamorph.http.messages import Request
from anamorph.http.transfers import HEAD_LIMIT_LINES, Handle
print("ready", flush=True)
try:
    Handle().exchange(Request("POST", sys.argv[1], {}, b"x"), time.monotonic() + 600, 1 << 20)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send")
def test_ctrl_c_ends_a_call_at_once_and_nothing_is_printed() -> None:
    arrived = threading.Event()
    over = threading.Event()

    def play(opened: socket.socket) -> None:
        read_request(opened)
        arrived.set()
        over.wait(PATIENT * 2)

    with talking(play) as talker:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        process = subprocess.Popen(
            [sys.executable, "-c", WAITS, talker.url],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert arrived.wait(PATIENT)
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=PATIENT)
        over.set()
    assert (said, complained, process.returncode) == ("ready\ninterrupted\n", "", 0)
