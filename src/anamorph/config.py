"""One TOML file, or flags, or both: what a run is made of, checked before anything starts."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Literal

from anamorph import catalog
from anamorph.errors import BadRecord, UnknownName, UsageError, did_you_mean
from anamorph.model import Inpainter, Method, Painter, Reader, SceneSource, Searcher, Segmenter, System, decode, setting
from anamorph.model.schemas import schema_of
from anamorph.model.wire import hints_of, kind_group
from anamorph.store.images import ImageFormat


def parse_share(text: str, name: str) -> float:
    """A share such as `5%` or `0.05`, between 0 and 1."""
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*(%?)\s*", text)
    share = float(match[1]) / (100 if match[2] else 1) if match else -1.0
    if not 0 <= share <= 1:
        raise ValueError(f"{name} must be a share such as 5% or 0.05, got {text!r}")
    return share


@dataclass(frozen=True, slots=True)
class AskSettings:
    """How the engine puts questions to the system."""

    repeats: int = setting(
        1, "Ask every probe this often, to tell a system's noise from its errors.", least=1, most=100
    )
    parallel: int | None = setting(
        None, "Calls under way at once; by default what the system likes.", least=1, most=1024
    )
    batch: int | None = setting(None, "Images per call; by default what the system likes.", least=1, most=4096)
    rate_per_second: float | None = setting(None, "At most this many calls a second.", least=0.001)
    retries: int = setting(4, "Further tries after a call that failed in a way that may pass.", least=0, most=100)
    backoff_seconds: float = setting(0.5, "Wait before the first further try; doubled each time, with jitter.", least=0)
    timeout_seconds: float = setting(
        120.0, "Give up after this long without an answer; a batch has this long for each of its images.", least=0.01
    )
    give_up_after: int = setting(25, "Stop the run after this many failed tries in a row; 0 means never.", least=0)
    render_threads: int = setting(2, "Threads that make images.", least=1, most=256)
    price: float | None = setting(None, "What one image costs each time it is sent, in any currency.", least=0)
    budget: float | None = setting(
        None, "Stop asking before the run has cost more than this, in the currency of the price.", least=0
    )

    def __post_init__(self) -> None:
        if self.budget is not None and not self.price:
            raise ValueError("budget needs price, what one image costs each time it is sent")


@dataclass(frozen=True, slots=True)
class GateSettings:
    """When a finished run counts as failed."""

    fail_over: str = setting("0%", "Exit 1 if a larger share of the decided cases is violated, such as 5%.")
    fail_on: int | None = setting(None, "Exit 1 at this many violations, whatever the share.", least=1)
    max_undecided: str = setting("50%", "Exit 3 if a larger share of the cases could not be decided.")

    def __post_init__(self) -> None:
        for name in ("fail_over", "max_undecided"):
            parse_share(getattr(self, name), name)


@dataclass(frozen=True, slots=True)
class SegmentingSettings:
    """What a run does with its segmenter."""

    scenes: Literal["unannotated", "all", "none"] = setting(
        "unannotated",
        "Which scenes get the objects that the segmenter finds: those that have none, all (in place of the annotated "
        "objects), or none (it is there for the melt check and for completing objects only).",
    )
    min_score: float = setting(
        0.4,
        "A scene gets only what the segmenter is at least this sure of; the melt check minds the rest.",
        least=0,
        most=1,
    )
    threads: int = setting(2, "Photos that are segmented at once.", least=1, most=256)
    remember: bool = setting(True, "Keep what was found across runs, so that a photo is segmented once.")
    cache: str | None = setting(
        None, "The file that keeps it; by default anamorph/segmentations.sqlite in the user's cache folder."
    )


@dataclass(frozen=True, slots=True)
class MeltCheckSettings:
    """When a melted image is discarded because something is found in its hole."""

    enabled: bool = setting(True, "Look at every melted image with the segmenter, where the run has one.")
    score: float = setting(0.25, "Only what the segmenter is at least this sure of counts.", least=0, most=1)
    inside: float = setting(
        0.5, "Only what lies with at least this share of its area on made-up ground counts.", least=0.01, most=1
    )


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of a run that are not those of its parts."""

    methods: tuple[str, ...] = setting((), "Names of methods; each may have a table of its own with its settings.")
    out: str | None = setting(None, "The folder of the run.")
    seed: int = setting(7, "Everything random follows from it.")
    limit: int | None = setting(None, "Use at most this many scenes.", least=1)
    load: tuple[str, ...] = setting((), "Python files with extensions of your own.")
    pools: tuple[str, ...] = setting((), "Folders of cut-outs, made by `anamorph pool build`, that edits may use.")
    cache: str | None = setting(None, "A file that keeps answers across runs. Only for systems whose settings say all.")
    ask: AskSettings = setting(AskSettings(), "How the engine asks.")
    images: ImageFormat = setting(ImageFormat(), "How images are encoded.")
    gate: GateSettings = setting(GateSettings(), "When a run counts as failed.")
    segmenting: SegmentingSettings = setting(SegmentingSettings(), "What the segmenter is used for.")
    melt_check: MeltCheckSettings = setting(MeltCheckSettings(), "When a melted image is discarded.")


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
        return _part(self.plain, "scenes")  # type: ignore[no-any-return]

    def system(self) -> System:
        """The system under test, made anew; the caller closes it."""
        return _part(self.plain, "system")  # type: ignore[no-any-return]

    def segmenter(self) -> Segmenter | None:
        """The segmenter, made anew, where the run has one."""
        return _part(self.plain, "segmenter") if "segmenter" in self.plain else None

    def readers(self) -> Mapping[str, Reader]:
        """Every reader of the catalogue with its settings, made when first used."""
        return _Shelf("readers", self.plain.get("readers", {}))

    def inpainters(self) -> Mapping[str, Inpainter]:
        """Every inpainter of the catalogue with its settings, made when first used."""
        return _Shelf("inpainters", self.plain.get("inpainters", {}))

    def painters(self) -> Mapping[str, Painter]:
        """Every painter of the catalogue with its settings, made when first used."""
        return _Shelf("painters", self.plain.get("painters", {}))

    def pools(self) -> tuple[str, ...]:
        """The folders of cut-outs: the run's own, and those that a method's setting `pool` names."""
        of_methods = (getattr(method, "pool", None) for method in self.methods)
        return tuple(dict.fromkeys((*self.settings.pools, *(pool for pool in of_methods if isinstance(pool, str)))))


