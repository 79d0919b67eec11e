"""How `run`, `resume`, `judge run` and `research merge` end: events, report, summary and exit code."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

import click

from anamorph.cli.choices import baseline_option
from anamorph.cli.options import JSON_OPTION
from anamorph.cli.signals import exit_code_of, hang_up, hung_up, stopped_by
from anamorph.cli.terminal import echo, echo_json, open_console
from anamorph.concurrency.calm import calm_libraries
from anamorph.errors import AnamorphError, MachineFailed, SystemDown, TrackingFailed, UsageError, did_you_mean

if TYPE_CHECKING:
    from anamorph.config import Config
    from anamorph.engine.events import Event
    from anamorph.engine.gate import GateResult
    from anamorph.report.baseline.file import ChosenBaseline
    from anamorph.report.numbers import RunNumbers
    from anamorph.store.run import RunStore
    from anamorph.studies.tracking.trackers import Tracker

_TRACKERS = ("mlflow", "wandb")
_GITHUB = "github"
_OPTIONS = (
    click.option("--no-report", is_flag=True, help="Do not write RUN/report at the end."),
    click.option(
        "--log",
        "logs",
        multiple=True,
        metavar="WHERE",
        callback=lambda context, option, places: tuple(map(_checked, places)),
        help="github: annotations and a job summary. mlflow or wandb: the finished run. FILE.jsonl: every event.",
    ),
)


def _checked(place: str) -> str:
    """Before anything is asked, refuse a tracker whose library is not installed, and an unknown word."""
    if place in _TRACKERS:
        from anamorph.studies.tracking.trackers import require

        require(cast("Tracker", place))
    if place in (*_TRACKERS, _GITHUB):
        return place
    if not Path(place).suffix:
        known = (_GITHUB, *_TRACKERS)
        raise UsageError(f"--log {place}: expected {', '.join(known)}, or FILE.jsonl.{did_you_mean(place, known)}")
    return str(Path(place).absolute())


def ending_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options --baseline, --json, --log and --no-report."""
    for option in (*_OPTIONS, JSON_OPTION):
        command = option(command)
    return baseline_option(command)


def finish(
    store: RunStore,
    config: Config,
    events: Iterator[Event],
    as_json: bool,
    logs: Sequence[str] = (),
    no_report: bool = False,
    baseline: ChosenBaseline | None = None,
) -> int:
    """Show events until the end, write the report, print the summary, and give the exit code."""
    from anamorph.engine.events import BudgetSpent

    calm_libraries()
    stopped = None
    github = _GITHUB in logs
    try:
        with contextlib.ExitStack() as opened:
            files = [opened.enter_context(_log_file(each)) for each in logs if each not in (*_TRACKERS, _GITHUB)]
            for event in _shown(events, as_json, files):
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
    logged = True
    for each in filter(_TRACKERS.__contains__, logs):
        logged &= _log_to(cast("Tracker", each), store, numbers, page)
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


def _shown(events: Iterable[Event], as_json: bool, log_files: Sequence[TextIO]) -> Iterable[Event]:
    from anamorph.cli.progress import log_events, shown

    for file in log_files:
        events = log_events(events, file)
    return shown(events, plain=as_json)


def _log_file(path: str) -> TextIO:
    if not path.startswith(("/dev/std", "/dev/fd/")):
        from anamorph.store.own_files import refuse_link

        refuse_link(Path(path))
    try:
        return Path(path).open("w", encoding="utf-8")
    except OSError as problem:
        raise UsageError(f"--log {path}: cannot be written ({problem.strerror or problem}).") from problem


def _quoted(folder: Path) -> str:
    return shlex.quote(str(folder))
