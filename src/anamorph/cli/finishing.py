"""How `run`, `resume`, `judge run` and `research merge` end: events, report, summary and exit code."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from anamorph.cli.choices import baseline_option
from anamorph.cli.signals import exit_code_of, hang_up, hung_up, stopped_by
from anamorph.cli.terminal import echo, echo_json, open_console
from anamorph.concurrency.calm import calm_libraries
from anamorph.errors import AnamorphError, MachineFailed, SystemDown, TrackingFailed

if TYPE_CHECKING:
    from anamorph.config import Config
    from anamorph.engine.events import Event
    from anamorph.engine.gate import GateResult
    from anamorph.report.baseline.file import ChosenBaseline
    from anamorph.report.numbers import RunNumbers
    from anamorph.store.run import RunStore
    from anamorph.studies.tracking.trackers import Tracker

JSON_OPTION = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object at the end, and nothing else."
)
_OPTIONS = (
    click.option("--no-report", is_flag=True, help="Do not write RUN/report at the end."),
    click.option("--log", type=click.Path(dir_okay=False), metavar="FILE", help="Write every event as a JSON line."),
)
GITHUB_OPTION = click.option("--github", is_flag=True, help="Add annotations and a job summary for GitHub Actions.")
LOG_TO_OPTION = click.option(
    "--log-to",
    "log_to",
    type=click.Choice(["mlflow", "wandb"]),
    callback=lambda context, option, tracker: _required(tracker),
    help="Log the finished run to an experiment tracker: its settings, rates, causes, first proofs and report.",
)


def _required(tracker: Tracker | None) -> Tracker | None:
    """Before anything is asked, refuse a tracker whose library is not installed."""
    if tracker is not None:
        from anamorph.studies.tracking.trackers import require

        require(tracker)
    return tracker


def ending_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options --baseline, --json, --log, --no-report, --github and --log-to."""
    for option in (LOG_TO_OPTION, GITHUB_OPTION, *_OPTIONS, JSON_OPTION):
        command = option(command)
    return baseline_option(command)


def finish(
    store: RunStore,
    config: Config,
    events: Iterator[Event],
    as_json: bool,
    log: str | None = None,
    no_report: bool = False,
    github: bool = False,
    baseline: ChosenBaseline | None = None,
    log_to: Tracker | None = None,
) -> int:
    """Show events until the end, write the report, print the summary, and give the exit code."""
    from anamorph.engine.events import BudgetSpent

    calm_libraries()
    stopped = None
    try:
        with _log_file(log) as log_file:
            for event in _shown(events, as_json, log_file):
                if isinstance(event, BudgetSpent):
                    stopped = event
    except (KeyboardInterrupt, OSError) as problem:
        if isinstance(problem, OSError) and not hung_up(problem):
            raise
        stop = hang_up() if isinstance(problem, OSError) else problem
        events.close()  # type: ignore[attr-defined]
        more = f"continue with `anamorph resume {_quoted(store.folder)}`"
        echo(f"{stopped_by(stop)} Nothing is lost: {more}.", err=True)
        return exit_code_of(stop)
    except (SystemDown, MachineFailed) as down:
        its_own = isinstance(down, SystemDown)
        message = f"The system under test does not work: {down}" if its_own else str(down)
        echo(f"Error: {message.rstrip('.')}.", err=True)
        if store.folder.exists():
            kept = store.count("answers")
            echo(f"{kept} answers are kept: continue with `anamorph resume {_quoted(store.folder)}`.", err=True)
        if github:
            from anamorph.report.github import annotation

            failed = "the system does not work" if its_own else "the machine failed"
            echo(annotation("error", f"Anamorph: {failed}", message), err=True)
        if as_json:
            echo_json({"run": str(store.folder), "exit_code": 3, "error": message})
        return down.exit_code
    except AnamorphError as problem:
        if as_json:
            echo_json({"run": str(store.folder), "exit_code": problem.exit_code, "error": str(problem)}, indent=None)
        raise
    from anamorph.cli.printing import print_summary, summary_record
    from anamorph.report.numbers import read_numbers
    from anamorph.report.writing import write_report

    numbers = read_numbers(store, config, baseline)
    page = None if no_report else write_report(store, config, store.folder / "report", numbers).index_html
    if as_json:
        record = {**summary_record(numbers), "report": None if page is None else str(page)}
        echo_json(record)
    else:
        print_summary(open_console(), store, numbers, page)
    if github:
        _tell_github(store, numbers, numbers.gate, page, to_stderr=as_json)
    logged = log_to is None or _log_to(log_to, store, numbers, page)
    if stopped is not None:
        more = f"anamorph resume {_quoted(store.folder)} --budget {2 * stopped.budget:g}"
        echo(f"Nothing is lost: continue with a larger budget for the whole run, such as `{more}`.", err=True)
    return numbers.gate.exit_code if logged else numbers.gate.exit_code or TrackingFailed.exit_code


def _log_to(tracker: Tracker, store: RunStore, numbers: RunNumbers, page: Path | None) -> bool:
    """Log a run to a tracker and say where; whether that worked. The run is kept either way."""
    from anamorph.studies.tracking.record import tracked
    from anamorph.studies.tracking.trackers import send

    try:
        place = send(tracker, tracked(store, numbers, None if page is None else page.parent))
    except TrackingFailed as problem:
        echo(f"Error: {problem}", err=True)
        return False
    echo(f"Logged to {tracker}: {place}", err=True)
    return True


def _tell_github(
    store: RunStore, numbers: RunNumbers, result: GateResult, page: Path | None, *, to_stderr: bool
) -> None:
    from anamorph.report.github import SUMMARY_VARIABLE, annotation_lines, job_summary

    for line in annotation_lines(store, numbers, result, page):
        echo(line, err=to_stderr)
    summary = os.environ.get(SUMMARY_VARIABLE)
    if summary:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(job_summary(store, numbers, result, page))


def _shown(events: Iterable[Event], as_json: bool, log_file: TextIO | None) -> Iterable[Event]:
    from anamorph.cli.progress import log_events, show_lines, show_live

    if log_file is not None:
        events = log_events(events, log_file)
    console = open_console(stderr=True)
    if as_json or not console.is_terminal:
        return show_lines(events, sys.stderr)
    return show_live(events, console)


def _log_file(path: str | None) -> contextlib.AbstractContextManager[TextIO | None]:
    if path is None:
        return contextlib.nullcontext()
    if not path.startswith("/dev/"):
        from anamorph.store.own_files import refuse_link

        refuse_link(Path(path))
    return Path(path).open("w", encoding="utf-8")


def _quoted(folder: Path) -> str:
    return shlex.quote(str(folder))
