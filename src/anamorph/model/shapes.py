"""The JSON schema of plain data, from the typed dictionaries and records that it is made of."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from anamorph.model.schemas import SCALARS


@dataclasses.dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword of JSON schema for the hint that it annotates, such as `minimum`."""

    name: str
    value: str | int | float


@dataclasses.dataclass(frozen=True, slots=True)
class AsDict:
    """The annotated dictionary holds the fields of a record, as `asdict` returns them, and some of its properties.

    `others` are keys that are not in the record, or differ from it.
    """

    record: type
    properties: tuple[str, ...] = ()
    others: tuple[tuple[str, Any], ...] = ()


def shape_of(hint: Any) -> dict[str, Any]:
    """The schema (2020-12) of a typed dictionary; it and its references are among the `$defs`."""
    known: dict[str, Any] = {}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_shape(hint, known), "$defs": known}


def _shape(hint: Any, known: dict[str, Any]) -> dict[str, Any]:
    if hint in SCALARS:
        return {"type": SCALARS[hint]}
    if is_typeddict(hint):
        return _named(hint.__name__, hint, get_type_hints(hint, include_extras=True), known)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _record(AsDict(hint), known)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _annotated(arguments[0], arguments[1:], known)
    if origin is NotRequired:
        return _shape(arguments[0], known)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return _any_of([_shape(argument, known) for argument in arguments])
    if origin is tuple and arguments[-1] is not Ellipsis:
        first = _shape(arguments[0], known)
        return {"type": "array", "items": first, "minItems": len(arguments), "maxItems": len(arguments)}
    if origin in (list, tuple):
        return {"type": "array", "items": _shape(arguments[0], known)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _shape(arguments[1], known)}
    return {}


def _annotated(hint: Any, notes: tuple[Any, ...], known: dict[str, Any]) -> dict[str, Any]:
    like = next((note for note in notes if isinstance(note, AsDict)), None)
    shape = dict(_shape(hint, known) if like is None else _record(like, known))
    for note in notes:
        if isinstance(note, Keyword):
            shape[note.name] = note.value
        elif isinstance(note, str):
            shape["description"] = note
    return shape


def _record(like: AsDict, known: dict[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(like.record, include_extras=True)
    fields = {field.name: hints[field.name] for field in dataclasses.fields(like.record)}
    for name in like.properties:
        fields[name] = get_type_hints(getattr(like.record, name).fget, include_extras=True)["return"]
    fields.update(like.others)
    return _named(like.record.__name__, like.record, fields, known)


def _named(name: str, cls: type, fields: Mapping[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    if name not in known:
        known[name] = {}  # a shape may be recursive
        known[name] = {
            "description": (inspect.getdoc(cls) or "").split("\n\n")[0].replace("\n", " "),
            "type": "object",
            "required": [field for field, hint in fields.items() if get_origin(hint) is not NotRequired],
            "properties": {field: _shape(hint, known) for field, hint in fields.items()},
        }
    return {"$ref": f"#/$defs/{name}"}


def _any_of(options: list[dict[str, Any]]) -> dict[str, Any]:
    """Literals and null merge into one `enum`, bare types into one `type`; the rest is kept."""
    null = {"type": "null"}
    if any("enum" in each for each in options) and all("enum" in each or each == null for each in options):
        return {"enum": [value for each in options for value in each.get("enum", [None])]}
    if all(set(each) == {"type"} for each in options):
        return {"type": [each["type"] for each in options]}
    return {"anyOf": options}
