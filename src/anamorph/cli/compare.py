"""`anamorph compare`: runs of several systems side by side."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import sys
from pathlib import Path

import click
from rich.console import Console

from anamorph.cli.choices import baseline_option
from anamorph.cli.opening import config_for_reading
from anamorph.cli.options import FOLDER, JSON_OPTION, out_option
from anamorph.cli.printing import MOST_CHANGES, MOST_RECORDED, print_against_baseline, print_caption_scores, rich_table
from anamorph.cli.terminal import as_text, echo, echo_json, echo_lines, open_console
from anamorph.errors import UsageError
from anamorph.model.visible import one_line
from anamorph.report.baseline.file import ChosenBaseline
from anamorph.report.baseline.matching import AgainstBaseline, BaselineMatch
from anamorph.report.cause_words import Cause, find_causes, read_causes
from anamorph.report.json_file import baseline_record
from anamorph.report.numbers import read_numbers
from anamorph.store.run import RunStore
from anamorph.store.shared_cases import SharedCases, shared_cases
from anamorph.studies.compare.comparison import Comparison, check_comparable, compare
from anamorph.studies.compare.examples import MOST_PAIRS
from anamorph.studies.compare.files import comparison_record, rate_rows, write_comparison
from anamorph.studies.compare.tables import (
    grade_table,
    outcome_table,
    pair_tables,
    runs_table,
    side_by_side,
    tag_tables,
)
from anamorph.studies.metrics.java import java_metrics
from anamorph.studies.metrics.scoring import RunScores, score_captions
from anamorph.studies.metrics.tables import scores_record

# At most this many cases that only one of two runs fails are listed for each of the two; cases.csv has them all.
EXAMPLES = 3


@click.command(
    "compare",
    epilog="""\b
