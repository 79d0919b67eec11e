"""`anamorph review`: people mark reported issues in a local web app."""

from __future__ import annotations

import contextlib
import dataclasses
import getpass
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from anamorph.cli.crashes import note_run
from anamorph.cli.moved import ISSUES, command_with
from anamorph.cli.opening import config_for_reading
from anamorph.cli.options import FILE, FOLDER, PORT_OPTION, REVIEWER_OPTION, sample_option
from anamorph.cli.printing import print_reviews, rich_table
from anamorph.cli.serving import hold_session
from anamorph.cli.terminal import as_text, echo, echo_json, open_console
from anamorph.errors import UsageError
from anamorph.model import GRADES, Table
from anamorph.report.cause_words import UNGRADED
from anamorph.report.reviews import Kappa, marks_of_files
from anamorph.store.marks import MARKS_FILE, Mark
from anamorph.store.run import RunStore
from anamorph.studies.review.issues import ReviewChoice, ReviewSession, open_review
from anamorph.studies.review.summary import ReviewSummary, sum_up_reviews, summary_record
from anamorph.studies.sessions.session import check_installed

_UNMARKED, _LEADS = "unmarked", "leads"
# At most this many disagreements are printed; --json has them all.
MOST_DISAGREEMENTS = 20


@click.command(
    cls=command_with(ISSUES),
    epilog="""\b
Examples:
  anamorph review runs/first
  anamorph review runs/first --sample 100 --blind --reviewer ann
  anamorph review runs/first runs/second --marks marks.jsonl --only unmarked
  anamorph review runs/first --only leads
  anamorph review runs/first --summary""",
)
@click.argument("run_folders", metavar="RUN...", nargs=-1, required=True, type=FOLDER)
@click.option(
    "--marks",
    "file",
    type=FILE,
    metavar="FILE.jsonl",
    help="Where marks are kept, such as a file that you share in git; by default RUN/marks.jsonl.",
)
@REVIEWER_OPTION
@sample_option("At most N issues, drawn from every kind; another seed draws others.")
@click.option("--blind", is_flag=True, help="Do not show what was reported: no method, relation, grade or reason.")
@click.option(
    "--only",
    "wanted",
    multiple=True,
    metavar="WHICH",
    help="Only these: unmarked, method=NAME, relation=NAME or grade=NAME; or leads, which were not proved.",
)
@click.option(
    "--summary", "as_summary", is_flag=True, help="Do not review: sum up all marks of the runs, of all reviewers."
)
@PORT_OPTION
@click.option(
    "--json", "as_json", is_flag=True, help="Print the address and the file as one line of JSON; or the summary."
)
def review(
    run_folders: tuple[Path, ...],
    file: Path | None,
    reviewer: str | None,
    sample: tuple[int | None, int],
    blind: bool,
    wanted: tuple[str, ...],
    as_summary: bool,
    port: int | None,
    as_json: bool,
) -> None:
    """Look at issues in a local web app, and mark each report as right or as a false alarm.

    The app is reached only from this machine, by an address that works once. Every mark is on disk as soon as it is
    made, so you can stop at any time (Ctrl-C) and continue later. Two people who review the same run see nothing of
    each other's marks; git merges their files. With --summary nothing is opened: precision, agreement and what the
    false alarms come from are printed, from the marks of all reviewers.
    """
    leads = _LEADS in wanted
    wanted = tuple(each for each in wanted if each != _LEADS)
    if as_summary:
        _sum_up([folder.absolute() for folder in run_folders], file, as_json, leads=leads)
        return
    choice = _choice(wanted, ReviewChoice(*sample, blind, leads=leads))
    check_installed("anamorph review")
    if file is None and len(run_folders) > 1:
        raise UsageError("Marks of several runs need a file of their own. Name it with --marks FILE.jsonl.")
    runs = [folder.absolute() for folder in run_folders]
    for run in runs:
        note_run(run)
    file = (file or runs[0] / MARKS_FILE).absolute()
    name = login_name() if reviewer is None else reviewer.strip()

    def make() -> ReviewSession:
        return open_review(runs, file, name, choice, lambda said: echo(said, err=True))

    hold_session(make, port, as_json, name, "marks", file, "marked")


