"""Everything that carrying out a stored configuration would import, start, contact, read and write."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from typing import Any

from anamorph import catalog
from anamorph.config.parts import GROUP_OF_PART, PARTS, TABLED_GROUPS
from anamorph.errors import AnamorphError
from anamorph.http.secrets import variables_in
from anamorph.model import READING_KINDS
from anamorph.model.codec import default_of
from anamorph.model.protocols import SystemOptions
from anamorph.reading.labels import SHIPPED
from anamorph.scenes.photo_folders.opening import contacted

_VERBS = {
    "scenes": "read the scenes",
    "system": "start or contact the system",
    "segmenter": "load the segmenter",
    "confirm_with": "start or contact the witness",
    "readers": "load the reader",
    "inpainters": "load the inpainter",
    "painters": "load the painter",
}
_WHOLE_ENVIRONMENT = "*"


def consequences(plain: Mapping[str, Any], directory: Any) -> list[str]:
    """One line for each thing that would happen; nothing is imported but the catalogue's own classes.

    Settings are shown as they are, also what looks like a secret: what is hidden could be what matters.
    """
    lines = [f"work in the folder {_shown(directory)}"] if directory else []
    if plain.get("engine", "local") != "local":
        lines.append(f"send photos, settings and variables to the Ray cluster {_shown(plain['engine'])}")
    lines += [f"import and run {_shown(file)}" for file in _items(plain.get("load"))]
    for part in ("system", *(part for part in PARTS if part != "system")):
        if part in plain:
            lines.append(f"{_VERBS[part]} {_part(plain[part])}")
    lines += [f"contact {_shown(place)} for photos" for place in _addresses(plain.get("scenes"))]
    for group in TABLED_GROUPS:
        tables = plain.get(group)
        for name, table in tables.items() if isinstance(tables, Mapping) else ():
            if group == "readers" and name in READING_KINDS:
                continue
            lines.append(f"{_VERBS[group]} {_part({'kind': name, **table} if isinstance(table, Mapping) else name)}")
    pools = [*_items(plain.get("pools")), *(table["pool"] for table in plain.values() if _has(table, "pool"))]
    lines += [f"read the cut-outs of {_shown(pool)}" for pool in pools]
    if plain.get("labels", "coco") not in SHIPPED:
        lines.append(f"read the label space {_shown(plain['labels'])}")
    caches = [plain.get("cache"), plain["segmenting"].get("cache") if _has(plain.get("segmenting"), "cache") else None]
    lines += [f"read and write the cache {_shown(cache)}" for cache in caches if cache is not None]
    names = list(dict.fromkeys(environment_of(plain)))
    if _WHOLE_ENVIRONMENT in names:
        lines.append("pass on everything that is in the environment")
    lines += [f"take ${{{name}}} from the environment" for name in names if name != _WHOLE_ENVIRONMENT]
    return lines


def _addresses(scenes: Any) -> list[str]:
    """The addresses that photos are fetched from; of a bucket, with the credentials that this machine has for it."""
    return [place for place in scenes.values() if contacted(place)] if isinstance(scenes, Mapping) else []


def _part(table: Any) -> str:
    if not isinstance(table, Mapping):
        return _shown(table)
    settings = [f"{name} = {_shown(value)}" for name, value in table.items() if name != "kind"]
    return ", ".join([str(table.get("kind")), *settings])


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _items(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [] if value is None else [value]


def _has(table: Any, name: str) -> bool:
    return isinstance(table, Mapping) and table.get(name) is not None


def environment_of(plain: Mapping[str, Any]) -> Iterator[str]:
    """The names of the variables that a configuration takes from the environment; "*" where it passes all on."""
    ray = plain.get("ray")
    yield from (str(name) for name in _items(ray.get("environment")) if name) if isinstance(ray, Mapping) else ()
    for part in PARTS:
        if isinstance(plain.get(part), Mapping):
            yield from _defaults(GROUP_OF_PART[part], plain[part])
    readers = plain.get("readers")
    for table in readers.values() if isinstance(readers, Mapping) else ():
        if isinstance(table, Mapping) and isinstance(table.get("system"), Mapping):
            yield from _defaults("systems", table["system"])
    yield from _named(plain)


def _named(value: Any, key: str = "") -> Iterator[str]:
    """Every variable that settings name, as ${NAME} or as the value of a setting such as `key_variable`."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _named(item, str(name))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _named(item, key)
    elif isinstance(value, str):
        yield from variables_in(value)
        if key.endswith("_variable") and value:
            yield value


def _defaults(group: str, table: Mapping[str, Any]) -> Iterator[str]:
    """The environment variables that a part reads without a setting that names them."""
    try:
        cls = catalog.find(group, str(table.get("kind")))
    except AnamorphError:
        return
    yield from SystemOptions.environment.of(cls)
    if dataclasses.is_dataclass(cls):
        unset = [field for field in dataclasses.fields(cls) if field.init and field.name not in table]
        yield from _named({field.name: default_of(field) for field in unset})
    for inner in table.values():
        if isinstance(inner, Mapping) and "kind" in inner:
            yield from _defaults(group, inner)
