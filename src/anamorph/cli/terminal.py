"""The one way to the terminal: nothing that came from outside is obeyed by it, taken for markup, or hidden.

Answers, labels, file names, addresses and messages of systems may hold anything. Whatever is printed goes through
here, so that no escape sequence, control character or bidirectional override gets through, whoever forgot about it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console


def open_console(*, stderr: bool = False, highlight: bool = True) -> Console:
    """A console for stdout or stderr; texts from outside that are printed with markup go through `as_text`."""
    from anamorph.cli.safe_console import SafeConsole

    return SafeConsole(stderr=stderr, highlight=highlight, emoji=False)


def as_text(text: str) -> str:
    """A text from outside for a line with markup: one line, in which nothing is markup."""
    from rich.markup import escape

    from anamorph.model.visible import one_line

    return escape(one_line(text))


def echo(text: str, *, err: bool = False, label: str = "", colour: str = "") -> None:
    """Print one line, whatever is in the text, perhaps after a label in a colour."""
    from anamorph.model.visible import one_line

    click.echo((f"{click.style(label, fg=colour)}  " if label else "") + one_line(text), err=err)


def echo_lines(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print a text that has several lines by intention."""
    from anamorph.model.visible import visible

    click.echo(visible(text), err=err, nl=nl)


def echo_json(record: Any, indent: int | None = 2) -> None:
    """Print plain data as JSON."""
    click.echo(json_text(record, indent))


def json_text(record: Any, indent: int | None = None) -> str:
    """JSON that any stream takes, and any terminal shows as it is; half an emoji and the like are escaped."""
    from anamorph.model.visible import visible_json

    return visible_json(json.dumps(record, indent=indent, ensure_ascii=False))


def complain(label: str, text: str) -> None:
    """Print what is wrong on stderr; further lines are indented, so that none pretends to be another message."""
    from anamorph.model.visible import visible

    first, *rest = visible(text).split("\n")
    lines = "\n".join([first, *(line if line.startswith("  ") else f"  {line}" for line in rest)])
    click.echo(f"{click.style(label, fg='red', bold=True)} {lines}", err=True)
