"""`anamorph init`: what it writes is a run."""

from __future__ import annotations

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
    assert "there is no folder 'nowhere'" in said
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
