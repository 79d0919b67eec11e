"""A comparison as a folder: a page that opens from disk, JSON, CSV and figures."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from anamorph import __version__
from anamorph.report.folders import FolderKind, new_folder
from anamorph.report.numbers import MethodFigure
from anamorph.report.pages import POLICY, environment, write_assets
from anamorph.report.spreadsheets import write_csv
from anamorph.report.table_files import write_drawings
from anamorph.statistics.rates import Rate
from anamorph.store.run import RunStore
from anamorph.store.shared_cases import SharedCases
from anamorph.studies.compare.comparison import Comparison, Difference, split_cases
from anamorph.studies.compare.examples import SHOWN, sides
from anamorph.studies.compare.tables import (
    difference_table,
    grade_table,
    matrix,
    outcome_table,
    pair_tables,
    runs_table,
    side_by_side,
    tag_tables,
)

FORMAT = "anamorph-comparison"
FORMAT_VERSION = 1
_COMPARISON = FolderKind(
    "comparison",
    ("assets", "cases.csv", "comparison.json", "differences.csv", "figures", "images", "index.html", "rates.csv"),
    "comparison.json",
    FORMAT,
)
CASE_COLUMNS = ("case", "method", "relation", "scene", "fails", "holds", "grade", "replay")


def write_comparison(comparison: Comparison, shared: SharedCases, stores: Sequence[RunStore], out: Path) -> Path:
    """Write a comparison into the folder `out`, in place of an earlier one there; gives where its page is."""
    names = [re.sub(r"[^a-z0-9]+", "-", figure.title.lower()).strip("-")[:80] for figure in comparison.figures]
    drawings = [MethodFigure("", figure, name) for figure, name in zip(comparison.figures, names, strict=True)]
    tables = [runs_table(comparison), grade_table(comparison)]
    if len(comparison.runs) > 2:
        tables.append(outcome_table(comparison))
    for method in dict.fromkeys(each.method for each in comparison.rates):
        tables += [matrix(comparison, method), side_by_side(comparison, method), *tag_tables(comparison, method)]
    tables += pair_tables(comparison)
    differences = difference_table(comparison)
    # The folder is known by how this file begins, so it is written without spaces.
    record = json.dumps(comparison_record(comparison), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    with new_folder(out, _COMPARISON) as folder:
        (folder / "comparison.json").write_text(f"{record}\n", encoding="utf-8", newline="\n")
        write_csv(folder / "rates.csv", rate_rows(comparison))
        write_csv(folder / "differences.csv", [differences.columns, *differences.rows])
        write_csv(folder / "cases.csv", _case_rows(comparison, shared))
        write_drawings(folder / "figures", drawings)
        write_assets(folder / "assets")
        page = environment().get_template("comparison.html")
        html = page.render(
            policy=POLICY,
            version=__version__,
            comparison=comparison,
            tables=tables,
            drawings=drawings,
            sides=list(sides(comparison, shared, stores, folder)),
            shown=SHOWN,
        )
        (folder / "index.html").write_text(html, encoding="utf-8", newline="\n")
    return out / "index.html"


def comparison_record(comparison: Comparison) -> dict[str, Any]:
    names = [run.name for run in comparison.runs]
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "headline": comparison.headline,
        "lead": comparison.lead,
        "winner": None if comparison.winner is None else names[comparison.winner],
        "versions": comparison.versions,
        "sentence": comparison.sentence,
        "shared_cases": comparison.shared,
        "runs": [
            {
                **asdict(run),
                "floor": None if run.floor is None else {"fewest": run.floor[0], "answers": run.floor[1]},
            }
            for run in comparison.runs
        ],
        "rates": [
            {
                "method": each.method,
                "relation": each.relation,
                "name": each.name,
                "runs": {
                    name: {**_rate(rate), "leads": leads}
                    for name, rate, leads in zip(names, each.rates, each.leads, strict=True)
                },
            }
            for each in comparison.rates
        ],
        "by_tag": [
            {
                "method": each.method,
                "tag": each.tag,
                "value": each.value,
                "runs": {name: _rate(rate) for name, rate in zip(names, each.rates, strict=True)},
            }
            for each in comparison.by_tag
        ],
        "overall": [_difference(each, names) for each in comparison.overall],
        "grades": [
            {
                "grade": each.grade,
                "runs": {
                    name: {"violated": violated, "rate": rate, "interval": interval}
                    for name, violated, rate, interval in zip(
                        names, each.violated, each.rates, each.intervals, strict=True
                    )
                },
            }
            for each in comparison.grades
        ],
        "differences": [_difference(each, names) for each in comparison.differences],
    }


def _difference(each: Difference, names: Sequence[str]) -> dict[str, Any]:
    return {
        "first": names[each.first],
        "second": names[each.second],
        "method": each.method,
        "relation": each.relation,
        "decided_by_both": each.decided,
        "difference": each.difference,
        "interval": each.interval,
        "only_first_fails": each.only_first,
        "only_second_fails": each.only_second,
        "both_fail": each.both,
        "both_hold": each.neither,
    }


def rate_rows(comparison: Comparison) -> Iterator[tuple[str | int | float, ...]]:
    """Every rate as a row of plain numbers, the header first."""
    yield ("method", "relation", "run", "cases", "holds", "violated", "undecided", "rate", "low", "high", "leads")
    for each in comparison.rates:
        for run, rate, leads in zip(comparison.runs, each.rates, each.leads, strict=True):
            low, high = rate.interval or ("", "")
            share = "" if rate.share is None else rate.share
            counts = (rate.cases, rate.holds, rate.violated, rate.undecided)
            yield (each.method, each.relation, run.name, *counts, share, low, high, leads)


def _case_rows(comparison: Comparison, shared: SharedCases) -> Iterator[tuple[str, ...]]:
    yield CASE_COLUMNS
    for first, second, case in split_cases(comparison, shared):
        fails, holds = (first, second) if case.failing == first else (second, first)
        runs = comparison.runs
        replay = f"anamorph case replay {shlex.quote(runs[fails].folder)} {case.digest[:12]}"
        kind = (case.digest, case.method, case.relation, case.scene)
        yield (*kind, runs[fails].name, runs[holds].name, case.grade or "", replay)


def _rate(rate: Rate) -> dict[str, Any]:
    return {
        "cases": rate.cases,
        "holds": rate.holds,
        "violated": rate.violated,
        "undecided": rate.undecided,
        "rate": rate.share,
        "interval": rate.interval,
    }
