"""What pages point at is there: files, headings, commands, their options, kinds and settings."""

from __future__ import annotations

import importlib
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import click
import pytest

from anamorph import catalog
from anamorph.cli.main import DEFAULTS, cli
from anamorph.config import config_schema, part_from_text
from anamorph.model.schemas import schema_of
from tests.conftest import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
GROUPS = {"scenes": "scenes", "system": "systems", "segmenter": "segmenters", "searcher": "searchers"}
EACH = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))

_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# At the beginning of a line of code, also of one that shows only the flags of a run.
_LINE = re.compile(r"^(?: {4,}|)((?:anamorph|--[a-z]+|-[a-z]) (?:\\\n|[^\n])*)$", re.MULTILINE)
_INLINE = re.compile(r"`(anamorph [^`]+)`")


def without_code(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", _FENCED.sub("", text))


def headings(page: Path) -> set[str]:
    """The anchors of a page, as they are made of its headings."""
    found = re.findall(r"^#+ (.*)$", _FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in found}


@EACH
def test_every_relative_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    for link in _LINK.findall(without_code(page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        place, _, anchor = unquote(link).partition("#")
        target = page.parent / place if place else page
        assert target.exists(), f"{link} leads nowhere"
        assert not anchor or anchor in headings(target), f"{link} leads to no heading of {sorted(headings(target))}"


def commands(page: Path) -> Iterator[list[str]]:
    """The words of every command line of a page; lines that begin with a flag are those of `run` or `collect`."""
    text = page.read_text(encoding="utf-8")
    for line in [*_LINE.findall(text), *_INLINE.findall(text)]:
        words = shlex.split(line.replace("\\\n", " "), comments=True)
        for stop in ("|", ">", "2>", "&&", ";", "||"):
            words = words[: words.index(stop)] if stop in words else words
        if words[0] == "anamorph":
            yield words[1:]
        else:
            yield ["collect" if page.parent.name == "searchers" else "run", *words]


def parsed(words: list[str]) -> tuple[click.Command, dict[str, Any]]:
    """The command of a line and its options as they stand; UsageError for one that there is not."""
    command: click.Command = cli
    context = click.Context(cli, info_name="anamorph")
    while isinstance(command, click.Group) and words:
        default = DEFAULTS.get(command.name or "")
        if words[0].startswith("-"):
            if default is None or words[0] in ("-h", "--help"):
                break
            words = [default, *words]
        name, *words = words
        if default is not None and command.get_command(context, name) is None:
            name, words = default, [name, *words]
        found = command.get_command(context, name)
        if found is None:
            raise click.UsageError(f"There is no command {name}.")
        command, context = found, click.Context(found, parent=context, info_name=name)
    try:
        options, _, _ = command.make_parser(context).parse_args(list(words))
    except click.BadOptionUsage as problem:
        # A sentence may name an option without its value.
        if not problem.message.endswith("requires an argument."):
            raise
        return command, {}
    return command, options


def setting_exists(key: str) -> bool:
    tables: list[dict[str, Any]] = [config_schema()]
    for step in key.split("."):
        below = [table["properties"][step] for table in tables if step in table.get("properties", {})]
        tables = [kind for table in below for kind in (table, *table.get("anyOf", []))]
    return bool(tables)


@EACH
def test_every_command_that_is_shown_parses(page: Path) -> None:
    for words in commands(page):
        try:
            command, options = parsed(words)
        except click.UsageError as problem:
            raise AssertionError(f"anamorph {' '.join(words)}: {problem.message}") from problem
        for option in command.params:
            value = options.get(option.name or "")
            if option.metavar == "KIND:..." and option.name in GROUPS and isinstance(value, str) and ":" in value:
                part_from_text(option.name, value)
        for assignment in options.get("sets", ()) if command.name in ("run", "plan") else ():
            assert setting_exists(assignment.partition("=")[0]), f"there is no setting {assignment}"


@EACH
def test_every_table_of_settings_that_is_shown_has_known_keys(page: Path) -> None:
    known = config_schema()["properties"]
    for language, text in _FENCED.findall(page.read_text(encoding="utf-8")):
        plain = tomllib.loads(text) if language == "toml" else {}
        # A label space is a file of its own, whose `labels` are a list.
        if set(plain) & set(known) and not isinstance(plain.get("labels"), list):
            for key in keys_of(plain):
                assert setting_exists(key), f"there is no setting {key}"
            for part in GROUPS.keys() & {key for key, value in plain.items() if isinstance(value, dict)}:
                if "kind" in plain[part]:
                    own = schema_of(catalog.find(GROUPS[part], plain[part]["kind"]))["properties"]
                    assert set(plain[part]) <= {"kind", *own}


def keys_of(plain: dict[str, Any]) -> Iterator[str]:
    """The dotted names of what tables set, down to the settings of one part."""
    for key, value in plain.items():
        for name, inner in value.items() if isinstance(value, dict) else ():
            deeper = key in ("readers", "inpainters", "painters")
            deeper = deeper and isinstance(inner, dict)
            yield from (f"{key}.{name}.{each}" for each in inner) if deeper else (f"{key}.{name}",)
        yield key


@pytest.mark.parametrize("group", catalog.CATALOG)
def test_a_front_page_of_a_group_helps_to_choose_and_says_where_the_whole_list_is(group: str) -> None:
    """Its table need not be whole, so that a new entry has only its own page; what it has must be true.

    The site makes the table of some groups from the catalogue, whole.
    """
    front = ROOT / "docs" / group / "README.md"
    if not front.is_file():
        return
    text = front.read_text(encoding="utf-8")
    shown = re.findall(r"^\| \[([\w-]+)\]\(\1\.md\)", text, re.MULTILINE)
    assert shown or f"<!-- made: list {group} -->" in text
    assert len(shown) == len(set(shown)) and set(shown) <= set(catalog.CATALOG[group])
    assert f"`anamorph list {group}`" in text


def test_the_readme_leads_to_every_group() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for group in catalog.CATALOG:
        assert re.search(rf"\]\(docs/{group}(/README\.md)?\)", text), f"README.md has no link to docs/{group}"


def test_the_page_on_extensions_has_every_group_and_its_verb() -> None:
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    for group, verb in catalog.VERBS.items():
        assert f"`anamorph.{group}`" in page and f"| `{verb}(" in page, group


def test_the_table_of_settings_on_every_page_is_made_from_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    tables = importlib.import_module("site_pages.tables")
    for page, text in tables.pages():
        shown = page.read_text(encoding="utf-8")
        assert shown == text, f"{page.name}: run python docs/site_pages/tables.py"
        group = page.parent.name
        settings = (
            page.stem in catalog.CATALOG.get(group, ()) and schema_of(catalog.find(group, page.stem))["properties"]
        )
        assert not settings or tables.BEGIN in shown, f"{page.name} lacks the table of its settings"
