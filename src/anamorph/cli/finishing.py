"""How `run`, `resume` and `rejudge` end: events shown, report written, summary printed, exit code chosen."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

import click
from rich.console import Console

from anamorph.cli.printing import print_summary, summary_record
from anamorph.cli.progress import log_events, show_lines, show_live
from anamorph.cli.signals import exit_code_of, stopped_by
from anamorph.config import Config
from anamorph.engine.events import BudgetSpent, Event, Finished
from anamorph.engine.gate import gate, out_of_budget
from anamorph.errors import AnamorphError, SystemDown
from anamorph.report.numbers import read_numbers
from anamorph.report.writing import write_report
from anamorph.store.run import RunStore

_OPTIONS = (
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object at the end, and nothing else."),
    click.option("--log", type=click.Path(dir_okay=False), metavar="FILE", help="Write every event as a JSON line."),
    click.option("--no-report", is_flag=True, help="Do not write RUN/report at the end."),
)


def ending_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options --json, --log and --no-report."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def finish(
    store: RunStore, config: Config, events: Iterator[Event], as_json: bool, log: str | None, no_report: bool
) -> int:
    """Show events until the end, write the report, print the summary, and give the exit code."""
    finished, stopped = None, None
    try:
        with _log_file(log) as log_file:
            for event in _shown(events, as_json, log_file):
                if isinstance(event, Finished):
                    finished = event
                elif isinstance(event, BudgetSpent):
                    stopped = event
    except KeyboardInterrupt as stop:
        events.close()  # type: ignore[attr-defined]
        more = f"continue with `anamorph resume {_quoted(store.folder)}`"
        click.echo(f"{stopped_by(stop)} Nothing is lost: {more}.", err=True)
        return exit_code_of(stop)
    except SystemDown as down:
        message = f"The system under test does not work: {down}"
        kept = store.count("answers")
        click.echo(f"Error: {message.rstrip('.')}.", err=True)
        click.echo(f"{kept} answers are kept: continue with `anamorph resume {_quoted(store.folder)}`.", err=True)
        if as_json:
            click.echo(json.dumps({"run": str(store.folder), "exit_code": 3, "error": message}, indent=2))
        return down.exit_code
    except AnamorphError as problem:
        if as_json:
            click.echo(json.dumps({"run": str(store.folder), "exit_code": problem.exit_code, "error": str(problem)}))
        raise
    assert finished is not None
    result = gate(finished, config.settings.gate) if stopped is None else out_of_budget(stopped, finished)
    numbers = read_numbers(store, config)
    page = None if no_report else write_report(store, config, store.folder / "report", numbers).index_html
    if as_json:
        record = {**summary_record(numbers, result), "report": None if page is None else str(page)}
        click.echo(json.dumps(record, indent=2, ensure_ascii=False))
    else:
        print_summary(Console(), store, numbers, result, page)
    if stopped is not None:
        more = f"anamorph resume {_quoted(store.folder)} --budget {2 * stopped.budget:g}"
        click.echo(f"Nothing is lost: continue with a larger budget for the whole run, such as `{more}`.", err=True)
    return result.exit_code


def _shown(events: Iterable[Event], as_json: bool, log_file: TextIO | None) -> Iterable[Event]:
    if log_file is not None:
        events = log_events(events, log_file)
    console = Console(stderr=True)
    if as_json or not console.is_terminal:
        return show_lines(events, sys.stderr)
    return show_live(events, console)


def _log_file(path: str | None) -> contextlib.AbstractContextManager[TextIO | None]:
    return contextlib.nullcontext() if path is None else Path(path).open("w", encoding="utf-8")


def _quoted(folder: Path) -> str:
    return shlex.quote(str(folder))
