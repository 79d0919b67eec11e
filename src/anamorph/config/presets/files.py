"""Presets: reading them, where each setting comes from, and putting a user's own settings over them."""

from __future__ import annotations

import functools
import importlib.resources
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from anamorph.errors import UnknownName

_ENDING = ".toml"
_TABLE = re.compile(r"\[([\w.-]+)\]")
_SETTING = re.compile(r"([\w-]+) = .*?  # (.+)")


@dataclass(frozen=True, slots=True)
class PresetSetting:
    """A setting of a preset, such as `rome.max_depth`, and the section, equation or tool that its value is from."""

    key: str
    value: Any
    where: str


@dataclass(frozen=True, slots=True)
class Preset:
    """A published study as a configuration, without scenes and system; `text` is its TOML file."""

    name: str
    summary: str
    text: str

    @property
    def plain(self) -> dict[str, Any]:
        """Its settings, as a configuration file has them."""
        return tomllib.loads(self.text)

    @property
    def settings(self) -> tuple[PresetSetting, ...]:
        """Every setting with where it comes from, in the order of the file."""
        return tuple(_settings(self.text, self.plain))


def _settings(text: str, plain: Mapping[str, Any]) -> Iterator[PresetSetting]:
    table: tuple[str, ...] = ()
    for line in text.splitlines():
        if head := _TABLE.fullmatch(line):
            table = tuple(head[1].split("."))
        elif found := _SETTING.fullmatch(line):
            steps = (*table, found[1])
            yield PresetSetting(
                ".".join(steps), functools.reduce(lambda value, step: value[step], steps, plain), found[2]
            )


def preset_names() -> list[str]:
    """Every preset, sorted."""
    files = importlib.resources.files(__package__).iterdir()
    return sorted(file.name.removesuffix(_ENDING) for file in files if file.name.endswith(_ENDING))


def preset(name: str) -> Preset:
    """The preset of a name; UnknownName, with a suggestion, if there is none."""
    if name not in (known := preset_names()):
        raise UnknownName("preset", name, known)
    text = importlib.resources.files(__package__).joinpath(f"{name}{_ENDING}").read_text(encoding="utf-8")
    return Preset(name, text.partition("\n")[0].removeprefix("# "), text)


def with_preset(name: str, own: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration that begins with a preset and says so; whatever `own` settings say counts instead."""
    return {**_over(preset(name).plain, own), "preset": name}


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        under = below.get(key)
        merged[key] = _over(under, value) if isinstance(under, Mapping) and isinstance(value, Mapping) else value
    return merged
