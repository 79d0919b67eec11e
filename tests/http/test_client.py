from __future__ import annotations

import base64
import socket
import ssl
import threading
import traceback
from pathlib import Path

import pytest

from anamorph.errors import Refused, Transient
from anamorph.model import Answer
from anamorph.systems.http.system import HttpSystem
from tests.systems.endpoints import Asks, Systems, failure_of
from tests.systems.servers import HASTY, PATIENT, SECRET, Handler, Server

# No proxies, and one known secret.
pytestmark = pytest.mark.usefixtures("clean_environment")


# --- redirects -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_within_the_host_is_followed_with_the_body(
    server: Server, system: Systems, asks: Asks, status: int
) -> None:
    def behave(request: Handler) -> None:
        if request.path == "/caption":
            request.reply(b"", status, location="/caption/")
        else:
            request.reply({"text": f"{request.command} {len(request.body) > 100} {request.headers['x-model']}"})

    server.behaviour = behave
    assert system(headers={"X-Model": "m"}).ask(asks(1), PATIENT) == [Answer("POST True m")]


def test_see_other_is_fetched_without_the_body(server: Server, system: Systems, asks: Asks) -> None:
    def behave(request: Handler) -> None:
        if request.path == "/caption":
            request.reply(b"", 303, location="/result")
        else:
            request.reply({"text": f"{request.command} {len(request.body)}"})

    server.behaviour = behave
    assert system().ask(asks(1), PATIENT) == [Answer("GET 0")]


def test_a_redirect_to_another_host_is_refused_and_nothing_is_sent_there(
    server: Server, system: Systems, asks: Asks
) -> None:
    with Server() as other:
        server.behaviour = lambda request: request.reply(b"", 307, location=f"{other.url}/x?token={SECRET}")
        problem = failure_of(system(headers={"Authorization": "Bearer ${ANAMORPH_TEST_KEY}"}), asks(1))
        assert isinstance(problem, Refused) and f"redirected to {other.url}/x, another host" in str(problem)
        assert SECRET not in str(problem) and not other.requests


@pytest.mark.parametrize(
    ("location", "said"),
    [("/caption", "redirected more than 3 times"), ("", "without a Location header"), ("http://[", "not valid")],
)
def test_a_redirect_that_leads_nowhere_is_refused(
    server: Server, system: Systems, asks: Asks, location: str, said: str
) -> None:
    server.behaviour = lambda request: request.reply(b"", 302, location=location)
    problem = failure_of(system(), asks(1))
    assert isinstance(problem, Refused) and said in str(problem) and len(server.requests) <= 4


# --- connections that are kept ---------------------------------------------------------------------------------------


def test_a_connection_serves_many_calls_until_the_system_is_closed(server: Server, system: Systems, asks: Asks) -> None:
    http = system()
    http.ask(asks(5), PATIENT)
    assert (len(server.requests), server.connections) == (5, 1)
    http.close()
    http.ask(asks(1), PATIENT)
    assert server.connections == 2


@pytest.mark.parametrize("told", [True, False])
def test_a_connection_that_the_server_closed_is_not_used_again(
    server: Server, system: Systems, asks: Asks, told: bool
) -> None:
    def hang_up(request: Handler) -> None:
        headers = {"connection": "close"} if told else {}
        request.reply({"text": "a dog"}, 200, **headers)
        request.close_connection = True

    server.behaviour = hang_up
    http = system()
    for count in range(1, 4):
        assert http.ask(asks(1), PATIENT) == [Answer("a dog")]
        assert server.closed.acquire(timeout=PATIENT) and server.connections == count


# --- on the way ------------------------------------------------------------------------------------------------------


def test_a_proxy_of_the_environment_is_used_with_its_login(
    server: Server, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", server.url.replace("http://", f"http://me:{SECRET}@"))
    http = HttpSystem("http://captions.invalid/x?v=1")
    assert http.ask(asks(1), PATIENT) == [Answer("a dog")]
    assert server.last.path == "http://captions.invalid/x?v=1"
    assert server.last.headers["proxy-authorization"] == f"Basic {base64.b64encode(f'me:{SECRET}'.encode()).decode()}"
    http.close()
    server.behaviour = lambda request: request.reset()
    problem = failure_of(http, asks(1))
    http.close()
    assert isinstance(problem, Transient) and SECRET not in str(problem)


def test_hosts_that_need_no_proxy_are_called_directly(
    server: Server, system: Systems, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{unused.getsockname()[1]}")
        assert system().ask(asks(1), PATIENT) == [Answer("a dog")]
        assert "The proxy for http://captions.invalid/" in str(
            failure_of(HttpSystem("http://captions.invalid/"), asks(1))
        )
        monkeypatch.setenv("NO_PROXY", "captions.invalid")
        assert "Cannot connect to http://captions.invalid/" in str(
            failure_of(HttpSystem("http://captions.invalid/"), asks(1))
        )


@pytest.mark.parametrize("proxy", [f"socks5://me:{SECRET}@127.0.0.1:1", "http://", f"http://me:{SECRET}@h:99999"])
def test_a_proxy_that_cannot_be_used_is_refused(asks: Asks, monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    problem = failure_of(HttpSystem("http://captions.invalid/"), asks(1))
    assert isinstance(problem, Refused) and "The environment's proxy" in str(problem)
    assert SECRET not in "".join(traceback.format_exception(problem))


def test_only_a_trusted_certificate_is_accepted(
    server: Server, asks: Asks, certificate: tuple[Path, Path], tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    http = HttpSystem(f"https://localhost:{server.server_address[1]}/x")
    problem = failure_of(http, asks(1))
    assert isinstance(problem, Refused) and "is not trusted: self-signed certificate" in str(problem)
    http.close()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    assert http.ask(asks(1), PATIENT) == [Answer("a dog")]
    over = threading.Event()

    def stay_silent(request: Handler) -> None:
        over.wait(PATIENT)

    server.behaviour = stay_silent
    problem = failure_of(http, asks(1), HASTY)
    over.set()
    assert isinstance(problem, Transient) and "within 0.5 s" in str(problem)
    http.close()
