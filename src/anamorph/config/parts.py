"""From what people write, TOML or the short form of a flag, to tables of settings and the parts of a run."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from anamorph import catalog
from anamorph.config.short_forms import kind_and_rest, split
from anamorph.errors import UsageError
from anamorph.model import SceneSource, Searcher, decode
from anamorph.model.codec import hints_of, kind_group
from anamorph.model.protocols import PartOptions
from anamorph.model.schemas import schema_of
from anamorph.scenes.choosing.choice import NAMES as CHOICE_NAMES, PhotoChoice, choice_in, chosen

PARTS = ("scenes", "system", "segmenter", "confirm_with")
# Groups of which a run may use several; each entry has a table of its own.
TABLED_GROUPS = ("readers", "inpainters", "painters")
# The kind that a run stores for a part that was an object of a Python program.
PYTHON_OBJECT = "python"
GROUP_OF_PART = {
    "scenes": "scenes",
    "system": "systems",
    "segmenter": "segmenters",
    "confirm_with": "systems",
    "searcher": "searchers",
}


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
    except (ValueError, RecursionError) as problem:
        raise UsageError(f"{path}: not valid TOML: {_unreadable(problem)}.") from problem


def _unreadable(problem: ValueError | RecursionError) -> str:
    return "it is nested too deeply" if isinstance(problem, RecursionError) else str(problem)


def with_override(plain: dict[str, Any], assignment: str) -> None:
    """Apply `a.b=value`; the value is TOML where it can be, and a text otherwise."""
    key, equals, text = assignment.partition("=")
    steps = [step.strip() for step in key.split(".")]
    if not equals or not all(steps):
        raise UsageError(f"--set {assignment}: expected KEY=VALUE, such as deeptest.blur=2.")
    with_setting(plain, steps, _value(text), f"--set {assignment}")


def with_setting(plain: dict[str, Any], steps: Sequence[str], value: Any, flag: str) -> None:
    """Put a value where these steps lead; `flag` is what asked for it."""
    table: Any = plain
    for step in steps[:-1]:
        below = table.setdefault(step, {})
        if isinstance(below, str) and step in PARTS and table is plain:
            below = table[step] = part_from_text(step, below)
        if not isinstance(below, dict):
            raise UsageError(f"{flag}: {step!r} is not a table of settings.")
        table = below
    table[steps[-1]] = value


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text


def part_from_text(part: str, text: str) -> dict[str, Any]:
    """The table for `kind:REST`: REST fills the first setting, `,name=value` others of the kind's own."""
    group = GROUP_OF_PART[part]
    kind, rest = kind_and_rest(part, text, catalog.names(group))
    cls = catalog.find(group, kind)
    fields = [field.name for field in dataclasses.fields(cls) if field.init]
    plain: dict[str, Any] = {"kind": kind}
    if not rest:
        first = next((field for field in dataclasses.fields(cls) if field.init), None)
        if first is not None and first.default is first.default_factory is dataclasses.MISSING:
            raise UsageError(f"{part}: {kind!r} needs its {first.name}. Write {kind}:{first.name.upper()}.")
        return plain
    if not fields:
        raise UsageError(f"{part}: {kind!r} takes no settings, got {rest!r}.")
    owners = dict.fromkeys(fields, cls)
    if part == "scenes":
        owners = {**owners, **dict.fromkeys((name for name in CHOICE_NAMES if name not in owners), PhotoChoice)}
    written = split(rest, owners, fields[0], kind, command_line=PartOptions.command_line.of(cls))
    return plain | {name: _value_for(owners[name], name, value) for name, value in written.items()}


def _value_for(cls: type, name: str, text: str) -> Any:
    """A text setting keeps its text even where it looks like a number; a system within one has its short form."""
    if kind_group(hints_of(cls)[name]) == "systems":
        return part_from_text("system", text)
    schema = schema_of(cls)["properties"][name]
    return text if schema.get("type") == "string" else _value(text)


def part_of(plain: Mapping[str, Any], part: str) -> Any:
    """A part of a run, made from its table; UsageError, with the kinds that there are, where it has none."""
    table = plain.get(part)
    if table is None:
        group = GROUP_OF_PART[part]
        known = ", ".join(catalog.names(group))
        raise UsageError(f"No {part} given. Use --{part} KIND:... or a [{part}] table. Known kinds: {known}.")
    if table["kind"] == PYTHON_OBJECT and PYTHON_OBJECT not in catalog.names(GROUP_OF_PART[part]):
        raise UsageError(
            f"The {part} of this run was an object of a Python program ({table.get('name', 'without a name')}), which "
            "only that program has. Continue there with `Run.resume()`, or start a new run with --"
            f"{part} {'callable:module:function' if part == 'system' else 'KIND:...'}."
        )
    return decode(catalog.find(GROUP_OF_PART[part], table["kind"]), table, catalog.find, part)


def scenes_of(plain: Mapping[str, Any], seed: int) -> SceneSource:
    """The scene source of a run, with the choice of photos that its table makes beside the source's own settings."""
    table = plain.get("scenes")
    if table is None or table["kind"] not in catalog.names("scenes"):
        return part_of(plain, "scenes")  # type: ignore[no-any-return]
    cls = catalog.find("scenes", table["kind"])
    choice = choice_in(table, frozenset(field.name for field in dataclasses.fields(cls) if field.init))
    source = part_of({"scenes": {key: value for key, value in table.items() if key not in choice}}, "scenes")
    return chosen(source, decode(PhotoChoice, choice, path="scenes"), seed)


def searcher_of(text: str, overrides: Iterable[str] = ()) -> Searcher:
    """The search engine that `kind:REST` means, with further settings as `name=value`."""
    table: dict[str, Any] = part_from_text("searcher", text)
    for assignment in overrides:
        with_override(table, assignment)
    return decode(catalog.find("searchers", table["kind"]), table, catalog.find, "searcher")  # type: ignore[no-any-return]
