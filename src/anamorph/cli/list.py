"""`anamorph list`: what can be chosen, and its settings."""

from __future__ import annotations

import inspect
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from anamorph import catalog
from anamorph.cli.options import JSON_OPTION, OLD_LOAD_OPTION
from anamorph.cli.printing import table_of
from anamorph.cli.terminal import as_text, echo, echo_json, echo_lines, open_console
from anamorph.config.presets.files import preset, preset_names
from anamorph.errors import AnamorphError, UnknownName, UsageError
from anamorph.model import encode
from anamorph.model.schemas import schema_of
from anamorph.scenes.choosing.choice import NAMES as CHOICE_NAMES
from anamorph.store.shelf import default_file
from anamorph.store.stock import FOLDER, Stock

PRESETS, CACHE = "presets", "cache"


@click.command(name="list")
@click.argument("group", required=False)
@click.argument("name", required=False)
@OLD_LOAD_OPTION
@click.option("--clear", is_flag=True, help="With `list cache`: remove all that is kept there.")
@JSON_OPTION
def list_command(group: str | None, name: str | None, clear: bool, as_json: bool) -> None:
    """List what can be chosen: methods, systems, scenes, searchers, edits, inpainters,
    painters, segmenters, relations, readers, presets.

    `anamorph list systems` lists one group; `anamorph list systems command` shows the settings of one entry.
    `anamorph list presets rome-paper` prints a preset as TOML: every setting, and where in the paper it stands.
    `anamorph list cache [FOLDER]` shows what is kept across runs, and --clear removes it.
    """
    if clear and group != CACHE:
        raise UsageError("--clear: only what is kept across runs can be cleared: anamorph list cache --clear.")
    if group == CACHE:
        _show_cache(name, clear, as_json)
        return
    if group == PRESETS and (name is not None or as_json):
        chosen = [preset(each) for each in (preset_names() if name is None else [name])]
        if as_json:
            echo_json([{"name": one.name, "summary": one.summary, "settings": encode(one.settings)} for one in chosen])
        else:
            echo_lines(chosen[0].text, nl=False)
        return
    if group is not None and group not in (*catalog.CATALOG, PRESETS):
        raise UnknownName("group", group, (*catalog.CATALOG, PRESETS, CACHE))
    if group is not None and name is not None:
        _show_entry(group, name, as_json)
        return
    entries = {each: _entries(each) for each in ([group] if group else (*catalog.CATALOG, PRESETS))}
    if as_json:
        echo_json(entries)
        return
    if group is None:
        names = [(each, ", ".join(row["name"] for row in rows)) for each, rows in entries.items()]
        open_console().print(_plain_table(names))
        echo("More about a group: anamorph list systems. Settings of an entry: anamorph list systems openai.")
        return
    origins = [["" if row["origin"] == "anamorph" else row["origin"]] for row in entries[group]]
    rows = [(row["name"], row["summary"], *more) for row, more in zip(entries[group], origins, strict=True)]
    open_console().print(_plain_table(rows))


def _plain_table(rows: Sequence[Sequence[str]]) -> Table:
    table = table_of("", [""] * len(rows[0]), rows, ("",), show_header=False, box=None, padding=(0, 2))
    table.columns[0].style, table.columns[0].no_wrap = "cyan", True
    return table


def _entries(group: str) -> list[dict[str, str]]:
    if group == PRESETS:
        found = map(preset, preset_names())
        return [{"name": each.name, "summary": each.summary, "origin": "anamorph"} for each in found]
    return [_entry(group, name) for name in catalog.names(group)]


def _show_cache(folder: str | None, clear: bool, as_json: bool) -> None:
    """The cache that runs share: images, and detections on them."""
    stock = Stock(default_file(FOLDER) if folder is None else Path(folder), 0)
    size = stock.clear() if clear else stock.size()
    if as_json:
        state = {"folder": str(stock.folder), "entries": size.entries, "bytes": size.bytes, "cleared": clear}
        echo_json(state)
        return
    found = f"{size.entries:,} {'entry' if size.entries == 1 else 'entries'}, {size.bytes / 1e6:,.1f} MB"
    echo(f"Removed {found} from {stock.folder}." if clear else f"{stock.folder}: {found}.")


def _entry(group: str, name: str) -> dict[str, str]:
    try:
        summary = (inspect.getdoc(catalog.find(group, name)) or "").partition("\n")[0]
    except AnamorphError as problem:
        summary = str(problem)
    return {"name": name, "summary": summary, "origin": catalog.origin(group, name)}


def _show_entry(group: str, name: str, as_json: bool) -> None:
    schema: dict[str, Any] = schema_of(catalog.find(group, name))
    if as_json:
        echo_json(schema)
        return
    console = open_console()
    console.print(f"[bold]{as_text(name)}[/] {as_text(schema.get('description', ''))}")
    rows = []
    for key, entry in schema["properties"].items():
        default = "(required)" if key in schema.get("required", []) else json.dumps(entry.get("default"))
        rows.append((key, "" if default == "null" else default, entry.get("description", "")))
    if rows:
        console.print(table_of("", ("setting", "default", "meaning"), rows, ("default", "meaning")))
    if group == "scenes":
        echo(f"Every source also takes {', '.join(CHOICE_NAMES)}, to choose photos.")
