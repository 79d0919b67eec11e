"""The caption metrics of runs as tables, in words, and as a record for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from anamorph.model import Table
from anamorph.statistics.rates import interval_cell
from anamorph.studies.metrics.scoring import METRICS, CorpusScores, MethodScores, RunScores


def scores_tables(found: Sequence[RunScores]) -> Iterator[Table]:
    """For each method a row per metric and a column per run: photos, before and after; last the error rate."""
    for method in dict.fromkeys(method.method for each in found for method in each.methods):
        own = [(each.run, scores) for each in found for scores in each.methods if scores.method == method]
        parts = [(run, part, scores, of) for run, of in own for part, scores in _parts(of)]
        names = [name for name in METRICS if any(name in scores.values for *_, scores, _ in parts)]
        # One run needs no name.
        columns = tuple(part if len(found) == 1 else f"{run} {part}" for run, part, *_ in parts)
        rows: list[tuple[str | int | float, ...]] = [("captions", *(scores.captions for *_, scores, _ in parts))]
        rows += [(name, *(_cell(scores.values.get(name)) for *_, scores, _ in parts)) for name in names]
        shares = ("-" if of.rate.share is None else f"{of.rate.share:.1%}" for *_, of in parts)
        rows.append(("error rate", *shares))
        rows.append(("95 % interval", *(interval_cell(of.rate.interval) for *_, of in parts)))
        yield Table(f"Caption metrics, {method}", ("metric", *columns), tuple(rows))


def scores_notes(found: Sequence[RunScores]) -> Iterator[str]:
    """Captions scored, captions not scored, and why."""
    if any(method.after is not None for each in found for method in each.methods):
        yield "Before and after are the same pairs of a photo and its follow-up; photos counts each photo once."
    for each in found:
        alone = [method.method for method in each.methods if method.after is None]
        if alone:
            yield f"{each.run}: references do not fit the follow-ups of {', '.join(alone)}, so only photos are scored."
        if each.without_references:
            yield f"{each.run}: photos without references, which are left out: {each.without_references:,}."
    missing = {name: reason for each in found for name, reason in each.missing.items()}
    for name, reason in missing.items():
        yield f"{name} is missing: {reason}."


def scores_record(found: RunScores) -> dict[str, Any]:
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


def _parts(method: MethodScores) -> Iterator[tuple[str, CorpusScores]]:
    yield "photos", method.photos
    if method.before is not None and method.after is not None:
        yield "before", method.before
        yield "after", method.after


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
