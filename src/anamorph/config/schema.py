"""The JSON schema of the TOML file."""

from __future__ import annotations

from typing import Any

from anamorph import catalog
from anamorph.config.parts import GROUP_OF_PART, PARTS, TABLED_GROUPS
from anamorph.config.readers import DEFAULT_READERS, readers_that_make
from anamorph.config.settings import RunSettings
from anamorph.model import READING_KINDS
from anamorph.model.schemas import schema_of
from anamorph.scenes.choosing.choice import PhotoChoice


def config_schema() -> dict[str, Any]:
    """The JSON schema of the TOML file, with everything that the catalogue knows now."""
    schema = schema_of(RunSettings)
    properties = schema["properties"]
    properties["methods"] = {**properties["methods"], "examples": [["deeptest"]]}
    for part in PARTS:
        kinds = [_kind_schema(GROUP_OF_PART[part], name) for name in catalog.names(GROUP_OF_PART[part])]
        properties[part] = {"anyOf": [{"type": "string", "pattern": "^[a-z0-9-]+(:|$)"}, *kinds]}
    for name in catalog.names("methods"):
        properties[name] = schema_of(catalog.find("methods", name))
    for group in TABLED_GROUPS:
        tables = {name: schema_of(catalog.find(group, name)) for name in catalog.names(group)}
        properties[group] = {"type": "object", "properties": tables, "additionalProperties": False}
    for kind in READING_KINDS:
        properties["readers"]["properties"][kind] = {
            "enum": readers_that_make(kind),
            "default": DEFAULT_READERS[kind],
            "description": f"The reader that makes readings of the kind {kind}.",
        }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "anamorph.toml", **schema}


def _kind_schema(group: str, name: str) -> dict[str, Any]:
    schema = schema_of(catalog.find(group, name))
    choice = schema_of(PhotoChoice)["properties"] if group == "scenes" else {}
    schema["properties"] = {"kind": {"const": name}, **schema["properties"]}
    schema["properties"] |= {key: value for key, value in choice.items() if key not in schema["properties"]}
    schema["required"] = ["kind", *schema.get("required", [])]
    return schema
