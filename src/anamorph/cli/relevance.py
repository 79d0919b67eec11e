"""`anamorph relevance`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from anamorph.cli.summary import rich_table
from anamorph.errors import UsageError
from anamorph.model import Table
from anamorph.studies.relevance.files import BadJudgement, read_judgements, write_votes
from anamorph.studies.relevance.votes import Judgement, RelevanceSummary, sum_up

# At most this many bad lines are reported one by one.
REPORTED = 20


@click.command(
    epilog="""\b
Examples:
  anamorph relevance ann.jsonl bob.jsonl eve.jsonl
  anamorph relevance judgements.csv --votes votes.csv
  anamorph relevance judgements.jsonl --json

\b
A line of a .jsonl file (a .csv file has these columns, with labels as "cat + dog"):
  {"image": "0a1b.jpg", "labels": ["cat", "dog"], "annotator": "ann", "relevance": "weak"}"""
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option(
    "--votes", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write each photo's vote there."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, and nothing else.")
def relevance(files: tuple[Path, ...], votes: Path | None, as_json: bool) -> None:
    """Sum up whether collected photos show their labels: RI, RLC, and how far the annotators agree.

    Each photo of a label combination is judged strong, weak or irrelevant by one or more people; most votes win, and a
    tie is weak. RI is the share of photos that are strong or weak, RLC that of combinations with such a photo.
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
        click.echo(f"{each.file}, line {each.line}: {each.problem}", err=True)
    if not good:
        raise UsageError(f"{', '.join(map(str, files))}: no judgement in it. `anamorph relevance --help` shows a line.")
    summary = sum_up(good)
    if votes is not None:
        write_votes(votes, summary.votes)
    if as_json:
        click.echo(json.dumps({**record(summary), "bad_lines": len(bad)}, indent=2, ensure_ascii=False))
        return
    _print(Console(), summary, len(bad))


def record(summary: RelevanceSummary) -> dict[str, Any]:
    """The summary as plain JSON data."""
    agreement = summary.agreement
    return {
        "judgements": summary.judgements,
        "revised": summary.revised,
        "tied": summary.tied,
        "per_size": [
            {
                "k": each.size,
                "combinations": each.combinations,
                "relevant_combinations": each.relevant_combinations,
                "images": each.images,
                "strong": each.strong,
                "weak": each.weak,
                "irrelevant": each.irrelevant,
                "ri": each.relevant_images_share,
                "rlc": each.relevant_combinations_share,
            }
            for each in summary.per_size
        ],
        "annotators": list(agreement.annotators),
        "cohen": [{"pair": list(pair), "kappa": kappa} for pair, kappa in agreement.pairs.items()],
        "mean_cohen": agreement.mean,
        "fleiss": agreement.fleiss,
        "judged_by_all": agreement.judged_by_all,
    }


def _print(console: Console, summary: RelevanceSummary, bad: int) -> None:
    rows = tuple(
        (
            *(each.size, each.combinations, each.images, each.strong, each.weak, each.irrelevant),
            *(f"{each.relevant_images_share:.1%}", f"{each.relevant_combinations_share:.1%}"),
        )
        for each in summary.per_size
    )
    columns = ("k", "combinations", "photos", "strong", "weak", "irrelevant", "RI", "RLC")
    console.print(rich_table("Relevance", Table("Relevance", columns, rows)))
    agreement = summary.agreement
    if agreement.pairs:
        kappas = tuple((f"{one}, {other}", _kappa(kappa)) for (one, other), kappa in agreement.pairs.items())
        whole = (
            ("mean", _kappa(agreement.mean)),
            (f"Fleiss, {agreement.judged_by_all} photos", _kappa(agreement.fleiss)),
        )
        console.print(rich_table("Agreement", Table("Agreement", ("annotators", "kappa"), (*kappas, *whole))))
    line = f"{summary.judgements} judgements, {summary.revised} revised, {summary.tied} ties, {bad} bad lines."
    console.print(escape(line), highlight=False)


def _kappa(kappa: float | None) -> str:
    return "-" if kappa is None else f"{kappa:.3f}"