class _Shelf(dict[str, Any]):
    def __init__(self, group: str, tables: Mapping[str, Any]) -> None:
        super().__init__()
        self._group, self._tables = group, tables

    def __missing__(self, kind: str) -> Any:
        cls = catalog.find(self._group, kind)
        self[kind] = decode(cls, self._tables.get(kind, {}), catalog.find, f"{self._group}.{kind}")
        return self[kind]


_PARTS = ("scenes", "system", "segmenter")
# Groups of which a run may use several; each entry has a table of its own.
_SHELVES = ("readers", "inpainters", "painters")
_GROUP_OF_PART = {"scenes": "scenes", "system": "systems", "segmenter": "segmenters", "searcher": "searchers"}


def read_toml(path: Path) -> dict[str, Any]:
    """The plain content of a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise UsageError(f"{path}: cannot be read ({problem.strerror or problem}).") from problem
    except UnicodeDecodeError as problem:
        raise UsageError(f"{path}: not UTF-8 text ({problem.reason} at byte {problem.start}).") from problem
    except tomllib.TOMLDecodeError as problem:
        raise UsageError(f"{path}: not valid TOML: {problem}.") from problem


def with_override(plain: dict[str, Any], assignment: str) -> None:
    """Apply `a.b=value`; the value is TOML where it can be, and a text otherwise."""
    key, equals, text = assignment.partition("=")
    steps = [step.strip() for step in key.split(".")]
    if not equals or not all(steps):
        raise UsageError(f"--set {assignment}: expected KEY=VALUE, such as deeptest.blur=2.")
    table: Any = plain
    for step in steps[:-1]:
        below = table.setdefault(step, {})
        if isinstance(below, str) and step in _PARTS and table is plain:
            below = table[step] = part_from_text(step, below)
        if not isinstance(below, dict):
            raise UsageError(f"--set {assignment}: {step!r} is not a table of settings.")
        table = below
    table[steps[-1]] = _value(text)


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def part_from_text(part: str, text: str) -> dict[str, Any]:
    """The table for `kind:REST`: REST fills the first setting, `,name=value` others of the kind's own."""
    kind, _, rest = text.partition(":")
    cls = catalog.find(_GROUP_OF_PART[part], kind.strip())
    fields = [field.name for field in dataclasses.fields(cls) if field.init]
    plain: dict[str, Any] = {"kind": kind.strip()}
    if not rest:
        return plain
    if not fields:
        raise UsageError(f"{part}: {kind!r} takes no settings, got {rest!r}.")
    pieces = [rest]
    if not getattr(cls, "whole_rest", False):
        pieces = re.split(rf",(?=(?:{'|'.join(map(re.escape, fields))})=)", rest)
    for position, piece in enumerate(pieces):
        name, equals, value = piece.partition("=")
        if equals and name in fields and (position > 0 or len(pieces) > 1):
            plain[name] = _value_for(cls, name, value)
        elif position == 0:
            plain[fields[0]] = _value_for(cls, fields[0], piece)
    return plain


