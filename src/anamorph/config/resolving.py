"""A configuration, checked as far as it can be before anything starts."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from anamorph import catalog
from anamorph.config.parts import PARTS, TABLED_GROUPS, part_from_text, part_of
from anamorph.config.settings import RunSettings
from anamorph.errors import BadRecord, UnknownName, UsageError, did_you_mean
from anamorph.model import Inpainter, Method, Painter, Reader, SceneSource, Segmenter, System, decode
from anamorph.model.codec import check_plain
from anamorph.model.protocols import MethodOptions


@dataclass(frozen=True, slots=True)
class Config:
    """A checked configuration; `plain` is what a run stores and `resume` reads back."""

    plain: Mapping[str, Any]
    settings: RunSettings
    methods: tuple[Method, ...]

    def rng(self, method: Method) -> Random:
        """The randomness of one method, the same whatever else the run does."""
        return Random(f"{self.settings.seed}:{method.kind}")

    def scenes(self) -> SceneSource:
        """The scene source, made anew."""
        return part_of(self.plain, "scenes")  # type: ignore[no-any-return]

    def system(self) -> System:
        """The system under test, made anew; the caller closes it."""
        return part_of(self.plain, "system")  # type: ignore[no-any-return]

    def segmenter(self) -> Segmenter | None:
        """The segmenter, made anew, where the run has one."""
        return part_of(self.plain, "segmenter") if "segmenter" in self.plain else None

    def readers(self) -> Mapping[str, Reader]:
        """Every reader of the catalogue with its settings, made when first used."""
        return _MadeOnUse("readers", self.plain.get("readers", {}))

    def inpainters(self) -> Mapping[str, Inpainter]:
        """Every inpainter of the catalogue with its settings, made when first used."""
        return _MadeOnUse("inpainters", self.plain.get("inpainters", {}))

    def painters(self) -> Mapping[str, Painter]:
        """Every painter of the catalogue with its settings, made when first used."""
        return _MadeOnUse("painters", self.plain.get("painters", {}))

    def pools(self) -> tuple[str, ...]:
        """The folders of cut-outs: the run's own, and those that a method's setting `pool` names."""
        of_methods = (MethodOptions.pool.of(method) for method in self.methods)
        return tuple(dict.fromkeys((*self.settings.pools, *(pool for pool in of_methods if isinstance(pool, str)))))


class _MadeOnUse(dict[str, Any]):
    def __init__(self, group: str, tables: Mapping[str, Any]) -> None:
        super().__init__()
        self._group, self._tables = group, tables

    def __missing__(self, kind: str) -> Any:
        cls = catalog.find(self._group, kind)
        self[kind] = decode(cls, self._tables.get(kind, {}), catalog.find, f"{self._group}.{kind}")
        return self[kind]


def resolve(plain: Mapping[str, Any], origin: str = "", overridden: Iterable[str] = ()) -> Config:
    """Check everything that can be checked without starting; `origin` names the file in errors."""
    try:
        return _resolve(dict(plain))
    except (BadRecord, UnknownName) as problem:
        path = getattr(problem, "path", "")
        flag = next((f"--set {key}" for key in overridden if path == key or path.startswith(key)), None)
        if flag is not None and isinstance(problem, BadRecord):
            raise UsageError(f"{flag}: {problem.problem}") from problem
        raise UsageError(f"{origin}: {problem}" if origin else str(problem)) from problem


def _resolve(plain: dict[str, Any]) -> Config:
    check_plain(plain, whole_texts=True)
    for file in decode(RunSettings, {"load": plain.get("load", [])}).load:
        catalog.load_file(Path(file))
    own = {field.name for field in dataclasses.fields(RunSettings)}
    for part in PARTS:
        if isinstance(plain.get(part), str):
            plain[part] = part_from_text(part, plain[part])
        elif part in plain and (not isinstance(plain[part], Mapping) or not isinstance(plain[part].get("kind"), str)):
            raise BadRecord(part, 'expected a text such as "folder:photos", or a table with a "kind"')
    settings = decode(RunSettings, {key: value for key, value in plain.items() if key in own})
    known_methods = catalog.names("methods")
    for key in plain:
        if key not in own and key not in PARTS and key not in TABLED_GROUPS and key not in known_methods:
            known = sorted({*own, *PARTS, *TABLED_GROUPS, *known_methods})
            raise BadRecord(key[:60], f"unknown key.{did_you_mean(key, known)} Known: {', '.join(known)}.")
    methods = tuple(
        decode(catalog.find("methods", name), plain.get(name, {}), catalog.find, name) for name in settings.methods
    )
    for group in TABLED_GROUPS:
        tables = plain.get(group, {})
        if not isinstance(tables, Mapping):
            raise BadRecord(group, f"expected a table with a table for each of the {group}")
        for name, table in tables.items():
            decode(catalog.find(group, name), table, catalog.find, f"{group}.{name}")
    return Config(plain, settings, methods)