def _choice(wanted: Sequence[str], choice: ReviewChoice) -> ReviewChoice:
    """The choice with what --only names."""
    named: dict[str, list[str]] = {"method": [], "relation": [], "grade": []}
    for which in wanted:
        key, _, value = which.partition("=")
        if which != _UNMARKED and (key not in named or not value):
            raise UsageError(
                f"--only {which}: expected {_UNMARKED}, {_LEADS}, method=NAME, relation=NAME or grade=NAME."
            )
        if key == "grade" and value not in (*GRADES, UNGRADED):
            raise UsageError(f"--only {which}: unknown grade. Known: {', '.join((*GRADES, UNGRADED))}.")
        if which != _UNMARKED:
            named[key].append(value)
    return dataclasses.replace(
        choice,
        only_unmarked=_UNMARKED in wanted,
        methods=tuple(named["method"]),
        relations=tuple(named["relation"]),
        grades=tuple(named["grade"]),
    )


def login_name() -> str:
    """The default reviewer: the login name."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError) as problem:
        raise UsageError("Your login name is not known. Give a name with --reviewer NAME.") from problem


def _sum_up(runs: Sequence[Path], file: Path | None, as_json: bool, *, leads: bool) -> None:
    """Print what all marks of some runs add up to: those of the runs' own files, and of one more file."""
    files = [*(run / MARKS_FILE for run in runs), *([] if file is None else [file.absolute()])]
    with contextlib.ExitStack() as stack:
        opened = []
        for run in runs:
            note_run(run)
            store = stack.enter_context(RunStore.open(run, read_only=True))
            config = config_for_reading(store)
            opened.append((store, config.methods, config.settings.ask.repeats))
        marks = marks_of_files(files)
        if not marks:
            places = ", ".join(str(path) for path in files)
            raise UsageError(f"{places}: has no marks yet. Make some with `anamorph review RUN`.")
        summary = sum_up_reviews(opened, marks, "lead" if leads else "violated")
    if as_json:
        echo_json(summary_record(summary))
        return
    _print(open_console(), summary)


def _print(console: Console, summary: ReviewSummary) -> None:
    print_reviews(console, summary.numbers)
    if summary.unreviewed:
        console.print(f"{summary.unreviewed:,} of {summary.issues:,} issues have no mark.", highlight=False)
    for method, table in summary.tables:
        console.print(rich_table(f"{method}: {table.title.lower()}" if method else table.title, table, "--json"))
    if summary.pairs:
        rows = tuple((", ".join(each.reviewers), each.issues, *_kappa_cells(each)) for each in summary.pairs)
        console.print(
            rich_table("Agreement in pairs", Table("", ("reviewers", "issues", "Cohen's kappa", "95 % interval"), rows))
        )
    disagreements = summary.disagreements
    if disagreements:
        noun = "1 issue" if len(disagreements) == 1 else f"{len(disagreements):,} issues"
        console.print(f"[bold]Reviewers disagree on {noun}[/]", highlight=False)
    for each in disagreements[:MOST_DISAGREEMENTS]:
        said = "; ".join(f"{name} {_said(mark)}" for name, mark in sorted(each.review.marks.items()))
        line = f"{each.review.case[:12]} {each.review.method} {each.review.relation}, scene {each.review.scene}: {said}"
        console.print(as_text(line), highlight=False, soft_wrap=True)
    if len(disagreements) > MOST_DISAGREEMENTS:
        console.print(f"and {len(disagreements) - MOST_DISAGREEMENTS} more: see --json.", highlight=False)


def _said(mark: Mark) -> str:
    detail = mark.error or mark.false_alarm
    return f"{mark.verdict} ({detail})" if detail else mark.verdict


def _kappa_cells(kappa: Kappa) -> tuple[str, str]:
    value = "-" if kappa.value is None else f"{kappa.value:.3f}"
    return value, "-" if kappa.interval is None else f"{kappa.interval[0]:.3f} to {kappa.interval[1]:.3f}"
