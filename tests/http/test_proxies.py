from __future__ import annotations

import base64
import contextlib
import socket
import ssl
import threading
from collections.abc import Iterator

import pytest

from anamorph.errors import Refused, Transient
from anamorph.model import Answer
from anamorph.systems.http.system import HttpSystem
from tests.systems.endpoints import Asks, failure_of
from tests.systems.servers import HASTY, PATIENT, SECRET, Server

# No proxies, and one known secret.
pytestmark = pytest.mark.usefixtures("clean_environment")


class Proxy:
    """A proxy that opens tunnels to where a test says, whatever it is asked for."""

    def __init__(self, target: tuple[str, int], context: ssl.SSLContext | None, status: bytes = b"200 Go") -> None:
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

    def close(self) -> None:
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


@contextlib.contextmanager
def proxying(server: Server, context: ssl.SSLContext | None, status: bytes = b"200 Go") -> Iterator[Proxy]:
    proxy = Proxy(("127.0.0.1", server.server_address[1]), context, status)
    try:
        yield proxy
    finally:
        proxy.close()


@pytest.fixture
def secure(server: Server, tls: ssl.SSLContext) -> Server:
    """The server, with TLS."""
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    return server


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("within_tls", [False, True])
def test_calls_with_tls_go_through_a_tunnel(
    secure: Server, tls: ssl.SSLContext, asks: Asks, monkeypatch: pytest.MonkeyPatch, within_tls: bool
) -> None:
    """The certificate that is asked for is that of the host, not of the proxy, and the proxy sees no request."""
    with proxying(secure, tls if within_tls else None) as proxy:
        scheme = "https" if within_tls else "http"
        monkeypatch.setenv("HTTPS_PROXY", f"{scheme}://me:{SECRET}@localhost:{proxy.port}")
        http = HttpSystem("https://captions.example/x?v=1", image="raw")
        assert http.ask(asks(3), PATIENT) == [Answer("a dog")] * 3
        http.close()
        login = base64.b64encode(f"me:{SECRET}".encode())
        assert len(proxy.asked) == 1 and proxy.asked[0].startswith(b"CONNECT captions.example:443 HTTP/1.1\r\n")
        assert b"proxy-authorization: Basic %b\r\n" % login in proxy.asked[0]
    assert [request.path for request in secure.requests] == ["/x?v=1"] * 3
    assert "proxy-authorization" not in secure.last.headers and secure.last.headers["host"] == "captions.example"


@pytest.mark.usefixtures("trusted")
def test_a_proxy_with_tls_is_told_whole_addresses(secure: Server, asks: Asks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"https://localhost:{secure.server_address[1]}")
    http = HttpSystem("http://captions.example/x")
    assert http.ask(asks(1), PATIENT) == [Answer("a dog")]
    http.close()
    assert secure.last.path == "http://captions.example/x"


@pytest.mark.usefixtures("trusted")
def test_a_proxy_that_opens_no_tunnel_is_worth_another_try(
    secure: Server, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    with proxying(secure, None, b"407 Who are you") as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        problem = failure_of(HttpSystem("https://captions.example/x"), asks(1))
    assert isinstance(problem, Transient)
    where = "The proxy on the way to https://captions.example/x"
    assert str(problem) == f"{where} cannot be used: it answered with status 407."


def test_a_host_behind_a_proxy_must_be_trusted(secure: Server, asks: Asks, monkeypatch: pytest.MonkeyPatch) -> None:
    with proxying(secure, None) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        problem = failure_of(HttpSystem("https://captions.example/x"), asks(1))
    assert isinstance(problem, Refused) and "The certificate of https://captions.example/x is not trusted" in str(
        problem
    )


def test_a_proxy_that_stays_silent_takes_no_longer_than_a_call_may(asks: Asks, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{silent.getsockname()[1]}")
        problem = failure_of(HttpSystem("https://captions.example/x"), asks(1), HASTY)
    assert str(problem) == "No answer from https://captions.example/x within 0.5 s."
