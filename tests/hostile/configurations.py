"""Odd configurations: every setting of everything in the catalogue, with values that it does not expect."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator
from contextlib import closing
from random import Random
from typing import Any

from anamorph import catalog
from anamorph.config import RunSettings, resolve
from anamorph.config.parts import GROUP_OF_PART, PARTS, TABLED_GROUPS
from anamorph.model import encode
from anamorph.model.codec import default_of
from tests.hostile.mutations import ODD_VALUES

# A run that could be made, and that each odd value is put into.
WHOLE: dict[str, Any] = {
    "methods": ["deeptest"],
    "scenes": {"kind": "toybox"},
    "system": {"kind": "toybox", "model": "captioner"},
    "deeptest": {"blur": [1.0]},
    "readers": {"plain": {"threshold": 0.5}},
    "ask": {"repeats": 2},
}


def settings_of(cls: type) -> dict[str, Any]:
    """Every setting of a class with its default, or a text where it has none."""
    return {
        field.name: "text" if default_of(field) is dataclasses.MISSING else encode(default_of(field))
        for field in dataclasses.fields(cls)
        if field.init
    }


def odd_places() -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    """A whole configuration, and the way to one setting in it, for every setting that there is."""
    for name, value in settings_of(RunSettings).items():
        yield WHOLE, (name,)
        if isinstance(value, dict):
            yield from ((WHOLE, (name, inner)) for inner in value)
    for part in PARTS:
        yield WHOLE, (part,)
        for kind in catalog.names(GROUP_OF_PART[part]):
            table = {"kind": kind, **settings_of(catalog.find(GROUP_OF_PART[part], kind))}
            yield from (({**WHOLE, part: table}, (part, name)) for name in table)
    for kind in catalog.names("methods"):
        table = settings_of(catalog.find("methods", kind))
        yield {**WHOLE, "methods": [kind]}, (kind,)
        yield from (({**WHOLE, "methods": [kind], kind: table}, (kind, name)) for name in table)
    for group in TABLED_GROUPS:
        yield WHOLE, (group,)
        for kind in catalog.names(group):
            table = settings_of(catalog.find(group, kind))
            yield {**WHOLE, group: {}}, (group, kind)
            yield from (({**WHOLE, group: {kind: table}}, (group, kind, name)) for name in table)


def odd_configuration(rng: Random, spots: list[tuple[dict[str, Any], tuple[str, ...]]]) -> dict[str, Any]:
    """One of them with one odd value, and sometimes two."""
    whole, _ = rng.choice(spots)
    changed = copy.deepcopy(whole)
    for _ in range(rng.choice((1, 1, 1, 2))):
        _, way = rng.choice(spots)
        put(changed, way, rng.choice(ODD_VALUES))
    return changed


def put(plain: dict[str, Any], way: tuple[str, ...], value: Any) -> None:
    """Set one value, and the tables that lead to it."""
    inner: Any = plain
    for step in way[:-1]:
        if not isinstance(inner.get(step), dict):
            inner[step] = {}
        inner = inner[step]
    inner[way[-1]] = copy.deepcopy(value)


def make(plain: dict[str, Any]) -> None:
    """All that a command does with a configuration before it starts to work."""
    config = resolve(plain, "odd.toml")
    config.scenes()
    with closing(config.system()):
        pass
    config.segmenter()
