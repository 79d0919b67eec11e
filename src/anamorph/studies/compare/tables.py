"""A comparison as tables: systems by relation, every rate, every difference, and what asking took."""

from __future__ import annotations

from anamorph.engine.budget import money
from anamorph.model import Table
from anamorph.report.cause_words import UNGRADED
from anamorph.statistics.rates import Rate, interval_cell
from anamorph.statistics.tables import share
from anamorph.studies.compare.comparison import Comparison, Difference


def runs_table(comparison: Comparison) -> Table:
    """The runs and the cost of asking; the cost only if it is known."""
    priced = any(run.cost is not None for run in comparison.runs)
    rows: list[tuple[str | int | float, ...]] = []
    for run in comparison.runs:
        each = f"{1000 * run.seconds / run.calls:.0f}" if run.calls else "-"
        cost = ("-" if run.cost is None else money(run.cost),) if priced else ()
        counts = (run.cases, run.leads, run.calls, run.from_cache, run.failed_calls, round(run.seconds))
        floor = (run.floor_words,) if any(other.floor for other in comparison.runs) else ()
        rows.append((run.name, run.system, *floor, *counts, each, *cost))
    asking = ("calls", "cached", "failed", "seconds", "ms/call", *(("cost",) if priced else ()))
    floor = ("false answers",) if any(run.floor for run in comparison.runs) else ()
    return Table("Runs", ("run", "system", *floor, "cases", "leads", *asking), tuple(rows))


def side_by_side(comparison: Comparison, method: str) -> Table:
    """A row per relation and a column per run: the rate, its interval, the undecided share, and leads, which are not
    in the rate.
    """
    own = [each for each in comparison.rates if each.method == method]
    rows: list[tuple[str | int | float, ...]] = [
        (each.name, max(rate.cases for rate in each.rates), *map(_rate_with_interval, each.rates, each.leads))
        for each in own
    ]
    return Table(f"Side by side, {method}", ("relation", "cases", *(run.name for run in comparison.runs)), tuple(rows))


def tag_tables(comparison: Comparison, method: str) -> list[Table]:
    """For every tag of a method, such as ROME's depth or MetaIC's overlap, the counts and the rate of each run."""
    own = [each for each in comparison.by_tag if each.method == method]
    tables = []
    for tag in dict.fromkeys(each.tag for each in own):
        rows = [(each.value or "-", *map(_counts, each.rates)) for each in own if each.tag == tag]
        tables.append(Table(f"By {tag}, {method}", (tag, *(run.name for run in comparison.runs)), tuple(rows)))
    return tables


def _counts(rate: Rate) -> str:
    return f"{rate.violated} of {rate.decided} ({_rate(rate)})" if rate.decided else "-"


def grade_table(comparison: Comparison) -> Table:
    """A row per grade, the surest first, and a column per run: how many cases it violates so, and the rate."""
    rows: list[tuple[str | int | float, ...]] = []
    for each in comparison.grades:
        cells = [
            f"{number:,} ({rate or 0:.1%}{'' if interval is None else f', {interval_cell(interval)}'})"
            for number, rate, interval in zip(each.violated, each.rates, each.intervals, strict=True)
        ]
        rows.append((each.grade or UNGRADED, *cells))
    return Table("Violations by grade", ("grade", *(run.name for run in comparison.runs)), tuple(rows))


def outcome_table(comparison: Comparison) -> Table:
    """For every two runs, how many cases both decided alike, and how many only one of them fails."""
    rows = [
        (
            comparison.runs[each.first].name,
            comparison.runs[each.second].name,
            each.decided,
            each.only_first,
            each.only_second,
            each.both,
            each.neither,
        )
        for each in comparison.overall
    ]
    if comparison.versions:
        columns = ("before", "after", "cases", "fixed", "broken", "both fail", "both hold")
    else:
        columns = ("first", "second", "cases", "only first fails", "only second fails", "both fail", "both hold")
    return Table("Before and after" if comparison.versions else "Where they differ", columns, tuple(rows))


def pair_tables(comparison: Comparison) -> list[Table]:
    """For every two runs, the differences in percentage points."""
    tables = []
    pairs = dict.fromkeys((each.first, each.second, each.method) for each in comparison.differences)
    for first, second, method in pairs:
        one, other = comparison.runs[first].name, comparison.runs[second].name
        rows = [
            (each.name, each.decided, _points(each.difference), _ends(each), each.only_first, each.only_second)
            for each in comparison.differences
            if (each.first, each.second, each.method) == (first, second, method)
        ]
        columns = ("relation", "cases", "points", "95 % interval", f"only {one} fails", f"only {other} fails")
        tables.append(Table(f"{other} less {one}, {method}", columns, tuple(rows)))
    return tables


def _rate_with_interval(rate: Rate, leads: int) -> str:
    interval = "" if rate.interval is None else f" ({interval_cell(rate.interval)})"
    undecided = f", {share(rate.undecided, rate.cases)} undecided" if rate.undecided else ""
    beside = f", {leads:,} {'lead' if leads == 1 else 'leads'}" if leads else ""
    return f"{_rate(rate)}{interval}{undecided}{beside}"


def _points(difference: float) -> str:
    return f"{100 * difference:+.1f}"


def _ends(each: Difference) -> str:
    """A star marks an interval that leaves out 0."""
    if each.interval is None:
        return "-"
    return f"{_points(each.interval[0])} to {_points(each.interval[1])}{' *' if each.clear else ''}"


def matrix(comparison: Comparison, method: str) -> Table:
    """Error rates with a row per system and a column per relation: the MetaVQA paper's table 4."""
    own = [each for each in comparison.rates if each.method == method]
    rows = [(run.name, *(_rate(each.rates[place]) for each in own)) for place, run in enumerate(comparison.runs)]
    return Table(f"Error rates, {method}", ("run", *(each.name for each in own)), tuple(rows))


def _rate(rate: Rate) -> str:
    return "-" if rate.share is None else f"{rate.share:.1%}"


def difference_table(comparison: Comparison) -> Table:
    """Every paired difference, in plain numbers."""
    rows = [
        (
            each.method,
            each.name,
            comparison.runs[each.first].name,
            comparison.runs[each.second].name,
            each.decided,
            each.difference,
            *(each.interval or ("", "")),
            each.only_first,
            each.only_second,
            "yes" if each.clear else "no",
        )
        for each in comparison.differences
    ]
    columns = ("method", "relation", "first", "second", "decided_by_both", "difference", "low", "high")
    return Table("Differences", (*columns, "only_first_fails", "only_second_fails", "clear"), tuple(rows))
