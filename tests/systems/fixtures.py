from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from anamorph.model import Ask, Pixels, digest_of_text
from anamorph.systems.command.system import CommandSystem
from anamorph.systems.http.system import HttpSystem
from tests.certificates import make_certificate
from tests.systems.servers import SECRET, Server, serving

Asks = Callable[..., list[Ask]]


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "photo.png"
    Image.new("RGB", (8, 6), (60, 150, 60)).save(path)
    return path


@pytest.fixture
def asks(photo: Path) -> Asks:
    """Makes a number of items, all with the same picture."""

    def load() -> Pixels:
        with Image.open(photo) as image:
            return np.asarray(image.convert("RGB"))

    def make(count: int = 1, question: str | None = None, first: int = 0) -> list[Ask]:
        return [Ask(digest_of_text(str(i)), question, photo, load) for i in range(first, first + count)]

    return make


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate of this machine and of a host that there is not, and its key."""
    return make_certificate(tmp_path_factory.mktemp("tls"), "captions.example")


@pytest.fixture
def tls(certificate: tuple[Path, Path]) -> ssl.SSLContext:
    """What a server with that certificate needs."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    return context


@pytest.fixture
def trusted(certificate: tuple[Path, Path], clean_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets clients trust that certificate."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))


@pytest.fixture
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name == "SSL_CERT_FILE":
            monkeypatch.delenv(name)
    monkeypatch.setenv("ANAMORPH_TEST_KEY", SECRET)


@pytest.fixture
def system(server: Server) -> Iterator[Callable[..., HttpSystem]]:
    """Makes HTTP systems that ask the server; the tests of other systems have a fixture of their own."""
    made: list[HttpSystem] = []

    def make(path: str = "/caption", **settings: Any) -> HttpSystem:
        made.append(HttpSystem(server.url + path, **settings))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Callable[..., CommandSystem]]:
    """Makes systems that run the text of a Python program; nothing of them may be left after the test."""
    # Here, because the environment for heavy tests need not have psutil.
    from tests.systems.programs import running_programs

    with running_programs(tmp_path) as make:
        yield make
