"""What the package says about itself."""

from __future__ import annotations

import tomllib

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
    # DeepTest's edits are a baseline, not the whole of a paper.
    assert named == {*catalog.CATALOG["methods"]} - {"deeptest"} and len(notes) == 5
    for reference in citation["references"]:
        assert reference["title"] and int(reference["year"]) > 2000 and len(reference["authors"]) > 1


def test_the_package_is_typed_and_brings_its_plugin() -> None:
    assert (ROOT / "src" / "anamorph" / "py.typed").is_file() and "Typing :: Typed" in PROJECT["classifiers"]
    assert PROJECT["entry-points"]["pytest11"] == {"anamorph": "anamorph.pytest_plugin"}
    assert "Framework :: Pytest" in PROJECT["classifiers"]
