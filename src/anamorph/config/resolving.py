"""A configuration, checked as far as it can be before anything starts."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from anamorph import catalog
from anamorph.config.older import up_to_date
from anamorph.config.parts import PARTS, TABLED_GROUPS, part_from_text, part_of, scenes_of
from anamorph.config.readers import RunReaders, check_readers, with_whole_systems
from anamorph.config.settings import RunSettings
from anamorph.errors import BadRecord, MissingExtra, NotTrusted, UnknownName, UsageError, did_you_mean
from anamorph.model import READING_KINDS, Inpainter, Method, Painter, SceneSource, Segmenter, System, decode
from anamorph.model.codec import check_plain, over_defaults
from anamorph.model.protocols import MethodOptions, ReaderOptions
from anamorph.reading.labels import SHIPPED, label_space
from anamorph.weights.inpainter import NETWORKS

SOMEBODY_ELSES = "you did not make on this machine"


@dataclass(frozen=True, slots=True)
class Config:
    """A checked configuration; `plain` is what a run stores and `resume` reads back.

    The configuration of another user's run is not `trusted`: it can be read and judged by, but makes no part of a run.
    `unknown` are its methods that need what is not in the catalogue, and may be in a file that is not loaded.
    """

    plain: Mapping[str, Any]
    settings: RunSettings
    methods: tuple[Method, ...]
    # Parts that a Python program made itself, "system" or "scenes"; they stand in for those that `plain` describes.
    given: Mapping[str, Any] = dataclasses.field(default_factory=dict, compare=False)
    trusted: bool = True
    unknown: tuple[str, ...] = ()
    # The readers, once they were wanted: they may have a budget, which all of a run's stages share.
    _made: dict[str, RunReaders] = dataclasses.field(default_factory=dict, repr=False, compare=False)

    @property
    def unloaded(self) -> tuple[str, ...]:
        """The Python files that it names and that were not loaded."""
        return () if self.trusted else self.settings.load

    def rng(self, method: Method) -> Random:
        """The randomness of one method, the same whatever else the run does."""
        return Random(f"{self.settings.seed}:{method.kind}")

    def scenes(self) -> SceneSource:
        """The scene source, made anew unless it was given."""
        if "scenes" in self.given:
            return self.given["scenes"]  # type: ignore[no-any-return]
        self.require_trust("scenes")
        return scenes_of(self.plain, self.settings.seed)

    def system(self) -> System:
        """The system under test, made anew unless it was given; the caller closes it."""
        if "system" in self.given:
            return self.given["system"]  # type: ignore[no-any-return]
        self.require_trust("system")
        return part_of(self.plain, "system")  # type: ignore[no-any-return]

    def segmenter(self) -> Segmenter | None:
        """The segmenter, made anew, where the run has one."""
        if "segmenter" not in self.plain:
            return None
        self.require_trust("segmenter")
        return part_of(self.plain, "segmenter")  # type: ignore[no-any-return]

    def witness(self) -> System | None:
        """The system that says what images show in place of the tested one, made anew; the caller closes it."""
        if "confirm_with" not in self.plain:
            return None
        self.require_trust("confirm_with")
        return part_of(self.plain, "confirm_with")  # type: ignore[no-any-return]

    def readers(self) -> RunReaders:
        """The readers of the run, made when first used; NotTrusted where that loads or contacts things."""
        if "readers" not in self._made:
            tables, labels = self.plain.get("readers", {}), self.settings.labels
            checks = () if self.trusted else (_require_shipped, _require_shipped_labels)
            self._made["readers"] = RunReaders(tables, labels, *checks)
        return self._made["readers"]

    def inpainters(self) -> Mapping[str, Inpainter]:
        """Every inpainter of the catalogue with its settings, made when first used."""
        self.require_trust("inpainters")
        return _MadeOnUse("inpainters", self.plain.get("inpainters", {}))

    def painters(self) -> Mapping[str, Painter]:
        """Every painter of the catalogue with its settings, made when first used."""
        self.require_trust("painters")
        return _MadeOnUse("painters", self.plain.get("painters", {}))

    def pools(self) -> tuple[str, ...]:
        """The folders of cut-outs that the run or a method's setting `pool` names; none without trust."""
        if not self.trusted:
            return ()
        of_methods = (MethodOptions.pool.of(method) for method in self.methods)
        return tuple(dict.fromkeys((*self.settings.pools, *(pool for pool in of_methods if isinstance(pool, str)))))

    def require_trust(self, part: str) -> None:
        """NotTrusted for another user's run, whose parts are not used."""
        if not self.trusted:
            raise NotTrusted(f"The {part} of a run that {SOMEBODY_ELSES} would be used. Use `resume --trust` first.")


