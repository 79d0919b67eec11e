"""Configurations of older versions, in the form that they have now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anamorph.errors import BadRecord

# Methods once had a label space each, and so had the readers of captions and tags.
_LABELS_OF_METHODS = {"rome": "labels", "spolre": "labels", "metaic": "labels", "atom": "caption_space"}
_PUBLISHED = ("released-metaic", "released-metaic-rerun", "released-rome")

# Checks that discarded as many good images as bad ones.
_DROPPED_CHECKS = ("close_score", "edges", "likeness", "foreign", "busy", "variety", "apart")
_SHARES = ("fail_over", "max_undecided", "max_vacuous", "max_same")
# Rules of melting that refused no worse images than they let pass, and the methods that had them.
_DROPPED_RULES, _MELTING = ("max_at_edge", "max_alike"), ("rome", "spolre", "metavqa")


def up_to_date(plain: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration with one label space, and with what readers once had in tables of their own under `english`."""
    found = dict(plain)
    spaces: dict[str, Any] = {"labels": found["labels"]} if "labels" in found else {}
    for method, key in _LABELS_OF_METHODS.items():
        table = found.get(method)
        if isinstance(table, Mapping) and key in table:
            spaces[f"{method}.{key}"] = table[key]
            found[method] = {name: value for name, value in table.items() if name != key}
    ask = found.get("ask")
    if isinstance(ask, Mapping) and "confirm" in ask:
        # Issues were confirmed before they were proved.
        found["ask"] = {name: value for name, value in ask.items() if name != "confirm"}
        if isinstance(found.get("prove", {}), Mapping):
            found["prove"] = {"enabled": ask["confirm"], **found.get("prove", {})}
    if isinstance(found.get("cache"), str):
        # Answers were all that was kept.
        found["cache"] = {"answers": found["cache"]}
    gate = found.get("gate")
    if isinstance(gate, Mapping):
        # A share may be written as a number.
        found["gate"] = {
            name: str(value) if name in _SHARES and type(value) in (int, float) and abs(value) < 1000 else value
            for name, value in gate.items()
        }
    check = found.get("melt_check")
    if isinstance(check, Mapping):
        found["melt_check"] = {name: value for name, value in check.items() if name not in _DROPPED_CHECKS}
    for method in _MELTING:
        table = found.get(method)
        melt = table.get("melt") if isinstance(table, Mapping) else None
        if isinstance(table, Mapping) and isinstance(melt, Mapping):
            found[method] = {**table, "melt": {name: melt[name] for name in melt if name not in _DROPPED_RULES}}
    readers = found.get("readers")
    if isinstance(readers, Mapping):
        found["readers"] = _readers(readers, spaces)
    if "labels" in plain and any(each != next(iter(spaces.values())) for each in spaces.values()):
        shown = ", ".join(f"{name} = {_shown(value)}" for name, value in spaces.items())
        raise BadRecord("labels", f"a run has one label space, and this one names several: {shown}. Set `labels` only")
    if spaces:
        # Answers were read in the caption reader's, whatever methods had for references.
        found["labels"] = spaces.get("readers.caption.labels", next(iter(spaces.values())))
    return found


def _readers(tables: Mapping[str, Any], spaces: dict[str, Any]) -> dict[str, Any]:
    old = {
        name: tables[name] for name in ("caption", "plain", "tags", "answer") if isinstance(tables.get(name), Mapping)
    }
    if not old and not any(isinstance(tables.get(name), Mapping) and "labels" in tables[name] for name in _PUBLISHED):
        return dict(tables)
    found = {name: value for name, value in tables.items() if name not in old}
    english: dict[str, Any] = {}
    for name in ("tags", "plain"):
        if "threshold" in old.get(name, {}):
            english["threshold"] = old[name]["threshold"]
    caption, tags = old.get("caption", {}), old.get("tags", {})
    if caption.get("profile", "default") != "default":
        raise BadRecord(
            "readers.caption.profile",
            "methods have a setting `profile`; to judge recorded outputs, use `anamorph judge --profile released`",
        )
    english |= {key: value for key, value in caption.items() if key not in ("labels", "depth", "profile")}
    if tags.get("labels") == "":
        english["free_tags"] = True
    elif "labels" in tags:
        spaces["readers.tags.labels"] = tags["labels"]
    if "labels" in caption:
        spaces["readers.caption.labels"] = caption["labels"]
    for name in (name for name in _PUBLISHED if isinstance(found.get(name, {}), Mapping)):
        table = dict(found.get(name, {}))
        if "labels" in table:
            spaces[f"readers.{name}.labels"] = table.pop("labels")
        if "tagger" in caption:
            table.setdefault("tagger", caption["tagger"])
        if table or name in found:
            found[name] = table
    if english and isinstance(found.get("english", {}), Mapping):
        found["english"] = {**english, **found.get("english", {})}
    return found


def _shown(value: Any) -> str:
    # A number of thousands of digits has no text.
    try:
        return repr(value)
    except ValueError:
        return type(value).__name__
