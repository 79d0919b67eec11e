"""What the package says about itself."""

from __future__ import annotations

import email
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import anamorph
from anamorph import catalog
from tests.conftest import ROOT
from tests.docs.test_ci import yaml_of

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_citation_names_the_paper_of_every_method_that_has_one() -> None:
    citation = yaml_of((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == anamorph.__version__ and citation["license"] == PROJECT["license"]
    notes = [reference["notes"] for reference in citation["references"]]
    named = {note.removeprefix("The method ").split()[0] for note in notes}
    # DeepTest's edits are a baseline, not the whole of a paper; crosscheck has no paper; oamt and reic are our own
    # readings of a repository and of an abstract.
    others = {"deeptest", "crosscheck", "oamt", "reic"}
    assert named == {*catalog.CATALOG["methods"]} - others and len(notes) == 5
    for reference in citation["references"]:
        assert reference["title"] and int(reference["year"]) > 2000 and len(reference["authors"]) > 1


def test_the_package_is_typed_and_brings_its_plugin() -> None:
    assert (ROOT / "src" / "anamorph" / "py.typed").is_file() and "Typing :: Typed" in PROJECT["classifiers"]
    assert PROJECT["entry-points"]["pytest11"] == {"anamorph": "anamorph.pytest_plugin"}
    assert "Framework :: Pytest" in PROJECT["classifiers"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the wheel and the sdist, built by hatchling itself: no network, no isolated environment."""
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.slow
def test_the_wheel_has_every_file_of_the_package_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (described,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(described))
    package = ROOT / "src" / "anamorph"
    files = [path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    wanted = {path.relative_to(ROOT / "src").as_posix() for path in files}
    assert wanted <= names and "anamorph/py.typed" in wanted and "anamorph/toybox/models/eye.onnx" in wanted
    assert all(name.startswith(f"anamorph-{anamorph.__version__}.dist-info/") for name in names - wanted)
    assert wheel.name.endswith("-py3-none-any.whl") and wheel.stat().st_size < 12_000_000
    assert metadata["Requires-Python"] == PROJECT["requires-python"]
    assert set(metadata.get_all("Provides-Extra") or ()) == set(PROJECT["optional-dependencies"])


@pytest.mark.slow
def test_the_sdist_builds_tests_and_documents_itself(built: Path) -> None:
    (file,) = built.glob("*.tar.gz")
    with tarfile.open(file) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "pyproject.toml",
        "Makefile",
        "LICENSE",
        "src/anamorph/py.typed",
        "tests/conftest.py",
        "docs/conf.py",
    } <= names
    # The pages that docs/project shows.
    for page in (ROOT / "docs" / "project").glob("*.md"):
        assert f"{page.stem.upper()}.md" in names


@pytest.mark.slow
def test_the_wheel_works_without_the_project(built: Path, tmp_path: Path) -> None:
    """Unpacked, as an installer does it, beside the libraries of this environment and far from the sources."""
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    for words in (["--version"], ["plan", "-m", "rome", "-s", "toybox:2"], ["read", "Two dogs."]):
        command = [sys.executable, "-P", "-m", "anamorph.cli.main", *words]
        environment = {"PYTHONPATH": str(tmp_path / "site"), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    where = subprocess.run(
        [sys.executable, "-P", "-c", "import anamorph; print(anamorph.__file__)"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert where.stdout.startswith(str(tmp_path))


def test_the_versions_of_python_are_those_that_the_metadata_names() -> None:
    named = {line.rpartition(" ")[2] for line in PROJECT["classifiers"] if " :: 3." in line}
    assert named == {"3.11", "3.12", "3.13", "3.14"} and PROJECT["requires-python"] == ">=3.11"
