from __future__ import annotations

import io
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from anamorph.http.guarded import BoundedSocket, Broken, connect
from anamorph.studies.collecting.downloads import Downloader, DownloadSettings
from tests.searchers.servers import Handler, Server, serving

SETTINGS = DownloadSettings(allow=("127.0.0.1",), rate_per_second=1000)

needs_openssl = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="openssl, which makes the certificate, is not installed"
)


def here(host: str, port: int) -> list[str]:
    return ["127.0.0.1"]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("certificate")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=photos.example -addext"
        f" subjectAltName=DNS:photos.example -keyout {key} -out {certificate}".split(),
        check=True,
        capture_output=True,
    )
    return certificate, key


@pytest.fixture
def secure_server(certificate: tuple[Path, Path]) -> Iterator[Server]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with serving(lambda request: request.reply(b"picture")) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        yield server


def trusting(certificate: tuple[Path, Path]) -> Downloader:
    return Downloader(SETTINGS, here, ssl.create_default_context(cafile=str(certificate[0])))


@needs_openssl
def test_a_certificate_must_be_of_the_host_that_was_named(
    secure_server: Server, certificate: tuple[Path, Path]
) -> None:
    port = secure_server.port
    assert trusting(certificate).fetch(f"https://photos.example:{port}/x.jpg") == b"picture"
    with pytest.raises(Broken, match="no connection: the certificate is not trusted: Hostname mismatch"):
        trusting(certificate).fetch(f"https://other.example:{port}/x.jpg")
    with pytest.raises(Broken, match="the certificate is not trusted: self-signed"):
        Downloader(SETTINGS, here).fetch(f"https://photos.example:{port}/x.jpg")


@needs_openssl
def test_a_redirect_from_https_to_http_is_refused(secure_server: Server, certificate: tuple[Path, Path]) -> None:
    def behave(request: Handler) -> None:
        request.reply(b"", 302, location=f"http://photos.example:{secure_server.port}/x.jpg")

    secure_server.behaviour = behave
    with pytest.raises(Broken, match="redirect refused: from https to http"):
        trusting(certificate).fetch(f"https://photos.example:{secure_server.port}/x.jpg")
    assert len(secure_server.requests) == 1


def test_the_peer_is_checked_once_more_when_the_connection_stands() -> None:
    """Whatever the system made of the address, where the socket ended up is what counts."""
    verdicts = iter([None, "a loopback address"])
    with serving(lambda request: request.reply(b"")) as server:
        with pytest.raises(Broken, match="address refused: a loopback address"):
            connect("photos.example", server.port, lambda address: next(verdicts), here, lambda: 5.0)
        assert not server.requests


def test_every_read_asks_how_much_time_is_left() -> None:
    one, other = socket.socketpair()
    times = iter([5.0, 4.0])

    def left() -> float:
        try:
            return next(times)
        except StopIteration:
            raise TimeoutError from None

    with one, other:
        bounded = BoundedSocket(one, left)
        bounded.sendall(b"x")
        other.sendall(b"ab")
        reader = bounded.makefile("rb")
        assert isinstance(reader, io.BufferedReader) and reader.read1(2) == b"ab"
        with pytest.raises(TimeoutError):
            reader.read1(2)
        bounded.end()
