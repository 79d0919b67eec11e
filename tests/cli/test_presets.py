from __future__ import annotations

import json
import tomllib

import pytest
from click.testing import CliRunner

from anamorph.cli.main import cli
from anamorph.config.presets.files import preset, preset_names
from anamorph.errors import UnknownName, UsageError


def said(*words: str) -> str:
    return CliRunner().invoke(cli, words, catch_exceptions=False, standalone_mode=False).output


@pytest.mark.parametrize("command", ["run", "plan"])
def test_a_preset_is_printed_as_the_file_that_it_is(command: str) -> None:
    printed = said(command, "--preset", "rome-paper", "--print")
    assert printed == preset("rome-paper").text
    assert tomllib.loads(printed)["rome"]["max_depth"] == 2


def test_presets_are_listed_with_every_setting_and_where_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    listed = said("list", "presets")
    for each in map(preset, preset_names()):
        assert each.summary in listed
        assert said("list", "presets", each.name) == each.text
    (one,) = json.loads(said("list", "presets", "atom-paper", "--json"))
    assert {"key": "atom.k", "value": [1, 2], "where": "section III-B"} in one["settings"]


def test_a_preset_that_is_not_there_and_printing_without_one_are_refused() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'rome-paper'"):
        said("list", "presets", "rome-papers")
    with pytest.raises(UsageError, match=r"--print needs --preset NAME\. Known: atom-paper"):
        said("run", "--print")
