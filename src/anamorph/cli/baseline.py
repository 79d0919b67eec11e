"""`anamorph baseline`: what is known already, for later runs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from anamorph.cli.opening import MARKS_OPTION, RUN_ARGUMENT, config_for_reading, open_run
from anamorph.cli.options import FILE, out_option
from anamorph.cli.terminal import echo
from anamorph.engine.causes import group_issues
from anamorph.errors import RunError, UsageError, did_you_mean
from anamorph.report.baseline.file import (
    DEFAULT_NAME,
    MARKS,
    CauseMark,
    ChosenBaseline,
    marked,
    read_baseline,
    write_baseline,
)
from anamorph.report.baseline.matching import BaselineMatch, baseline_of
from anamorph.report.cause_words import find_causes
from anamorph.report.numbers import read_numbers
from anamorph.report.reviews import marks_of_run, read_reviews

NO_MARK = "none"


@click.command(
    epilog="""\b
Examples:
  anamorph baseline runs/first -o anamorph.baseline.json
  anamorph run anamorph.toml --baseline anamorph.baseline.json
  anamorph baseline runs/first --mark 3f2a9c01d4e5=false-alarm --mark 77b0c2aa91fe=accepted
  anamorph baseline runs/first --mark 3f2a9c01d4e5=none"""
)
@RUN_ARGUMENT
@out_option(
    FILE, "FILE", "The file to write; marks in an existing one are kept.", default=Path(DEFAULT_NAME), show_default=True
)
@click.option(
    "--mark",
    "marks",
    multiple=True,
    metavar="CAUSE=MARK",
    help="Mark a cause, named by the first digits of its digest: false-alarm (later runs leave it out), accepted "
    "(it stays known), or none; may be repeated.",
)
@MARKS_OPTION
def baseline(run_folder: Path, out: Path, marks: tuple[str, ...], mark_files: tuple[Path, ...]) -> None:
    """Write what is known of a system already to a file, so that later runs fail only for what is new.

    The file has a line for each cause of the run's issues, and belongs in git. `run`, `resume`, `judge run`, `report`
    and `compare` take it with --baseline FILE: causes that it knows do not fail the gate, new ones do, and those that
    are gone are listed as fixed. Causes that are marked as false alarms are left out and counted, and so are issues
    that people called false alarms in `anamorph review`, as long as the answers are the same.

    Written again after another run, the file keeps its marks, what the run did not test, and its false alarms; what is
    fixed is dropped.
    """
    chosen = dict(map(_mark, marks))
    out, mark_files = out.absolute(), tuple(path.absolute() for path in mark_files)
    known = ChosenBaseline(read_baseline(out), out.name) if out.exists() else None
    with open_run(run_folder, read_only=True) as store:
        config = config_for_reading(store)
        if not store.fact("judged"):
            raise RunError(f"{store.folder}: is not judged yet. Finish it with `anamorph resume`, then try again.")
        repeats = config.settings.ask.repeats
        reviews = read_reviews(store, repeats, marks_of_run(store, mark_files))
        earlier = None if known is None else BaselineMatch(known, repeats)
        if earlier is not None:
            # Only to see the causes of the run; false alarms are also causes.
            find_causes(store, earlier)
        methods = [method.kind for method in config.methods]
        untested = frozenset[str]() if earlier is None else earlier.untested(store)
        # All of them, also where those that are left were found against the baseline.
        group_issues(store, beside=True)
        found = baseline_of(store, config.settings.seed, methods, earlier, untested, reviews.issues)
        written = marked(found, chosen)
        gate = read_numbers(store, config).gate
    write_baseline(out, written)
    counts = Counter(cause.mark for cause in written.causes)
    shown = ", ".join(f"{counts[mark]:,} {mark}" for mark in MARKS if counts[mark])
    causes = "1 cause" if len(written.causes) == 1 else f"{len(written.causes):,} causes"
    alarms = len({text for cause in written.causes for text in cause.false_alarms})
    excused = f"; {alarms:,} {'issue is a false alarm' if alarms == 1 else 'issues are false alarms'}" if alarms else ""
    if gate.outcome == "inconclusive":
        echo(f"Warning: this run says too little to be a baseline. {gate.sentence}", err=True)
    echo(f"Baseline: {out} ({causes}{f'; marked: {shown}' if shown else ''}{excused})")


def _mark(text: str) -> tuple[str, CauseMark | None]:
    start, _, word = text.partition("=")
    word = word.strip()
    if word == NO_MARK:
        return start.strip().lower(), None
    for mark in MARKS:
        if word == mark:
            return start.strip().lower(), mark
    known = (*MARKS, NO_MARK)
    raise UsageError(
        f"--mark {text}: expected CAUSE=MARK, where MARK is one of {', '.join(known)}.{did_you_mean(word, known)}"
    )
