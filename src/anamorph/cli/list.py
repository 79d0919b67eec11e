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
from anamorph.cli.choices import LOAD_OPTION
from anamorph.cli.terminal import as_text, echo, echo_json, open_console
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
@LOAD_OPTION
@click.option("--clear", is_flag=True, help="With `list cache`: remove all that is kept there.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_command(group: str | None, name: str | None, clear: bool, as_json: bool) -> None:
    """List what can be chosen: methods, systems, scenes, searchers, edits, inpainters,
    painters, segmenters, relations, readers, presets.

    `anamorph list systems` lists one group; `anamorph list systems command` shows the settings of one entry.
    `anamorph list presets` shows every setting of each preset, and where in the paper it stands.
    `anamorph list cache [FOLDER]` shows what is kept across runs, and --clear removes it.
    """
    if clear and group != CACHE:
        raise UsageError("--clear: only what is kept across runs can be cleared: anamorph list cache --clear.")
    if group == CACHE:
        _show_cache(name, clear, as_json)
        return
    if group == PRESETS:
        _show_presets(preset_names() if name is None else [name], as_json)
        return
    if group is not None and group not in catalog.CATALOG:
        raise UnknownName("group", group, (*catalog.CATALOG, PRESETS, CACHE))
    if group is not None and name is not None:
        _show_entry(group, name, as_json)
        return
    groups = [group] if group else list(catalog.CATALOG)
    entries = {each: [_entry(each, entry) for entry in catalog.names(each)] for each in groups}
    if group is None:
        found = map(preset, preset_names())
        entries[PRESETS] = [{"name": each.name, "summary": each.summary, "origin": "anamorph"} for each in found]
    if as_json:
        echo_json(entries)
        return
    console = open_console()
    for each, rows in entries.items():
        table = Table(title=each, title_justify="left", title_style="bold", show_header=False, box=None, padding=(0, 2))
        for row in rows:
            origin = "" if row["origin"] == "anamorph" else row["origin"]
            table.add_row(f"[cyan]{as_text(row['name'])}[/]", as_text(row["summary"]), as_text(origin))
        console.print(table)
        console.print()


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


def _show_presets(names: Sequence[str], as_json: bool) -> None:
    chosen = [preset(name) for name in names]
    if as_json:
        echo_json([{"name": each.name, "summary": each.summary, "settings": encode(each.settings)} for each in chosen])
        return
    console = open_console()
    for each in chosen:
        console.print(f"[bold cyan]{as_text(each.name)}[/] {as_text(each.summary)}", highlight=False)
        table = Table("setting", "value", "where")
        for row in each.settings:
            table.add_row(*map(as_text, (row.key, json.dumps(row.value), row.where)))
        console.print(table)


def _show_entry(group: str, name: str, as_json: bool) -> None:
    schema: dict[str, Any] = schema_of(catalog.find(group, name))
    if as_json:
        echo_json(schema)
        return
    console = open_console()
    console.print(f"[bold]{as_text(name)}[/] {as_text(schema.get('description', ''))}")
    table = Table("setting", "default", "meaning")
    for key, entry in schema["properties"].items():
        default = "(required)" if key in schema.get("required", []) else json.dumps(entry.get("default"))
        table.add_row(
            as_text(key), as_text("" if default == "null" else default), as_text(entry.get("description", ""))
        )
    if schema["properties"]:
        console.print(table)
    if group == "scenes":
        echo(f"Every source also takes {', '.join(CHOICE_NAMES)}, to choose photos.")