def _value_for(cls: type, name: str, text: str) -> Any:
    """A text setting keeps its text even where it looks like a number; a system within one has its short form."""
    if kind_group(hints_of(cls)[name]) == "systems":
        return part_from_text("system", text)
    schema = schema_of(cls)["properties"][name]
    return text if schema.get("type") == "string" else _value(text)


def _part(plain: Mapping[str, Any], part: str) -> Any:
    table = plain.get(part)
    if table is None:
        group = _GROUP_OF_PART[part]
        known = ", ".join(catalog.names(group))
        raise UsageError(f"No {part} given. Use --{part} KIND:... or a [{part}] table. Known kinds: {known}.")
    return decode(catalog.find(_GROUP_OF_PART[part], table["kind"]), table, catalog.find, part)


def searcher_of(text: str, overrides: Iterable[str] = ()) -> Searcher:
    """The search engine that `kind:REST` means, with further settings as `name=value`."""
    table: dict[str, Any] = part_from_text("searcher", text)
    for assignment in overrides:
        with_override(table, assignment)
    return decode(catalog.find("searchers", table["kind"]), table, catalog.find, "searcher")  # type: ignore[no-any-return]


def resolve(plain: Mapping[str, Any], origin: str = "", overridden: Iterable[str] = ()) -> Config:
    """Check everything that can be checked without starting; `origin` names the file in complaints."""
    try:
        return _resolve(dict(plain))
    except (BadRecord, UnknownName) as problem:
        path = getattr(problem, "path", "")
        flag = next((f"--set {key}" for key in overridden if path == key or path.startswith(key)), None)
        if flag is not None and isinstance(problem, BadRecord):
            raise UsageError(f"{flag}: {problem.problem}") from problem
        raise UsageError(f"{origin}: {problem}" if origin else str(problem)) from problem


def _resolve(plain: dict[str, Any]) -> Config:
    for file in decode(RunSettings, {"load": plain.get("load", [])}).load:
        catalog.load_file(Path(file))
    own = {field.name for field in dataclasses.fields(RunSettings)}
    for part in _PARTS:
        if isinstance(plain.get(part), str):
            plain[part] = part_from_text(part, plain[part])
        elif part in plain and (not isinstance(plain[part], Mapping) or not isinstance(plain[part].get("kind"), str)):
            raise BadRecord(part, 'expected a text such as "folder:photos", or a table with a "kind"')
    settings = decode(RunSettings, {key: value for key, value in plain.items() if key in own})
    known_methods = catalog.names("methods")
    for key in plain:
        if key not in own and key not in _PARTS and key not in _SHELVES and key not in known_methods:
            known = sorted({*own, *_PARTS, *_SHELVES, *known_methods})
            raise BadRecord(key, f"unknown key.{did_you_mean(key, known)} Known: {', '.join(known)}.")
    methods = tuple(
        decode(catalog.find("methods", name), plain.get(name, {}), catalog.find, name) for name in settings.methods
    )
    for group in _SHELVES:
        for name, table in plain.get(group, {}).items():
            decode(catalog.find(group, name), table, catalog.find, f"{group}.{name}")
    return Config(plain, settings, methods)


def config_schema() -> dict[str, Any]:
    """The JSON schema of the TOML file, with everything that the catalogue knows now."""
    schema = schema_of(RunSettings)
    properties = schema["properties"]
    properties["methods"] = {**properties["methods"], "examples": [["deeptest"]]}
    for part in _PARTS:
        kinds = [_kind_schema(_GROUP_OF_PART[part], name) for name in catalog.names(_GROUP_OF_PART[part])]
        properties[part] = {"anyOf": [{"type": "string", "pattern": "^[a-z0-9-]+(:|$)"}, *kinds]}
    for name in catalog.names("methods"):
        properties[name] = schema_of(catalog.find("methods", name))
    for group in _SHELVES:
        tables = {name: schema_of(catalog.find(group, name)) for name in catalog.names(group)}
        properties[group] = {"type": "object", "properties": tables, "additionalProperties": False}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "anamorph.toml", **schema}


def _kind_schema(group: str, name: str) -> dict[str, Any]:
    schema = schema_of(catalog.find(group, name))
    schema["properties"] = {"kind": {"const": name}, **schema["properties"]}
    schema["required"] = ["kind", *schema.get("required", [])]
    return schema
