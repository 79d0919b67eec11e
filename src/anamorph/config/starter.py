"""The first configuration file of a project: its parts as TOML, with a comment for what is worth knowing."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from anamorph import catalog
from anamorph.config.settings import AskSettings, GateSettings

# Settings that a first file shows without setting them, with a value to begin with.
_SHOWN: Mapping[str, Sequence[tuple[type, str, Any]]] = {
    "ask": (
        (AskSettings, "price", 0.001),
        (AskSettings, "budget", 5.0),
        (AskSettings, "rate_per_second", 5.0),
        (AskSettings, "repeats", 3),
    ),
    "gate": ((GateSettings, "fail_over", "5%"), (GateSettings, "fail_on", 10), (GateSettings, "fail_on_new", True)),
}


def starter_toml(plain: Mapping[str, Any], why: str, name: str) -> str:
    """A file that `anamorph run` takes; `why` says why it has its method, `name` what it is called."""
    lines = [
        f"# Anamorph. Check it: anamorph run {name} --check --ask    Run it: anamorph run {name}",
        "# Every setting: anamorph list, and docs/configuration.md. Paths count from where the run is started.",
        "",
        f"methods = {_toml(list(plain['methods']))}{f'  # {why}' if why else ''}",
        f"limit = {plain['limit']}  # photos at most; leave it out to use all",
        "seed = 7  # for all randomness: the same seed plans the same run",
    ]
    for part, group in (("scenes", "scenes"), ("system", "systems")):
        table = plain[part]
        lines += ["", f"[{part}]  # more: anamorph list {group} {table['kind']}", f"kind = {_toml(table['kind'])}"]
        cls = catalog.find(group, table["kind"])
        helps = {field.name: _comment(field) for field in dataclasses.fields(cls)}
        for setting, value in table.items():
            if setting != "kind":
                lines.append(f"{setting} = {_toml(value)}{helps.get(setting, '')}")
    for title, settings in _SHOWN.items():
        lines += ["", f"[{title}]"]
        for cls, setting, value in settings:
            (field,) = (each for each in dataclasses.fields(cls) if each.name == setting)
            lines.append(f"# {setting} = {_toml(value)}{_comment(field)}")
    return "\n".join(lines) + "\n"


def _comment(field: dataclasses.Field[Any]) -> str:
    """The first clause of a setting's help."""
    text = str(field.metadata.get("help", "")).partition("; ")[0].partition(". ")[0].rstrip(".")
    return f"  # {text}" if text else ""


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, str):
        # TOML's basic strings are those of JSON, but for DEL.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)
