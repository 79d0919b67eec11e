from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anamorph import catalog
from anamorph.cli.choices import build_config
from anamorph.config import read_toml, resolve, with_preset
from anamorph.config.presets.files import preset, preset_names
from anamorph.config.settings import RunSettings
from anamorph.errors import UnknownName
from anamorph.model import decode, encode

PUBLISHED = Path(__file__).with_name("published.txt")

# Settings of methods that their papers say nothing of, and that a preset leaves as they are.
NOT_IN_THE_PAPER = {
    "metaic": "pool tries found most_uses relight same_sharpness soft_edge shadow question",
    "rome": "question measure_removal",
    "spolre": "completion found painter_prompt painted_numbers question",
    "metavqa": (
        "object_pairs property_pairs existences property_existences absent_mix absent_share absent people actions "
        "cells colours estimate_colours names pool insertion_sizes removals inpainter shadows melt"
    ),
    "atom": "combinations labels labels_from",
    "deeptest": "blur brightness contrast shear also relation question",
}
# Of their tables, what the papers say nothing of, and what has no effect as they are set.
NOT_IN_THE_TABLE = {
    "metaic.placement": "tries least_area most_enlarged",
    "metavqa.templates": "any none",
    "rome.melt": "max_seam",
    "spolre.layout": "max_degrees scales steps tries",
    "spolre.melt": "max_seam",
}


def published() -> Iterator[tuple[str, str, Any, str]]:
    """Every row of the table: preset, setting, value, and where it stands."""
    for line in PUBLISHED.read_text().splitlines():
        if not line.startswith("#"):
            names, setting, value, where, _ = (cell.strip() for cell in line.split(" | "))
            for name in names.split():
                yield name, setting, json.loads(value), where


@pytest.mark.parametrize(("name", "setting", "value", "where"), list(published()))
def test_a_setting_of_a_preset_is_what_the_paper_says(name: str, setting: str, value: Any, where: str) -> None:
    found = {each.key: each for each in preset(name).settings}[setting]
    assert (found.value, type(found.value)) == (value, type(value))
    assert found.where == where or found.where.startswith((f"{where}:", f"{where},", f"{where};", f"{where} and"))


@pytest.mark.parametrize("name", preset_names())
def test_every_setting_of_a_preset_is_in_the_table_of_what_the_papers_say(name: str) -> None:
    listed = [setting for each, setting, _, _ in published() if each == name]
    assert sorted(each.key for each in preset(name).settings) == sorted(listed)
    # And every one that the file has is among them, so that none lacks its comment.
    assert sorted(_keys(preset(name).plain)) == sorted(listed)


def _keys(plain: dict[str, Any], above: str = "") -> Iterator[str]:
    for key, value in plain.items():
        yield from _keys(value, f"{above}{key}.") if isinstance(value, dict) else (f"{above}{key}",)


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_has_every_setting_of_its_method_that_the_paper_speaks_of(name: str) -> None:
    plain = preset(name).plain
    (method,) = plain["methods"]
    fields = {field.name for field in dataclasses.fields(catalog.find("methods", method)) if field.init}
    assert fields - plain[method].keys() == set(NOT_IN_THE_PAPER[method].split())
    for key, table in plain[method].items():
        if isinstance(table, dict) and dataclasses.is_dataclass(rules := getattr(_method(name), key)):
            missing = {field.name for field in dataclasses.fields(rules)} - table.keys()
            assert missing == set(NOT_IN_THE_TABLE.get(f"{method}.{key}", "").split())


def _method(name: str) -> Any:
    (method,) = resolve(with_preset(name, {})).methods
    return method


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_is_a_configuration_that_is_valid_by_itself_and_as_it_is_printed(name: str, tmp_path: Path) -> None:
    config = resolve(with_preset(name, {}))
    assert config.settings.preset == name
    file = tmp_path / "printed.toml"
    file.write_text(preset(name).text)
    assert resolve(read_toml(file)).methods == config.methods

    for setting in preset(name).settings:
        table, _, rest = setting.key.partition(".")
        if table in {field.name for field in dataclasses.fields(RunSettings)} and rest:
            assert encode(getattr(config.settings, table))[rest] == setting.value


def test_settings_of_the_user_and_flags_count_instead_of_those_of_the_preset(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('preset = "rome-paper"\nseed = 3\n[rome]\nmax_depth = 3\n[rome.melt]\nmax_area = 0.5\n')
    config = build_config(file, sets=("rome.inpainter=telea",))
    table = config.plain["rome"]
    assert (table["max_depth"], table["inpainter"], table["profile"]) == (3, "telea", "paper")
    # The preset's rules for photos stay off beside the user's own.
    assert table["melt"] == {
        "max_area": 0.5,
        "min_area": 0.0,
        "max_contact": 1.0,
        "together": False,
        "max_at_once": 1.0,
        "fixtures": True,
        "apart": False,
    }
    assert config.settings.seed == 3 and not config.settings.melt_check.enabled
    # A flag names another preset than the file.
    other = build_config(file, preset="rome-released")
    assert (other.settings.preset, other.plain["rome"]["profile"]) == ("rome-released", "released")


def test_what_a_run_stores_needs_no_preset_any_more() -> None:
    stored = build_config(None, preset="atom-paper", sets=("atom.k=1",)).plain
    config = resolve(json.loads(json.dumps(stored)))
    assert config.settings.preset == "atom-paper"
    assert config.methods == (decode(catalog.find("methods", "atom"), stored["atom"], catalog.find),)
    assert config.methods[0].k == (1,)  # type: ignore[attr-defined]


def test_an_unknown_preset_is_answered_with_the_one_that_was_probably_meant() -> None:
    with pytest.raises(UnknownName, match=r"Unknown preset 'rome'\. Did you mean 'rome-paper'\?"):
        preset("rome")


def test_a_partial_table_of_the_user_keeps_the_defaults_that_the_method_has_for_it() -> None:
    whole, partial = (
        build_config(None, sets=('methods=["spolre"]', *own)) for own in ((), ("spolre.melt.max_area=0.12",))
    )
    assert partial.methods == whole.methods
    other = build_config(None, sets=('methods=["spolre"]', "spolre.melt.min_area=0.5"))
    assert other.methods[0].melt == dataclasses.replace(whole.methods[0].melt, min_area=0.5)  # type: ignore[attr-defined]
