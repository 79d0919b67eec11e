"""`anamorph metrics`: caption metrics of runs, before and after the edits, beside the error rate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from anamorph.cli.opening import config_for_reading
from anamorph.cli.printing import rich_table
from anamorph.cli.terminal import as_text, echo_json, open_console
from anamorph.model import Table
from anamorph.statistics.rates import Rate, interval_cell
from anamorph.store.run import RunStore
from anamorph.studies.caption_scores.java import java_metrics
from anamorph.studies.caption_scores.scoring import PURE_METRICS, CorpusScores, MethodScores, RunScores, score_captions


@click.command(
    "metrics",
    epilog="""\b
Examples:
  anamorph metrics runs/first
  anamorph metrics runs/old runs/new --no-java
  anamorph metrics runs/first --json""",
)
@click.argument("run_folders", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--no-java", is_flag=True, help="Leave out METEOR and SPICE, also where their software is installed.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, and nothing else.")
def metrics(run_folders: tuple[Path, ...], no_java: bool, as_json: bool) -> None:
    """Score captions against reference captions, before and after the edits, with the error rate beside the scores.

    The scores are BLEU, ROUGE-L and CIDEr, and METEOR and SPICE where their Java software is installed. Scenes need
    reference captions: coco: with captions=..., or NAME.txt beside NAME.jpg in a folder. Follow-ups are scored where
    they show what the photo shows; where objects are inserted or removed, only photos are. The system is not asked
    again.
    """
    others = () if no_java else java_metrics()
    found: list[RunScores] = []
    for folder in run_folders:
        with RunStore.open(folder.absolute(), read_only=True) as store:
            config_for_reading(store)
            found.append(score_captions(store, str(folder), others))
    if as_json:
        echo_json({"runs": [_record(each) for each in found]})
        return
    console = open_console(highlight=False)
    console.print(rich_table("Caption metrics", scores_table(found)))
    for line in _notes(found):
        console.print(as_text(line), soft_wrap=True)


def scores_table(found: Sequence[RunScores]) -> Table:
    """A row for the photos of each method, and one each for its pairs before and after the edits."""
    scored = [scores for each in found for method in each.methods for _, scores in _parts(method)]
    names = [*PURE_METRICS, *(name for name in ("METEOR", "SPICE") if any(name in s.values for s in scored))]
    rows: list[tuple[str | int | float, ...]] = []
    for each in found:
        for method in each.methods:
            for part, scores in _parts(method):
                cells = (_cell(scores.values.get(name)) for name in names)
                rows.append((each.run, method.method, part, scores.captions, *cells, _rate(method.rate)))
    return Table("Caption metrics", ("run", "method", "of", "captions", *names, "error rate"), tuple(rows))


def _parts(method: MethodScores) -> Iterator[tuple[str, CorpusScores]]:
    yield "photos", method.photos
    if method.before is not None and method.after is not None:
        yield "before", method.before
        yield "after", method.after


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _rate(rate: Rate) -> str:
    return "-" if rate.share is None else f"{rate.share:.1%} ({interval_cell(rate.interval)})"


def _notes(found: Iterable[RunScores]) -> Iterator[str]:
    with_pairs = False
    for each in found:
        alone = [method.method for method in each.methods if method.after is None]
        with_pairs = with_pairs or len(alone) < len(each.methods)
        if alone:
            yield f"{each.run}: references do not fit the follow-ups of {', '.join(alone)}, so only photos are scored."
        if each.without_references:
            yield f"{each.run}: {each.without_references} photos without references are left out."
    if with_pairs:
        yield "Before and after are the same pairs of a photo and its follow-up; photos counts each photo once."
    missing = {name: reason for each in found for name, reason in each.missing.items()}
    for name, reason in missing.items():
        yield f"{name} is missing: it {reason}." if reason.startswith("needs") else f"{name} is missing: {reason}."


def _record(found: RunScores) -> dict[str, Any]:
    return {
        "run": found.run,
        "without_references": found.without_references,
        "missing": dict(found.missing),
        "methods": [
            {
                "method": method.method,
                **{part: {"captions": scores.captions, **scores.values} for part, scores in _parts(method)},
                "error_rate": method.rate.share,
                "interval": method.rate.interval,
                "cases": method.rate.cases,
                "violated": method.rate.violated,
                "undecided": method.rate.undecided,
            }
            for method in found.methods
        ],
    }
