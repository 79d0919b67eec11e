"""The JSON schema of a record type, from the same hints that the codec reads."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin

from anamorph.model.codec import default_of, encode, hints_of, kind_group

SCALARS: Mapping[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def schema_of(cls: type) -> dict[str, Any]:
    """The JSON schema (2020-12) of a dataclass."""
    hints = hints_of(cls)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for field in dataclasses.fields(cls):
        if not field.init:
            continue
        entry = _schema(hints[field.name], field.metadata)
        if field.metadata.get("help"):
            entry["description"] = field.metadata["help"]
        default = default_of(field)
        if default is dataclasses.MISSING:
            required.append(field.name)
        elif default is not None:
            entry["default"] = encode(default)
            if dataclasses.is_dataclass(default) and "properties" in entry:
                _set_defaults(entry, default)
        properties[field.name] = entry
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = required
    summary = inspect.getdoc(cls)
    if summary:
        schema["description"] = summary.splitlines()[0]
    return schema


def _set_defaults(table: dict[str, Any], record: Any) -> None:
    """Give the settings of a table the defaults of its owner, which may differ from the record's own."""
    for name, entry in table["properties"].items():
        value = getattr(record, name)
        if value is not None:
            entry["default"] = encode(value)
        else:
            entry.pop("default", None)


def _schema(hint: Any, metadata: Mapping[str, Any]) -> dict[str, Any]:
    if hint in SCALARS:
        entry: dict[str, Any] = {"type": SCALARS[hint]}
        if hint in (int, float):
            if metadata.get("least") is not None:
                entry["minimum"] = metadata["least"]
            if metadata.get("most") is not None:
                entry["maximum"] = metadata["most"]
        return entry
    if kind_group(hint) is not None:
        table = {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]}
        return {"anyOf": [{"type": "string"}, table]}
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        short = getattr(hint, "short_form", None)
        return schema_of(hint) if short is None else {"anyOf": [schema_of(hint)["properties"][short], schema_of(hint)]}
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            item = _schema(arguments[0], metadata)
            return {"anyOf": [{"type": "array", "items": item}, item]}
        items = [_schema(argument, metadata) for argument in arguments]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    if origin in (Union, types.UnionType):
        # TOML has no null; an optional setting is omitted instead.
        options = [_schema(argument, metadata) for argument in arguments if argument is not type(None)]
        return options[0] if len(options) == 1 else {"anyOf": options}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _schema(arguments[1], metadata)}
    return {}
