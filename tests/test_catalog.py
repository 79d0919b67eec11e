from __future__ import annotations

import dataclasses
import functools
import importlib
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from anamorph import catalog
from anamorph.errors import UnknownName, UsageError
from tests.conftest import ROOT

ENTRIES = [(group, name) for group, names in catalog.CATALOG.items() for name in names]
# Packages that entries share and that hold a module named like an entry's.
SHARED_BY_ENTRIES = {"remote", "photo_folders"}


@pytest.mark.parametrize(("group", "name"), ENTRIES)
def test_every_entry_is_a_noun_with_its_kind_one_verb_and_a_docstring(group: str, name: str) -> None:
    cls = catalog.find(group, name)
    assert dataclasses.is_dataclass(cls)
    assert vars(cls)["kind"] == name
    assert callable(getattr(cls, catalog.VERBS[group]))
    assert (cls.__doc__ or "").strip()


@pytest.mark.parametrize(("group", "name"), ENTRIES)
def test_every_entry_has_its_code_its_test_file_and_its_docs_page(group: str, name: str) -> None:
    module = catalog.CATALOG[group][name].partition(":")[0]
    code = ROOT / "src" / f"{module.replace('.', '/')}.py"
    assert code.is_file(), (
        f"{_shown(code)} is missing: catalog.py says that the {catalog.singular(group)} {name} is there"
    )
    package, file = module.split(".")[1:3]
    test = ROOT / "tests" / package / f"test_{file}.py"
    assert test.is_file() or name in covered_together(package), (
        f"{_shown(test)} is missing: the tests of the {catalog.singular(group)} {name}"
    )
    page = ROOT / "docs" / group / f"{name}.md"
    assert page.is_file(), f"{_shown(page)} is missing: the docs page of the {catalog.singular(group)} {name}"
    for field in dataclasses.fields(catalog.find(group, name)):
        if field.init:
            assert f"`{field.name}`" in page.read_text(), f"{_shown(page)} does not mention the setting {field.name!r}"


@pytest.mark.parametrize("group", catalog.CATALOG)
def test_every_file_at_the_top_of_a_group_is_an_entry(group: str) -> None:
    """A package is one where it holds a module named after what the group lists, such as method.py."""
    folder = ROOT / "src" / "anamorph" / group
    main = catalog.singular(group).split()[-1]
    found = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    found |= {path.parent.name for path in folder.glob(f"*/{main}.py")} - SHARED_BY_ENTRIES
    known = {
        place.partition(":")[0].split(".")[2] for place in catalog.CATALOG[group].values() if f".{group}." in place
    }
    for name in sorted(found - known):
        raise AssertionError(f"CATALOG[{group!r}] of catalog.py lacks a line for {_shown(folder / name)}")


def _shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@functools.cache
def covered_together(package: str) -> frozenset[str]:
    """The entries that are parameters of a shared test file: those that it makes its variable COVERS of."""
    modules = (
        importlib.import_module(f"tests.{package}.{path.stem}")
        for path in (ROOT / "tests" / package).glob("test_*.py")
        if "\nCOVERS = " in path.read_text(encoding="utf-8")
    )
    return frozenset(name for module in modules for name in module.COVERS)


@pytest.mark.parametrize(("group", "name"), ENTRIES)
def test_every_setting_says_what_it_means(group: str, name: str) -> None:
    for field in dataclasses.fields(catalog.find(group, name)):
        if field.init:
            assert field.metadata.get("help"), f"{group} {name}: the setting {field.name!r} has no help"


def test_an_unknown_name_gets_a_suggestion_and_the_known_ones() -> None:
    with pytest.raises(UnknownName, match=r"Unknown method 'deptest'\. Did you mean 'deeptest'\? Known: .*deeptest"):
        catalog.find("methods", "deptest")


def test_nothing_heavy_is_imported_by_looking_at_the_catalogue() -> None:
    heavy = ("cv2", "PIL", "pycurl", "rich", "torch")
    program = f"import sys, anamorph.catalog; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.strip() == "[]"


def test_help_needs_no_http_library() -> None:
    program = "import sys; from anamorph.cli.main import cli; cli.main(['--help'], standalone_mode=False); "
    program += "print([m for m in ('pycurl', 'boto3', 'torch') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


OWN = '''
from dataclasses import dataclass
from typing import ClassVar
from anamorph.model import Picture, Verdict

@dataclass(frozen=True)
class Flip:
    """Swap left and right."""
    kind: ClassVar[str] = "flip"

    def apply(self, picture: Picture) -> Picture:
        return picture.with_pixels(picture.pixels[:, ::-1].copy())

@dataclass(frozen=True)
class SameLength:
    """Captions are equally long."""
    kind: ClassVar[str] = "same-length"
    reads: ClassVar[str] = "wording"

    def judge(self, readings):
        lengths = {len(reading.text) for reading in readings}
        return Verdict("holds" if len(lengths) == 1 else "violated", f"The captions have {len(lengths)} lengths.")
'''


def test_a_file_of_ones_own_adds_names_by_their_verbs(tmp_path: Path) -> None:
    file = tmp_path / "my_checks.py"
    file.write_text(OWN)
    assert catalog.load_file(file) == [("edits", "flip"), ("relations", "same-length")]
    assert catalog.find("edits", "flip").__name__ == "Flip"
    assert "flip" in catalog.names("edits")
    assert catalog.origin("edits", "flip") == str(file)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("x = 1", "no extension found. Define a class with a `kind`"),
        ("1 / 0", "cannot be loaded: ZeroDivisionError: division by zero"),
        (
            "class B:\n    kind = 'blur'\n    def apply(self, picture): ...",
            "'blur' is the name of Anamorph's own edit.",
        ),
    ],
)
def test_a_bad_file_is_named_with_what_is_wrong(tmp_path: Path, content: str, complaint: str) -> None:
    file = tmp_path / "my_checks.py"
    file.write_text(content)
    with pytest.raises(UsageError) as caught:
        catalog.load_file(file)
    assert str(file) in str(caught.value) and complaint in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone\.py: no such file"):
        catalog.load_file(tmp_path / "gone.py")


@pytest.mark.slow
def test_a_really_installed_package_adds_names_through_entry_points(tmp_path: Path) -> None:
    """The package is installed with pip into an environment of its own that sees ours."""
    venv.create(tmp_path / "env", with_pip=False, symlinks=True)
    python = tmp_path / "env" / "bin" / "python"
    here = Path(__file__).parent / "plugin_package"
    site = next((tmp_path / "env" / "lib").glob("python*/site-packages"))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    copied = tmp_path / "plugin_package"
    subprocess.run(["cp", "-r", str(here), str(copied)], check=True)
    subprocess.run([*pip, "--no-build-isolation", "--target", str(site), str(copied)], check=True)
    ours = os.pathsep.join(path for path in sys.path if path)
    program = (
        "from anamorph import catalog; from anamorph.errors import UsageError\n"
        "print(catalog.find('edits', 'negative').__name__, catalog.origin('edits', 'negative'))\n"
        "print('negative' in catalog.names('edits'))\n"
        "try: catalog.find('edits', 'broken')\n"
        "except UsageError as problem: print(problem)\n"
    )
    done = subprocess.run(
        [python, "-c", program], env={"PYTHONPATH": ours}, capture_output=True, text=True, check=True, cwd=tmp_path
    )
    first, second, third = done.stdout.splitlines()
    assert first == "Negative anamorph-negative 1.2.3"
    assert second == "True"
    assert third.startswith("The edit 'broken' from anamorph-negative 1.2.3 cannot be loaded: ModuleNotFoundError")