Examples:
  anamorph compare runs/old runs/new
  anamorph compare runs/a runs/b runs/c --out comparison
  anamorph compare runs/a runs/b --cost-per-call 0.002 --cost-per-call 0 --json
  anamorph compare runs/old runs/new --baseline anamorph.baseline.json --fail-on-new""",
)
@click.argument("run_folders", metavar="RUN...", nargs=-1, type=FOLDER)
@out_option(FOLDER, "DIR", "Write a folder of HTML, JSON, CSV and SVG.")
@click.option(
    "--cost-per-call",
    "costs",
    type=click.FloatRange(min=0),
    multiple=True,
    metavar="N",
    help="What a call costs, once for all runs or once for each [default: what each run recorded].",
)
@click.option(
    "--versions",
    is_flag=True,
    help="Two runs are an earlier and a later version of one system: show what was fixed and what was broken [default: "
    "if both name the same system].",
)
# `research metrics` and the rates.csv of --out say the same.
@click.option("--metrics", is_flag=True, hidden=True)
@JSON_OPTION
@click.option("--csv", "as_csv", is_flag=True, hidden=True)
@baseline_option
@click.option("--fail-on-new", is_flag=True, help="With --baseline: exit 1 if a run has a new cause.")
def compare_command(
    run_folders: tuple[Path, ...],
    out: Path | None,
    costs: tuple[float, ...],
    versions: bool,
    metrics: bool,
    as_json: bool,
    as_csv: bool,
    baseline: ChosenBaseline | None,
    fail_on_new: bool,
) -> None:
    """Put the runs of several systems side by side.

    First comes which system wins, if that is clear, and with --out pictures of cases that only one of them fails. For
    each method and relation: the error rate with its interval, the undecided share, and for every two runs the
    difference over the cases that both decided. Run each system with the same configuration and seed; runs with
    different plans are compared on the cases that they share. With --baseline, each run is also held against it; with
    --fail-on-new the exit code is 1 if any of them has a new cause.
    """
    if fail_on_new and baseline is None:
        raise UsageError("--fail-on-new needs --baseline FILE.")
    with contextlib.ExitStack() as stack:
        stores = [stack.enter_context(RunStore.open(folder.absolute(), read_only=True)) for folder in run_folders]
        check_comparable(stores)
        if versions and len(stores) != 2:
            raise UsageError(f"--versions compares two runs, the earlier one first, and {len(stores)} were given.")
        if metrics and as_csv:
            raise UsageError("--csv prints error rates only. Use --json to also get the caption metrics.")
        prices = _prices(costs, len(stores))
        shared = stack.enter_context(shared_cases([store.folder for store in stores]))
        comparison = compare(stores, shared, prices, versions=versions)
        for store, run in zip(stores, comparison.runs, strict=True):
            gate = read_numbers(store, config_for_reading(store)).gate
            if gate.outcome == "inconclusive":
                echo(f"Warning: {run.name} says too little to compare. {gate.sentence}", err=True)
        held = [] if baseline is None else [_against(store, baseline) for store in stores]
        scored = _scored(stores, comparison) if metrics else []
        written = None if out is None else write_comparison(comparison, shared, stores, out)
        if as_json:
            runs = zip(comparison.runs, held, strict=False)
            records = {run.name: baseline_record(against, MOST_RECORDED) for run, (against, _) in runs}
            captions = {"caption_metrics": [scores_record(each) for each in scored]} if metrics else {}
            against_it = {"baseline": records} if baseline is not None else {}
            echo_json({**comparison_record(comparison), **captions, **against_it})
        elif as_csv:
            echo_lines(_csv(comparison), nl=False)
        else:
            _print(open_console(), comparison, shared)
            print_caption_scores(open_console(), scored)
            for run, (against, new_causes) in zip(comparison.runs, held, strict=False):
                print_against_baseline(open_console(), against, new_causes, run.name)
            if written is not None:
                echo(f"Comparison: {written}")
    if fail_on_new and any(against.new for against, _ in held):
        sys.exit(1)


def _scored(stores: list[RunStore], comparison: Comparison) -> list[RunScores]:
    """The caption metrics of each run, on its own photos."""
    for store in stores:
        config_for_reading(store)
    others = java_metrics()
    return [score_captions(store, run.name, others) for store, run in zip(stores, comparison.runs, strict=True)]


def _against(store: RunStore, baseline: ChosenBaseline) -> tuple[AgainstBaseline, list[Cause]]:
    """How a run compares with a baseline, and its first new causes."""
    config = config_for_reading(store)
    match = BaselineMatch(baseline, config.settings.ask.repeats)
    find_causes(store, match)
    against = match.result(store, config.settings.seed, [method.kind for method in config.methods])
    # New ones come first.
    return against, [cause for cause in itertools.islice(read_causes(store), MOST_CHANGES) if cause.standing == "new"]


def _prices(costs: tuple[float, ...], runs: int) -> list[float | None]:
    if not costs:
        return [None] * runs
    if len(costs) not in (1, runs):
        raise UsageError(f"--cost-per-call was given {len(costs)} times for {runs} runs. Give it once or {runs} times.")
    return list(costs) if len(costs) == runs else [costs[0]] * runs


def _print(console: Console, comparison: Comparison, shared: SharedCases) -> None:
    console.print(f"[bold]{as_text(comparison.headline)}[/]", highlight=False, soft_wrap=True)
    if comparison.floors:
        console.print(as_text(comparison.floors), highlight=False, soft_wrap=True)
    for sentence in dict.fromkeys((comparison.lead, comparison.sentence)):
        console.print(as_text(sentence), highlight=False, soft_wrap=True)
    for table in (outcome_table(comparison), grade_table(comparison), runs_table(comparison)):
        if table.rows:
            console.print(rich_table(table.title, table))
    for method in dict.fromkeys(each.method for each in comparison.rates):
        for table in (side_by_side(comparison, method), *tag_tables(comparison, method)):
            console.print(rich_table(table.title, table))
    for table in pair_tables(comparison):
        console.print(rich_table(table.title, table))
    if any("*" in str(cell) for table in pair_tables(comparison) for row in table.rows for cell in row):
        console.print("A star: the interval of the difference excludes 0. Intervals are clustered by photo.")
    for each in comparison.overall[:MOST_PAIRS]:
        for failing, holding in ((each.first, each.second), (each.second, each.first)):
            for case in shared.clearest_splits(failing, holding, EXAMPLES):
                grade = f" ({case.grade})" if case.grade else ""
                line = f"{case.digest[:12]} {case.method} {case.relation}{grade}, scene {case.scene}: "
                only = f"only {comparison.runs[failing].name} fails."
                console.print(as_text(line + only), highlight=False, soft_wrap=True)


def _csv(comparison: Comparison) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(
        [one_line(cell) if isinstance(cell, str) else cell for cell in row] for row in rate_rows(comparison)
    )
    return stream.getvalue()
