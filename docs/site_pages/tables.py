"""The tables of settings on the pages of extensions, made from the settings: `python docs/site_pages/tables.py`."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from anamorph import catalog
from anamorph.config import config_schema
from anamorph.model.schemas import schema_of
from anamorph.scenes.choosing.choice import PhotoChoice
from anamorph.studies.collect.collector import CollectSettings
from site_pages.reference import ROOT, properties_table

BEGIN, END = "<!-- settings (docs/site_pages/tables.py makes this table) -->", "<!-- end of settings -->"
_TABLE = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.DOTALL)
# On any other page: a table of a configuration file, the choice of photos, or the settings of collecting.
_NAMED = re.compile(
    r"(<!-- settings of (\w+) \(docs/site_pages/tables\.py makes this table\) -->).*?" + re.escape(END), re.DOTALL
)


def settings_block(group: str, name: str) -> str:
    """The table of an extension's settings, between its markers."""
    table = "".join(properties_table(schema_of(catalog.find(group, name))))
    return f"{BEGIN}\n\n{table}\n{END}"


def _named(marker: re.Match[str]) -> str:
    records = {"photos": PhotoChoice, "collect": CollectSettings}
    name = marker[2]
    schema = schema_of(records[name]) if name in records else config_schema()["properties"][name]
    return f"{marker[1]}\n\n{''.join(properties_table(schema))}\n{END}"


def _made(group: str, name: str, _: re.Match[str]) -> str:
    return settings_block(group, name)


def pages() -> Iterator[tuple[Path, str]]:
    """Every page of an extension, and every other one with a marker, with its text as it should be."""
    for page in sorted((ROOT / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        if _NAMED.search(text):
            yield page, _NAMED.sub(_named, text)
    for group, entries in catalog.CATALOG.items():
        for name in entries:
            page = ROOT / "docs" / group / f"{name}.md"
            # A function, because a string would have its backslashes read.
            made = functools.partial(_made, group, name)
            yield page, _TABLE.sub(made, page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    for path, text in pages():
        path.write_text(text, encoding="utf-8")
