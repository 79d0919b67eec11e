from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from anamorph.cli.list import list_command
from anamorph.errors import UsageError
from anamorph.model import digest_of_text
from anamorph.store.shelf import default_file
from anamorph.store.stock import FOLDER, Stock


def said(*words: str) -> str:
    return CliRunner().invoke(list_command, words, catch_exceptions=False).output


def test_it_shows_what_is_kept_and_clears_it() -> None:
    Stock(default_file(FOLDER), 10**6).put(digest_of_text("a"), b"x" * 500_000)
    assert "1 entry, 0.5 MB" in said("cache")
    found = json.loads(said("cache", "--json"))
    assert (found["folder"], found["entries"], found["cleared"]) == (str(default_file(FOLDER)), 1, False)
    assert said("cache", "--clear").startswith("Removed 1 entry")
    assert "0 entries" in said("cache")


def test_another_folder_can_be_named(tmp_path: Path) -> None:
    Stock(tmp_path / "made", 10**6).put(digest_of_text("a"), b"x")
    assert "1 entry" in said("cache", str(tmp_path / "made"))


def test_nothing_else_is_cleared() -> None:
    problem = CliRunner().invoke(list_command, ["systems", "--clear"]).exception
    assert isinstance(problem, UsageError)
