"""`anamorph init`: what it writes is a run."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from anamorph.cli.init import init
from anamorph.config import read_toml, resolve
from anamorph.config.workflows import PLACES, Workflow
from anamorph.errors import UsageError

ROOT = Path(__file__).parents[2]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, photos: Callable[..., Path]) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "model.py").write_text("def caption(image): return 'a dog'\n")
    photos(2).rename(tmp_path / "my photos")
    return tmp_path


def _init(*words: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(init, list(words), input=typed, catch_exceptions=False)


def test_it_looks_at_photos_and_system_and_writes_a_file_that_runs(here: Path) -> None:
    said = _init("--scenes", "my photos", "--system", "model.py:caption").output
    assert "scenes: 2 photos, no annotated objects" in said
    assert "called as caption(image)" in said
    config = resolve(read_toml(here / "anamorph.toml"))
    assert [method.kind for method in config.methods] == ["deeptest"]
    assert config.plain["scenes"] == {"kind": "folder", "path": "my photos"}
    assert "anamorph run anamorph.toml --out runs/ci" in (here / PLACES["github"]).read_text()
    assert "anamorph baseline runs/first -o anamorph.baseline.json" in said


def test_the_example_needs_nothing(here: Path) -> None:
    _init("--example", "--ci", "none")
    assert resolve(read_toml(here / "anamorph.toml")).methods[0].kind == "crosscheck"
    assert not (here / ".github").exists()


def test_a_workflow_that_is_there_stays_and_a_configuration_is_not_replaced(here: Path) -> None:
    place = here / PLACES["github"]
    place.parent.mkdir(parents=True)
    place.write_text("mine")
    assert "Kept .github/workflows/anamorph.yml" in _init("--example").output
    assert place.read_text() == "mine"
    with pytest.raises(UsageError, match=r"anamorph.toml: is there already\. Replace it with --force"):
        _init("--scenes", "my photos", "--system", "model.py:caption")
    assert "toybox" in (here / "anamorph.toml").read_text()
    _init("--example", "--force")
    assert place.read_text() != "mine"


def test_a_person_is_asked_again_after_a_wrong_answer(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anamorph.cli.init._can_ask", lambda: True)
    monkeypatch.setattr("click.prompt", _answers("nowhere", "my photos", "model.py:captoin", "model.py:caption"))
    said = _init().output
    assert "the folder 'nowhere' does not exist" in said
    assert "Did you mean 'caption'" in said
    assert (here / "anamorph.toml").exists()


def test_a_missing_key_is_told_and_named_in_the_workflow(here: Path) -> None:
    said = _init("--scenes", "my photos", "--system", "openai:m").output
    assert "Before the first run: api.openai.com needs a key in the environment variable OPENAI_API_KEY" in said
    assert (here / PLACES["github"]).read_text().count("OPENAI_API_KEY: ${{ secrets.OPENAI_API_KEY }}") == 2


@pytest.mark.parametrize("service", PLACES)
def test_the_guide_shows_the_workflows_that_are_written(service: str) -> None:
    guide = (ROOT / "docs" / "guides" / "ci.md").read_text(encoding="utf-8")
    assert Workflow(service, secret="OPENAI_API_KEY").text in guide


def _answers(*texts: str) -> Callable[..., str]:
    left = list(texts)
    return lambda *words, **settings: left.pop(0)


def test_doctor_says_what_every_extra_is_for() -> None:
    import tomllib

    from anamorph.cli.doctor import DEVELOPMENT, EXTRAS

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(EXTRAS) == set(extras) - DEVELOPMENT


def test_nothing_is_written_through_links_or_to_a_pipe(here: Path) -> None:
    victim, out = here / "victim", here / "anamorph.toml"
    out.symlink_to(victim)
    with pytest.raises(UsageError, match="is there already"):
        _init("--example")
    with pytest.raises(UsageError, match="is a link"):
        _init("--example", "--force")
    assert not victim.exists()
    victim.write_text("precious")
    with pytest.raises(UsageError, match="is a link"):
        _init("--example", "--force")
    assert victim.read_text() == "precious"
    out.unlink()
    os.mkfifo(out)
    with pytest.raises(UsageError, match="not a regular file"):
        _init("--example", "--force", "--ci", "none")


def test_nothing_is_written_where_a_file_is_in_the_place_of_a_folder(here: Path) -> None:
    (here / ".github").write_text("")
    with pytest.raises(UsageError, match=r"\.github is not a folder; nothing was written"):
        _init("--example")
    assert not (here / "anamorph.toml").exists()


@pytest.mark.parametrize("name", ["a\nrun: evil\n.toml", "a\udcff.toml", "a\x1b[2J.toml"])
def test_a_name_that_cannot_be_printed_is_refused(here: Path, name: str) -> None:
    for ci in ("none", "github"):
        with pytest.raises(UsageError, match="cannot be printed"):
            _init("--example", "--out", name, "--ci", ci)


@pytest.mark.parametrize("name", ["a b.toml", "a: b.toml", "$(touch x).toml", "a #.toml", "'.toml"])
def test_a_name_that_means_more_to_yaml_or_to_a_shell_is_in_no_workflow(here: Path, name: str) -> None:
    with pytest.raises(UsageError, match="a workflow needs a name of letters"):
        _init("--example", "--out", name)
    said = _init("--example", "--out", name, "--ci", "none").output
    assert f"anamorph run {shlex.quote(name)} --out" in said
    assert resolve(read_toml(here / name)).methods[0].kind == "crosscheck"


def test_a_variable_whose_name_is_none_is_in_no_workflow(here: Path) -> None:
    system = "openai:m,key_variable=X}} ${{ secrets.GITHUB_TOKEN"
    with pytest.raises(UsageError, match="name of an environment variable"):
        _init("--scenes", "my photos", "--system", system)
    assert not (here / "anamorph.toml").exists()


def test_a_folder_whose_name_is_not_utf8_is_said(here: Path) -> None:
    (here / "my photos").rename(here / "my\udcff")
    with pytest.raises(UsageError, match="not UTF-8"):
        _init("--scenes", "my\udcff", "--system", "model.py:caption")