def _with_inpainter(method: Any, plain: Mapping[str, Any]) -> Any:
    """A method that names no inpainter with the network whose weights the run names, unless its scenes are drawn."""
    tables, scenes = plain.get("inpainters"), plain.get("scenes")
    if MethodOptions.inpainter.of(method) is not None or not isinstance(tables, Mapping):
        return method
    named = [name for name in NETWORKS if isinstance(tables.get(name), Mapping) and tables[name].get("path")]
    drawn = isinstance(scenes, Mapping) and scenes.get("kind") == "toybox"
    wants = any(field.name == "inpainter" for field in dataclasses.fields(method))
    return dataclasses.replace(method, inpainter=named[0]) if wants and named and not drawn else method


class _MadeOnUse(dict[str, Any]):
    def __init__(self, group: str, tables: Mapping[str, Any]) -> None:
        super().__init__()
        self._group, self._tables = group, tables

    def __missing__(self, kind: str) -> Any:
        table = self._tables.get(kind, {})
        self[kind] = decode(catalog.find(self._group, kind), table, catalog.find, f"{self._group}.{kind}")
        return self[kind]


def _require_shipped(kind: str, cls: type, table: Any) -> None:
    """Refuse the settings of a reader that make it open a file, or import and run a model."""
    shipped = ReaderOptions.shipped.of(cls)
    for name, value in table.items() if isinstance(table, Mapping) else ():
        if not isinstance(value, bool | int | float | None) and value not in shipped.get(name, ()):
            raise NotTrusted(
                f"The reader {kind!r} needs {name} = {value!r}, which is not opened for a run that {SOMEBODY_ELSES}."
            )


def _require_shipped_labels(labels: str) -> None:
    if labels not in SHIPPED:
        raise NotTrusted(f"The label space {labels!r} is not opened for a run that {SOMEBODY_ELSES}.")


def resolve(
    plain: Mapping[str, Any], origin: str = "", overridden: Iterable[str] = (), *, trusted: bool = True
) -> Config:
    """Check everything that can be checked without starting; `origin` names the file in errors.

    An untrusted configuration comes from another user's run: nothing that it names is imported or opened.
    """
    try:
        return _resolve(up_to_date(plain), trusted)
    except (BadRecord, UnknownName) as problem:
        path = getattr(problem, "path", "")
        flag = next((f"--set {key}" for key in overridden if path == key or path.startswith(key)), None)
        if flag is not None and isinstance(problem, BadRecord):
            raise UsageError(f"{flag}: {problem.problem}") from problem
        raise UsageError(f"{origin}: {problem}" if origin else str(problem)) from problem


def _resolve(plain: dict[str, Any], trusted: bool) -> Config:
    check_plain(plain, whole_texts=True)
    files = decode(RunSettings, {"load": plain.get("load", [])}).load
    for file in files if trusted else ():
        catalog.load_file(Path(file))
    # A name that is not in the catalogue may be in a file that was not loaded.
    open_names = bool(files) and not trusted
    own = {field.name for field in dataclasses.fields(RunSettings)}
    for part in PARTS:
        table = plain.get(part)
        if isinstance(table, str) and trusted:
            plain[part] = part_from_text(part, table)
        elif part in plain and not (isinstance(table, Mapping) and isinstance(table.get("kind"), str)):
            raise BadRecord(part, 'expected a string such as "folder:photos", or a table with a "kind"')
    if trusted and isinstance(plain.get("readers"), Mapping):
        plain["readers"] = with_whole_systems(plain["readers"])
    settings = decode(RunSettings, {key: value for key, value in plain.items() if key in own})
    if trusted and settings.labels not in SHIPPED:
        label_space(settings.labels)
    known_methods = catalog.names("methods")
    for key in () if open_names else plain:
        if key not in own and key not in PARTS and key not in TABLED_GROUPS and key not in known_methods:
            known = sorted({*own, *PARTS, *TABLED_GROUPS, *known_methods})
            raise BadRecord(key[:60], f"unknown key.{did_you_mean(key, known)} Known: {', '.join(known)}.")
    methods, unknown = [], []
    for name in settings.methods:
        try:
            cls = catalog.find("methods", name)
            method = decode(cls, over_defaults(cls, plain.get(name, {})), catalog.find, name)
            methods.append(_with_inpainter(method, plain))
        except UnknownName:
            # The method itself, or an edit or a relation among its settings.
            if not open_names:
                raise
            unknown.append(name)
    for group in TABLED_GROUPS if trusted else ():
        tables = plain.get(group, {})
        if not isinstance(tables, Mapping):
            raise BadRecord(group, f"expected a table with a table for each of the {group}")
        if group == "readers":
            check_readers(tables)
        for name, table in tables.items():
            if group == "readers" and (name in READING_KINDS or ReaderOptions.asks.of(catalog.find(group, name))):
                # One that asks would load or contact its system; the pre-flight makes it.
                continue
            # A run that uses it will say what is missing; a table alone needs no library.
            with contextlib.suppress(MissingExtra):
                decode(catalog.find(group, name), table, catalog.find, f"{group}.{name}")
    return Config(plain, settings, tuple(methods), trusted=trusted, unknown=tuple(unknown))
