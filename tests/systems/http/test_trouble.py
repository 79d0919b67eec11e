from __future__ import annotations

import socket
import threading
from email.utils import formatdate
from pathlib import Path

import pytest

from anamorph.errors import Refused, Transient
from anamorph.http import client as http_client
from anamorph.model import Ask
from anamorph.systems.http.system import HttpSystem
from tests.systems.endpoints import Asks, Systems, failure_of
from tests.systems.servers import HASTY, PATIENT, Handler, Server

# No proxies, and one known secret.
pytestmark = pytest.mark.usefixtures("clean_environment")


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 599])
def test_a_status_that_may_pass_is_worth_another_try(server: Server, system: Systems, asks: Asks, status: int) -> None:
    server.behaviour = lambda request: request.reply(b"please\n wait", status)
    problem = failure_of(system(), asks(1))
    assert isinstance(problem, Transient) and problem.retry_after_seconds is None
    assert f"status {status}" in str(problem) and "It said: please wait" in str(problem)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "400 Bad Request"),
        (401, "check the headers"),
        (403, "check the headers"),
        (404, "check the url"),
        (405, "check the method"),
        (413, "413"),
        (422, "422"),
        (304, "304"),
    ],
)
def test_a_status_that_stays_is_refused(server: Server, system: Systems, asks: Asks, status: int, said: str) -> None:
    server.behaviour = lambda request: request.reply(b"" if status == 304 else b"no " * 1000, status)
    problem = failure_of(system(), asks(1))
    assert isinstance(problem, Refused) and said in str(problem) and len(str(problem)) < 600


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "17"}, 17.0),
        ({"retry_after": " 0.5 "}, 0.5),
        ({"retry_after": "1", "retry_after_ms": "120"}, 0.12),
        ({"retry_after": "1", "retry_after_ms": "soon"}, 1.0),
        # The server's own clock counts, however wrong it is.
        ({"retry_after": formatdate(1_000_000_090, usegmt=True), "date": formatdate(1_000_000_000, usegmt=True)}, 90.0),
        ({"retry_after": formatdate(1_000_000_000, usegmt=True)}, 0.0),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "-5"}, None),
        ({"retry_after": "nan"}, None),
        ({"retry_after": ""}, None),
    ],
)
def test_the_time_to_wait_is_read_in_both_forms(
    server: Server, system: Systems, asks: Asks, status: int, headers: dict[str, str], seconds: float | None
) -> None:
    server.behaviour = lambda request: request.reply(b"", status, **headers)
    problem = failure_of(system(), asks(1))
    assert isinstance(problem, Transient) and problem.retry_after_seconds == seconds


def test_a_reset_connection_is_worth_another_try(server: Server, system: Systems, asks: Asks) -> None:
    server.behaviour = lambda request: request.reset()
    problem = failure_of(system(), asks(1))
    assert isinstance(problem, Transient) and "broke off" in str(problem)


def test_a_body_that_breaks_off_is_worth_another_try(server: Server, system: Systems, asks: Asks) -> None:
    def behave(request: Handler) -> None:
        request.wfile.write(b'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"text": "x"}')
        request.close_connection = True

    server.behaviour = behave
    problem = failure_of(system(), asks(1))
    assert isinstance(problem, Transient) and "broke off" in str(problem)


@pytest.mark.parametrize(
    "bytes_sent", [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\nnot gzip"]
)
def test_a_reply_that_is_no_http_is_worth_another_try(
    server: Server, system: Systems, asks: Asks, bytes_sent: bytes
) -> None:
    def behave(request: Handler) -> None:
        request.wfile.write(bytes_sent)
        request.close_connection = True

    server.behaviour = behave
    assert isinstance(failure_of(system(), asks(1)), Transient)


def test_nobody_there_is_worth_another_try(asks: Asks) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/x"
        problem = failure_of(HttpSystem(url), asks(1))
    assert isinstance(problem, Transient) and f"Cannot connect to {url}: Connection refused." == str(problem)


def test_a_host_that_is_unknown_is_named(asks: Asks) -> None:
    problem = failure_of(HttpSystem("http://no-such-host.invalid/x"), asks(1))
    assert isinstance(problem, Transient) and "http://no-such-host.invalid/x" in str(problem)


@pytest.mark.parametrize(
    "drip",
    [b"", b"HTTP/1.1 200 OK\r\nx-slow: ", b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n"],
)
def test_the_time_is_for_the_whole_exchange_however_slowly_it_drips(
    server: Server, system: Systems, asks: Asks, drip: bytes
) -> None:
    over = threading.Event()

    def behave(request: Handler) -> None:
        request.wfile.write(drip)
        request.wfile.flush()
        request.close_connection = True
        while drip and not over.wait(0.02):
            request.wfile.write(b"1")
            request.wfile.flush()
        over.wait(PATIENT)

    server.behaviour = behave
    problem = failure_of(system(), asks(1), HASTY)
    over.set()
    assert isinstance(problem, Transient)
    assert str(problem) == f"No answer from {server.url}/caption within 0.5 s."


def test_a_huge_reply_is_refused_without_reading_it_all(
    server: Server, system: Systems, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_client, "REPLY_LIMIT_BYTES", 1 << 20)

    def behave(request: Handler) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        request.close_connection = True
        while True:
            request.wfile.write(b"x" * 65536)

    server.behaviour = behave
    problem = failure_of(system(), asks(1))
    assert isinstance(problem, Refused) and "more than 1048576 bytes" in str(problem)


def test_an_image_that_is_gone_is_refused(system: Systems, asks: Asks, photo: Path) -> None:
    batch = asks(1)
    photo.unlink()
    assert "cannot be read: No such file" in str(failure_of(system(), batch))
    assert "needs an image file" in str(failure_of(system(), [Ask("0" * 32, None, None, batch[0].load)]))
