from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from anamorph.http.addresses import Resolve, resolve
from anamorph.studies.collect.downloads import Broken, Downloader, DownloadSettings
from tests.certificates import make_certificate
from tests.searchers.servers import Handler, Server, pages, serving

PICTURE = b"\xff\xd8\xff" + b"picture" * 1000


def downloader(*, lookup: Resolve = resolve, allow: Any = ("127.0.0.1",), **settings: Any) -> Downloader:
    return Downloader(DownloadSettings(allow=tuple(allow), rate_per_second=1000, **settings), lookup)


def reason_of(call: Callable[[], object]) -> str:
    with pytest.raises(Broken) as caught:
        call()
    return caught.value.reason


@pytest.fixture
def no_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refusals must come before a socket, or a handle that could open one, is even made."""

    def forbidden(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("a socket was made")

    monkeypatch.setattr(socket, "socket", forbidden)
    monkeypatch.setattr("anamorph.http.transfers.Handle", forbidden)


def test_a_file_comes_as_it_is() -> None:
    with serving(pages(PICTURE)) as server:
        assert downloader(contact="me@example.org").fetch(f"{server.url}/ü ber.jpg?a=ß") == PICTURE
    seen = server.requests[0]
    assert seen.path == "/%C3%BC%20ber.jpg?a=%C3%9F"
    assert seen.headers["accept-encoding"] == "identity" and "me@example.org" in seen.headers["user-agent"]


# --- where it may go ------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_sockets")
@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/x.jpg",
        "http://[::1]/x.jpg",
        "http://[::ffff:127.0.0.1]/x.jpg",
        "http://10.0.0.5/x.jpg",
        "https://192.168.1.1/x.jpg",
        "http://169.254.169.254/latest/meta-data",
        "http://224.0.0.1/x.jpg",
        "http://0.0.0.0/x.jpg",
    ],
)
def test_private_addresses_are_refused_before_a_connection(url: str) -> None:
    strict = downloader(allow=(), lookup=lambda host, port: [host])
    assert reason_of(lambda: strict.fetch(url)) == "address refused"


@pytest.mark.usefixtures("no_sockets")
@pytest.mark.parametrize("found", [["10.0.0.1"], ["::ffff:127.0.0.1"], ["fe80::1%2", "127.0.0.1"], []])
def test_a_public_name_that_leads_to_a_private_address_is_refused(found: list[str]) -> None:
    strict = downloader(allow=(), lookup=lambda host, port: found)
    assert reason_of(lambda: strict.fetch("https://photos.example/x.jpg")) == "address refused"


def test_a_name_is_looked_up_once_so_that_it_cannot_change_its_mind() -> None:
    asked: list[str] = []

    def rebinding(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

    with serving(pages(PICTURE)) as server:
        assert downloader(lookup=rebinding).fetch(f"http://photos.example:{server.port}/x.jpg") == PICTURE
    assert asked == ["photos.example"]


def test_a_redirect_is_checked_like_the_first_address() -> None:
    def behave(request: Handler) -> None:
        request.reply(b"", 302, location=f"http://internal.example:{server.port}/secret")

    def lookup(host: str, port: int) -> list[str]:
        return ["127.0.0.2"] if host == "internal.example" else ["127.0.0.1"]

    with serving(behave) as server:
        caught = reason_of(lambda: downloader(lookup=lookup).fetch(f"{server.url}/x.jpg"))
        assert caught == "address refused" and len(server.requests) == 1


def test_of_several_addresses_the_first_that_may_be_reached_is_used() -> None:
    with serving(pages(PICTURE)) as server:
        found = downloader(lookup=lambda host, port: ["10.0.0.1", "127.0.0.1"])
        assert found.fetch(f"http://photos.example:{server.port}/") == PICTURE


@pytest.mark.usefixtures("no_sockets")
@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://photos.example/x.jpg",
        "data:image/png;base64,AAAA",
        "http://user:pw@photos.example/x.jpg",
        "http:///x.jpg",
        "http://photos.example:99999/",
        "http://[::1/x.jpg",
        "http://a b/x.jpg",
        "",
        "http://photos.example/" + "x" * 5000,
    ],
)
def test_only_plain_http_and_https_addresses_are_tried(url: str) -> None:
    assert reason_of(lambda: downloader().fetch(url)) == "bad address"


# --- redirects ------------------------------------------------------------------------------------------------------


def test_redirects_are_followed_up_to_the_limit() -> None:
    def behave(request: Handler) -> None:
        number = int(request.path.strip("/") or 0)
        if number < 3:
            request.reply(b"", 302, location=f"/{number + 1}")
        else:
            request.reply(PICTURE)

    with serving(behave) as server:
        assert downloader(redirects=3).fetch(f"{server.url}/0") == PICTURE
        assert reason_of(lambda: downloader(redirects=2).fetch(f"{server.url}/0")) == "too many redirects"


@pytest.mark.parametrize("location", ["file:///etc/passwd", "gopher://127.0.0.1/", "http://[::1"])
def test_a_redirect_to_something_else_is_refused(location: str) -> None:
    with serving(lambda request: request.reply(b"", 301, location=location)) as server:
        assert reason_of(lambda: downloader().fetch(server.url)) == "bad address"


# --- how much -------------------------------------------------------------------------------------------------------


def _says_too_much(request: Handler) -> None:
    request.send_response_only(200)
    request.send_header("content-length", "5000000")
    request.end_headers()


def _sends_too_much(request: Handler) -> None:
    request.send_response_only(200)
    request.send_header("transfer-encoding", "chunked")
    request.end_headers()
    for _ in range(100):
        request.wfile.write(b"10000\r\n" + b"\0" * 65536 + b"\r\n")


def _ends_early(request: Handler) -> None:
    request.send_response_only(200)
    request.send_header("content-length", "100")
    request.end_headers()
    request.wfile.write(PICTURE[:50])
    request.wfile.flush()
    request.close_connection = True


def _speaks_something_else(request: Handler) -> None:
    request.wfile.write(b"SSH-2.0-OpenSSH\r\n")
    request.close_connection = True


@pytest.mark.parametrize(
    ("behave", "reason"),
    [
        (_says_too_much, "too many bytes"),
        (_sends_too_much, "too many bytes"),
        (_ends_early, "cut short"),
        (_speaks_something_else, "bad reply"),
        (lambda request: request.reply(b"\x1f\x8b", content_encoding="gzip"), "compressed"),
        (lambda request: request.reply(b"", 302), "bad status"),
        *((lambda request, status=status: request.reply(b"", status), "bad status") for status in (204, 206, 404, 500)),
    ],
)
def test_a_reply_that_is_too_much_or_no_file_is_refused_with_its_reason(behave: Any, reason: str) -> None:
    with serving(behave) as server:
        assert reason_of(lambda: downloader(most_megabytes=1).fetch(server.url)) == reason


# --- how long -------------------------------------------------------------------------------------------------------


def test_a_server_that_says_nothing_is_given_up() -> None:
    done = threading.Event()

    def behave(request: Handler) -> None:
        done.wait(30)

    with serving(behave) as server:
        assert reason_of(lambda: downloader(read_timeout_seconds=0.1).fetch(server.url)) == "timed out"
        done.set()


@pytest.mark.parametrize("part", ["headers", "body"])
def test_a_server_that_drips_is_given_up_when_the_time_is_up(part: str) -> None:
    done = threading.Event()

    def behave(request: Handler) -> None:
        if part == "body":
            request.send_response_only(200)
            request.end_headers()
        else:
            request.wfile.write(b"HTTP/1.1 200 OK\r\nx-slow: ")
        while not done.wait(0.02):
            request.wfile.write(b"a")
            request.wfile.flush()

    with serving(behave) as server:
        hasty = downloader(timeout_seconds=0.4, read_timeout_seconds=10)
        assert reason_of(lambda: hasty.fetch(server.url)) == "timed out"
        done.set()


def test_a_resolver_that_hangs_is_left_behind() -> None:
    done = threading.Event()

    def hanging(host: str, port: int) -> list[str]:
        done.wait(30)
        return []

    assert reason_of(lambda: downloader(lookup=hanging, timeout_seconds=0.1).fetch("http://a.example/")) == "timed out"
    done.set()


def test_a_name_that_nobody_knows_and_a_port_where_nobody_listens_are_no_connection() -> None:
    def unknown(host: str, port: int) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    assert reason_of(lambda: downloader(lookup=unknown).fetch("http://a.example/")) == "no connection"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        assert reason_of(lambda: downloader().fetch(f"http://127.0.0.1:{port}/")) == "no connection"


def test_https_without_a_trusted_certificate_is_no_connection() -> None:
    with serving(pages(PICTURE)) as server:
        assert reason_of(lambda: downloader().fetch(f"https://127.0.0.1:{server.port}/")) == "no connection"


# --- certificates ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make_certificate(tmp_path_factory.mktemp("certificate"), "photos.example")


@pytest.fixture
def secure_server(certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server with a certificate of photos.example, which is trusted."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with serving(lambda request: request.reply(PICTURE)) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        yield server


def here(host: str, port: int) -> list[str]:
    return ["127.0.0.1"]


def test_a_certificate_must_be_trusted_and_of_the_host_that_was_named(
    secure_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = secure_server.port
    assert downloader(lookup=here).fetch(f"https://photos.example:{port}/x.jpg") == PICTURE
    with pytest.raises(Broken, match="no connection: the certificate is not trusted: Hostname mismatch"):
        downloader(lookup=here).fetch(f"https://other.example:{port}/x.jpg")
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(Broken, match="the certificate is not trusted: self-signed"):
        downloader(lookup=here).fetch(f"https://photos.example:{port}/x.jpg")


def test_a_redirect_from_https_to_http_is_refused(secure_server: Server) -> None:
    def behave(request: Handler) -> None:
        request.reply(b"", 302, location=f"http://photos.example:{secure_server.port}/x.jpg")

    secure_server.behaviour = behave
    with pytest.raises(Broken, match="redirect refused: from https to http"):
        downloader(lookup=here).fetch(f"https://photos.example:{secure_server.port}/x.jpg")
    assert len(secure_server.requests) == 1


@pytest.mark.parametrize("settings", [{"allow": ("localhost",)}, {"contact": "a\r\nb"}])
def test_settings_that_cannot_be_meant_are_refused(settings: Any) -> None:
    with pytest.raises(ValueError, match=r"network address|contact"):
        DownloadSettings(**settings)
