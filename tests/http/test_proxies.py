from __future__ import annotations

import base64
import socket
import ssl

import pytest

from anamorph.errors import Refused, Transient
from anamorph.model import Answer
from anamorph.systems.http.system import HttpSystem
from tests.http.tunnels import Proxy
from tests.systems.endpoints import Asks, failure_of
from tests.systems.servers import HASTY, PATIENT, SECRET, Server

# No proxies, and one known secret.
pytestmark = pytest.mark.usefixtures("clean_environment")


def proxying(server: Server, context: ssl.SSLContext | None, status: bytes = b"200 Go") -> Proxy:
    return Proxy(("127.0.0.1", server.server_address[1]), context, status)


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
    where = "The proxy for https://captions.example/x"
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
