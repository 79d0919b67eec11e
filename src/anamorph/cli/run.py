"""`anamorph run`, `resume` and `rejudge`."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

import click
from rich.console import Console

from anamorph.cli.choices import configured
from anamorph.cli.progress import log_events, show_lines, show_live
from anamorph.cli.summary import print_summary, summary_record
from anamorph.config import Config, part_from_text, resolve
from anamorph.engine.events import BudgetSpent, Event, Finished
from anamorph.engine.gate import gate, out_of_budget
from anamorph.engine.plan import require_methods
from anamorph.engine.run import carry_out, config_of, require_suitable, start
from anamorph.engine.run import rejudge as rejudge_events
from anamorph.errors import AnamorphError, RunError, SystemDown, UsageError
from anamorph.report import write_report
from anamorph.store.run import RunStore

_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object at the end, and nothing else.")
_LOG = click.option("--log", type=click.Path(dir_okay=False), metavar="FILE", help="Write every event as a JSON line.")
_NO_REPORT = click.option("--no-report", is_flag=True, help="Do not write RUN/report at the end.")
_RUN = click.argument("run_folder", metavar="RUN", type=click.Path(path_type=Path, file_okay=False))


@click.command(
    epilog="""\b
Examples:
  anamorph run anamorph.toml
  anamorph run -m deeptest -s folder:photos -y command:'python captioner.py' --out runs/first --limit 50
  anamorph run -m deeptest -s coco:instances.json,images=val2017 -y callable:my_model:caption --fail-over 5%
  anamorph run anamorph.toml --set deeptest.blur=2 --set ask.rate_per_second=5
  anamorph run -m deeptest -s folder:photos -y openai:gpt-4o-mini --price 0.001 --budget 5"""
)
@configured
@_JSON
@_LOG
@_NO_REPORT
def run(config: Config, as_json: bool, log: str | None, no_report: bool) -> None:
    """Plan, render, ask, judge and report, from a TOML file, flags, or both (flags win).

    A run that is stopped, in whatever way, goes on with `anamorph resume RUN`.
    """
    folder = Path(config.settings.out or time.strftime("runs/%Y%m%d-%H%M%S"))
    require_methods(config)
    config.scenes()
    system = config.system()
    system.close()
    require_suitable(config, system)
    with start(config, folder) as store:
        try:
            sys.exit(_finish(store, config, carry_out(store, config), as_json, log, no_report))
        except UsageError:
            # A run that never got a plan is not worth resuming: its folder must not stand in the way of the next try.
            if not store.fact("planned"):
                store.discard()
            raise


@click.command()
@_RUN
@click.option("--system", metavar="KIND:...", help="What is tested, for a plan that was made without a system.")
@click.option("--budget", type=float, metavar="B", help="A new budget for the whole run, what is spent included.")
@click.option("--price", type=float, metavar="P", help="A new price of an image that is sent.")
@click.option("--accept-changed-system", is_flag=True, help="Go on although the system's fingerprint changed.")
@_JSON
@_LOG
@_NO_REPORT
def resume(
    run_folder: Path,
    system: str | None,
    budget: float | None,
    price: float | None,
    accept_changed_system: bool,
    as_json: bool,
    log: str | None,
    no_report: bool,
) -> None:
    """Go on with a run: ask only what has no answer yet, then judge everything.

    Failed calls and answers that could not be read are asked again.
    """
    log = str(Path(log).absolute()) if log else None
    with open_run(run_folder) as store:
        config = _with_prices(store, _with_system(store, config_of(store), system), budget, price)
        events = carry_out(store, config, accept_changed_system=accept_changed_system)
        sys.exit(_finish(store, config, events, as_json, log, no_report))


@click.command()
@_RUN
@_JSON
@_LOG
@_NO_REPORT
def rejudge(run_folder: Path, as_json: bool, log: str | None, no_report: bool) -> None:
    """Judge the stored answers again, with no call to the system.

    Use it after an update of Anamorph, or of a relation or reader of your own.
    """
    log = str(Path(log).absolute()) if log else None
    with open_run(run_folder) as store:
        config = config_of(store)
        sys.exit(_finish(store, config, rejudge_events(store, config), as_json, log, no_report))


@contextlib.contextmanager
def open_run(folder: Path, *, read_only: bool = False) -> Iterator[RunStore]:
    """Open a run in the directory it was started from, where its relative paths mean what they meant."""
    with RunStore.open(folder.absolute(), read_only=read_only) as store:
        directory = store.fact("directory")
        if directory and Path(directory).is_dir():
            os.chdir(directory)
        yield store


def _with_system(store: RunStore, config: Config, text: str | None) -> Config:
    if text is None:
        return config
    if store.fact("fingerprint") is not None:
        raise RunError(f"{store.folder}: was begun with a system already; start a new run to test another one.")
    config = resolve({**config.plain, "system": part_from_text("system", text)}, "--system")
    with store.transaction():
        store.set_fact("config", config.plain)
    return config


def _with_prices(store: RunStore, config: Config, budget: float | None, price: float | None) -> Config:
    changes = {name: value for name, value in (("budget", budget), ("price", price)) if value is not None}
    if not changes:
        return config
    config = resolve({**config.plain, "ask": {**config.plain.get("ask", {}), **changes}}, "resume")
    with store.transaction():
        store.set_fact("config", config.plain)
    return config


def _finish(
    store: RunStore, config: Config, events: Iterator[Event], as_json: bool, log: str | None, no_report: bool
) -> int:
    """Show events until the end, write the report, print what came of it, and give the exit code."""
    finished, stopped = None, None
    try:
        with _log_file(log) as log_file:
            for event in _shown(events, as_json, log_file):
                if isinstance(event, Finished):
                    finished = event
                elif isinstance(event, BudgetSpent):
                    stopped = event
    except KeyboardInterrupt:
        events.close()  # type: ignore[attr-defined]
        click.echo(f"Stopped. Nothing is lost: go on with `anamorph resume {_quoted(store.folder)}`.", err=True)
        return 130
    except SystemDown as down:
        message = f"The system under test does not work: {down}"
        kept = store.count("answers")
        click.echo(f"Error: {message.rstrip('.')}.", err=True)
        click.echo(f"{kept} answers are kept: go on with `anamorph resume {_quoted(store.folder)}`.", err=True)
        if as_json:
            click.echo(json.dumps({"run": str(store.folder), "exit_code": 3, "error": message}, indent=2))
        return down.exit_code
    except AnamorphError as problem:
        if as_json:
            click.echo(json.dumps({"run": str(store.folder), "exit_code": problem.exit_code, "error": str(problem)}))
        raise
    assert finished is not None
    result = gate(finished, config.settings.gate) if stopped is None else out_of_budget(stopped, finished)
    written = None if no_report else write_report(store, config, store.folder / "report")
    if as_json:
        record: dict[str, Any] = summary_record(store, config, finished, result)
        record["report"] = None if written is None else str(written.index_html)
        click.echo(json.dumps(record, indent=2, ensure_ascii=False))
    else:
        print_summary(Console(), store, config, finished, result, None if written is None else written.index_html)
    if stopped is not None:
        more = f"anamorph resume {_quoted(store.folder)} --budget {2 * stopped.budget:g}"
        click.echo(f"Nothing is lost: go on with a larger budget for the whole run, such as `{more}`.", err=True)
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
