"""Reference pages made from the code: commands from click, settings from the catalogue, names from docstrings."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

import anamorph
from anamorph import catalog
from anamorph.cli.main import cli
from anamorph.config import config_schema
from anamorph.config.parts import PARTS, TABLED_GROUPS
from anamorph.model.schemas import schema_of
from anamorph.scenes.choosing.choice import PhotoChoice

# A page says `<!-- made: settings systems -->` where the settings of all systems belong.
MADE = re.compile(r"^<!-- made: ([a-z ]+) -->$", re.MULTILINE)

ROOT = Path(__file__).parents[2]

_TYPES = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "null": "none"}


def made(what: str) -> str:
    """The Markdown that stands for a marker."""
    name, _, argument = what.partition(" ")
    makers = {
        "commands": _commands,
        "settings": _settings,
        "list": _list,
        "names": _names,
        "run": _run_settings,
        "project": _project_page,
    }
    if name not in makers:
        raise ValueError(f"Nothing is made for '{what}'; known: {', '.join(makers)}.")
    return "\n".join(makers[name](argument))


# --- commands -------------------------------------------------------------------------------------------------------


def _commands(_: str) -> Iterator[str]:
    context = click.Context(cli, info_name="anamorph")
    for name in cli.list_commands(context):
        yield from _command(name, context)


def _command(name: str, parent: click.Context, level: int = 2) -> Iterator[str]:
    assert isinstance(parent.command, click.Group)
    command = parent.command.get_command(parent, name)
    assert command is not None
    context = click.Context(command, parent=parent, info_name=name)
    yield f"{'#' * level} {context.command_path.removeprefix('anamorph ')}\n"
    yield f"```sh\n{' '.join([context.command_path, *command.collect_usage_pieces(context)])}\n```\n"
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if paragraph.startswith("\b"):
            yield f"```sh\n{paragraph.removeprefix(chr(8)).strip(chr(10))}\n```\n"
        else:
            yield _escaped(" ".join(paragraph.split())) + "\n"
    rows = [row for parameter in command.get_params(context) if (row := _option(parameter, context))]
    yield from _table(("option", "meaning"), rows)
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            yield from _command(each, context, level + 1)


def _option(parameter: click.Parameter, context: click.Context) -> tuple[str, str] | None:
    record = parameter.get_help_record(context)
    if record is None or not record[1] or "--help" in parameter.opts:
        return None
    return f"`{record[0]}`", _escaped(" ".join(record[1].split()))


# --- settings -------------------------------------------------------------------------------------------------------


def _settings(group: str) -> Iterator[str]:
    for name in sorted(catalog.CATALOG[group]):
        cls = catalog.find(group, name)
        schema = schema_of(cls)
        yield f"## {name}\n"
        yield f"{_escaped(schema['description'])} [More](../../{group}/{name}.md)\n"
        yield from properties_table(schema)
    if group == "scenes":
        yield "## Of every source\n"
        yield "Which photos are used. [More](../../scenes/README.md#choosing-photos)\n"
        yield from properties_table(schema_of(PhotoChoice))


def _run_settings(_: str) -> Iterator[str]:
    """The tables of a configuration file that belong to no extension."""
    properties = config_schema()["properties"]
    extensions = {*PARTS, *TABLED_GROUPS, *catalog.names("methods")}
    own = {key: entry for key, entry in properties.items() if key not in extensions}
    plain = {key: entry for key, entry in own.items() if "properties" not in entry}
    yield "## At the top\n"
    yield from properties_table({"properties": plain})
    for key, entry in own.items():
        if key not in plain:
            yield f"## {key}\n\n{_escaped(entry['description'])}\n"
            yield from properties_table(entry)


def properties_table(schema: dict[str, Any]) -> Iterator[str]:
    required = schema.get("required", [])
    rows = []
    for key, entry in schema["properties"].items():
        if "default" in entry:
            # A table's own settings have their defaults in rows of their own.
            default = "" if _within(entry) else f"`{json.dumps(entry['default'], ensure_ascii=False)}`"
        else:
            default = "required" if key in required else "none"
        rows.append((f"`{key}`", _type(entry), default, _escaped(entry.get("description", ""))))
        for inner, detail in _within(entry).items():
            shown = f"`{json.dumps(detail['default'], ensure_ascii=False)}`" if "default" in detail else "none"
            rows.append((f"`{key}.{inner}`", _type(detail), shown, _escaped(detail.get("description", ""))))
    if rows:
        yield from _table(("setting", "type", "default", "meaning"), rows)
    else:
        yield "It has no settings.\n"


def _within(entry: dict[str, Any]) -> dict[str, Any]:
    """The settings of a table, perhaps of one that a single value may stand for."""
    options = [entry, *entry.get("anyOf", ())]
    found: dict[str, Any] = next(
        (each["properties"] for each in options if "kind" not in each.get("properties", "kind")), {}
    )
    return found


def _type(entry: dict[str, Any]) -> str:
    if "enum" in entry:
        return " or ".join(f"`{json.dumps(value)}`" for value in entry["enum"])
    if "anyOf" in entry:
        kinds = list(dict.fromkeys(map(_type, entry["anyOf"])))
        # One value stands for a list of one.
        return kinds[0] if len(kinds) == 2 and kinds[0] == f"list of {kinds[1]}" else " or ".join(kinds)
    if entry.get("type") == "array":
        if "prefixItems" in entry:
            return f"[{', '.join(map(_type, entry['prefixItems']))}]"
        return f"list of {_type(entry.get('items', {}))}"
    if entry.get("type") == "object":
        values = entry.get("additionalProperties")
        return f"table of {_type(values)}" if isinstance(values, dict) else "table"
    bounds = [
        f"{word} {entry[key]:g}" for word, key in (("at least", "minimum"), ("at most", "maximum")) if key in entry
    ]
    return ", ".join([_TYPES.get(entry.get("type", ""), "value"), *bounds])


def _list(group: str) -> Iterator[str]:
    rows = [
        (f"[{name}]({name}.md)", _escaped(schema_of(catalog.find(group, name))["description"]))
        for name in sorted(catalog.CATALOG[group])
    ]
    yield from _table((catalog.singular(group), "what it is"), rows)


# --- names ----------------------------------------------------------------------------------------------------------


def _names(kind: str) -> Iterator[str]:
    """The public names of one kind, documented by their docstrings."""
    members = {"results": ":members:", "protocols": ":members:"}.get(kind)
    for name in anamorph.__all__:
        value = getattr(anamorph, name)
        if _kind(name, value) == kind:
            directive = {"functions": "autofunction", "errors": "autoexception"}.get(kind, "autoclass")
            options = [f"   {members}"] if members else []
            yield "\n".join(["```{eval-rst}", f".. {directive}:: anamorph.{name}", *options, "```", ""])


def _kind(name: str, value: Any) -> str:
    if inspect.isfunction(value):
        return "functions"
    if not inspect.isclass(value):
        return "none"
    if issubclass(value, BaseException):
        return "errors"
    if getattr(value, "_is_protocol", False):
        return "protocols"
    return "records" if value.__module__.startswith("anamorph.model") else "results"


# --- pages of the project -------------------------------------------------------------------------------------------


def _project_page(name: str) -> Iterator[str]:
    """A page at the top of the project, with its links as they lead from docs/project."""
    text = (ROOT / f"{name.upper()}.md").read_text(encoding="utf-8")
    yield re.sub(r"(?<=\]\()(?![a-z]+:|#)([^)\s]+)", lambda link: _from_project(link[1]), text)


def _from_project(link: str) -> str:
    if re.fullmatch(r"[A-Z]+\.md", link):
        return f"/project/{link.lower()}" if link != "README.md" else "/index.md"
    return f"/{link.removeprefix('docs/')}" if link.startswith("docs/") else f"../../{link}"


# --- Markdown -------------------------------------------------------------------------------------------------------


def _table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    listed = list(rows)
    if listed:
        lines = [columns, ("---",) * len(columns), *listed]
        yield "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _escaped(text: str) -> str:
    """A text with nothing in it that Markdown would take for markup, except code between backticks."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_<>\[\]|$])", r"\\\1", part) for part in parts)
