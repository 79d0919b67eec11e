"""What tests of weights stand on: an empty folder of models; a pip, an npm and a hub that reach this machine only."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.certificates import make_certificate
from tests.weights.serving import Shelf, serving


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "models"
    monkeypatch.setenv("ANAMORPH_MODELS", str(folder))
    return folder


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder that pip knows packages from."""
    folder = tmp_path / "links"
    folder.mkdir()
    for name, value in {"CONFIG_FILE": "/dev/null", "NO_INDEX": "1", "FIND_LINKS": str(folder)}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    for name in ("INDEX_URL", "EXTRA_INDEX_URL", "CONSTRAINT"):
        monkeypatch.delenv(f"PIP_{name}", raising=False)
    return folder


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shelf]:
    """The only registry that npm knows."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    with serving() as server:
        (tmp_path / "npmrc").touch()
        settings = {"registry": server.address("/"), "cache": str(tmp_path / "npm-cache"), "update_notifier": "false"}
        settings |= {"userconfig": str(tmp_path / "npmrc"), "globalconfig": str(tmp_path / "npmrc-global")}
        for name, value in settings.items():
            monkeypatch.setenv(f"npm_config_{name}", value)
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
            monkeypatch.delenv(name, raising=False)
        yield server


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make_certificate(tmp_path_factory.mktemp("certificate"), "hub.example")


@pytest.fixture
def hub(certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Shelf]:
    """A hub with a certificate that is trusted."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with serving(certificate) as server:
        yield server


def left_in(models: Path) -> list[str]:
    """What is in the folder of models, but for the lock."""
    return sorted(path.name for path in models.iterdir() if path.name != ".lock") if models.exists() else []
