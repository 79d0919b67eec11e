"""`anamorph research relevance`: whether collected photos show their labels, by people's votes."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from anamorph.cli.opening import config_for_reading, open_run
from anamorph.cli.options import EXISTING_FILE, FOLDER, JSON_OPTION, VOTES_OPTION
from anamorph.cli.printing import rich_table
from anamorph.cli.terminal import as_text, echo, echo_json, open_console
from anamorph.errors import UsageError
from anamorph.model import Table
from anamorph.report.reviews import marks_of_run, read_reviews
from anamorph.studies.relevance.errors import error_table, irrelevance_errors
from anamorph.studies.relevance.files import BadJudgement, read_judgements, summary_record, write_votes
from anamorph.studies.relevance.votes import Judgement, RelevanceSummary, sum_up

# At most this many bad lines are reported one by one.
REPORTED = 20


@click.command(
    epilog="""\b
Examples:
  anamorph research relevance ann.jsonl bob.jsonl eve.jsonl
  anamorph research relevance judgements.csv --votes votes.csv
  anamorph research relevance judgements.jsonl --json
  anamorph research relevance judgements.jsonl --run runs/atom

\b
A line of a .jsonl file (a .csv file has these columns, as "cat + dog"):
  {"image": "0a1b.jpg", "labels": ["cat", "dog"],
   "annotator": "ann", "relevance": "weak"}"""
)
@click.argument("files", nargs=-1, required=True, type=EXISTING_FILE)
@VOTES_OPTION
@click.option(
    "--run",
    "run_folder",
    type=FOLDER,
    metavar="RUN",
    help="Also show which errors of this run are due to irrelevant photos (ATOM's table IV).",
)
@JSON_OPTION
def relevance(files: tuple[Path, ...], votes: Path | None, run_folder: Path | None, as_json: bool) -> None:
    """Sum up whether collected photos show their labels: RI, RLC, and how far the annotators agree.

    Each photo of a label combination is judged strong, weak or irrelevant by one or more people; most votes win, and a
    tie is weak. RI is the share of photos that are strong or weak, RLC that of combinations with such a photo. With
    --run, photos without votes that reviewers of their issues called wrongly labeled are also irrelevant.
    """
    bad: list[BadJudgement] = []
    good: list[Judgement] = []
    for path in files:
        for each in read_judgements(path):
            if isinstance(each, BadJudgement):
                bad.append(each)
            else:
                good.append(each)
    for each in bad[:REPORTED]:
        echo(f"{each.file}, line {each.line}: {each.problem}", err=True)
    if not good:
        raise UsageError(
            f"{', '.join(map(str, files))}: has no judgement. `anamorph research relevance --help` shows an example."
        )
    summary = sum_up(good)
    if votes is not None:
        write_votes(votes, summary.votes)
    tables = []
    if run_folder is not None:
        tables.append(_errors(run_folder, summary))
    if as_json:
        plain = [{"title": table.title, "columns": table.columns, "rows": table.rows} for table in tables]
        echo_json({**summary_record(summary), "bad_lines": len(bad), "tables": plain})
        return
    console = open_console()
    print_relevance(console, summary, len(bad))
    for table in tables:
        console.print(rich_table(table.title, table))


def _errors(run_folder: Path, summary: RelevanceSummary) -> Table:
    with open_run(run_folder, read_only=True) as store:
        repeats = config_for_reading(store).settings.ask.repeats
        reviews = read_reviews(store, repeats, marks_of_run(store)).issues
        found = irrelevance_errors(store, summary.votes, reviews)
        if not found:
            raise UsageError(f"{store.folder}: no judged case of it is about a combination of labels, as ATOM's are.")
    return error_table(found)


def print_relevance(console: Console, summary: RelevanceSummary, bad: int) -> None:
    """RI, RLC and kappas, as tables."""
    rows = tuple(
        (
            *(each.size, each.combinations, each.images, each.strong, each.weak, each.irrelevant),
            *(f"{each.relevant_images_share:.1%}", f"{each.relevant_combinations_share:.1%}"),
        )
        for each in summary.per_size
    )
    columns = ("k", "combinations", "photos", "strong", "weak", "irrelevant", "RI", "RLC")
    console.print(rich_table("Relevance", Table("Relevance", columns, rows)))
    if summary.reasons:
        reasons = Table("", ("reason", "judgements"), tuple(summary.reasons.items()))
        console.print(rich_table("Why photos are weak", reasons))
    agreement = summary.agreement
    if agreement.pairs:
        kappas = tuple((f"{one}, {other}", _kappa(kappa)) for (one, other), kappa in agreement.pairs.items())
        whole = (
            ("mean", _kappa(agreement.mean)),
            (f"Fleiss, {agreement.judged_by_all} photos", _kappa(agreement.fleiss)),
        )
        console.print(rich_table("Agreement", Table("Agreement", ("annotators", "kappa"), (*kappas, *whole))))
    line = f"{summary.judgements} judgements, {summary.revised} revised, {summary.tied} ties, {bad} bad lines."
    console.print(as_text(line), highlight=False)


def _kappa(kappa: float | None) -> str:
    return "-" if kappa is None else f"{kappa:.3f}"
