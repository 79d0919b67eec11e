"""A summary of reviews of one or several runs: precision by method, relation and grade, agreement, disagreements."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal

from anamorph.model import GRADES, Method, MethodOptions, ReviewedIssue, Summary, Table
from anamorph.report.cause_words import UNGRADED
from anamorph.report.json_file import reviews_record
from anamorph.report.reviews import (
    IssueReview,
    Kappa,
    ReviewNumbers,
    count_reviews,
    kappa_between,
    read_reviews,
)
from anamorph.statistics.precision import precision_table
from anamorph.store.marks import Mark, MarkKey
from anamorph.store.run import RunStore

# How many rows of a long table are shown from each end.
_ENDS = 10


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An issue that its reviewers do not agree on."""

    run: str
    review: IssueReview


@dataclass(frozen=True, slots=True)
class ReviewSummary:
    """Everything that is computed from marks; `tables` are by method, with "" for all methods together.

    `unreviewed` issues of the runs have no mark. `pairs` has Cohen's kappa of every two of several reviewers.
    """

    runs: tuple[str, ...]
    numbers: ReviewNumbers
    issues: int
    tables: tuple[tuple[str, Table], ...]
    pairs: tuple[Kappa, ...]
    disagreements: tuple[Disagreement, ...]

    @property
    def unreviewed(self) -> int:
        return self.issues - self.numbers.precision.reviewed


def sum_up_reviews(
    runs: Iterable[tuple[RunStore, Sequence[Method], int]],
    marks: Mapping[MarkKey, Mark],
    outcome: Literal["violated", "lead"] = "violated",
) -> ReviewSummary:
    """Sum up the marks of issues in some runs, or of leads, each run with its methods and how often it asked.

    The same case with the same answers in two runs is one issue.
    """
    reviews: dict[tuple[str, str], tuple[str, IssueReview]] = {}
    methods: dict[str, Method] = {}
    names: list[str] = []
    changed = dropped = issues = repeated = 0
    for store, own, repeats in runs:
        found = read_reviews(store, repeats, marks, outcome)
        names.append(store.folder.resolve().name)
        changed, dropped = changed + found.changed, dropped + found.dropped
        issues += store.count("verdicts", f"outcome = '{outcome}'")
        for review in found.issues:
            repeated += (review.case, review.answers) in reviews
            reviews.setdefault((review.case, review.answers), (names[-1], review))
        methods |= {method.kind: method for method in own}
    listed = [review for _, review in reviews.values()]
    numbers = count_reviews(listed, changed, dropped)
    pairs = combinations(numbers.reviewers, 2) if len(numbers.reviewers) > 2 else ()
    return ReviewSummary(
        tuple(names),
        numbers,
        issues - repeated,
        tuple(_tables([review.reviewed for review in listed], methods)),
        tuple(kappa_between(listed, pair) for pair in pairs),
        tuple(Disagreement(run, review) for run, review in reviews.values() if not review.agreed),
    )


def _tables(issues: Sequence[ReviewedIssue], methods: Mapping[str, Method]) -> Iterator[tuple[str, Table]]:
    if not issues:
        return
    yield "", precision_table("Precision per method", "method", issues, lambda issue: [issue.method])
    yield "", precision_table("Precision per relation", "relation", issues, lambda issue: [issue.relation])
    order = (*GRADES, UNGRADED)
    yield "", precision_table("Precision per grade", "grade", issues, lambda issue: [issue.grade or UNGRADED], order)
    yield "", precision_table("Precision per edit", "edit", issues, lambda issue: issue.edits)
    for name in dict.fromkeys(issue.method for issue in issues):
        own = [issue for issue in issues if issue.method == name]
        yield from ((name, table) for table in _method_tables(own, methods.get(name)))


def _method_tables(issues: Sequence[ReviewedIssue], method: Method | None) -> Iterator[Table]:
    """A table for each tag that tells a method's issues apart, and those of its paper."""
    for tag in dict.fromkeys(name for issue in issues for name in issue.tags):
        table = precision_table(f"Precision per {tag}", tag, issues, functools.partial(_tag_of, tag), ends=_ENDS)
        if len(table.rows) > 2:
            yield table
    table = precision_table("Precision per part of the relation", "part", issues, lambda issue: issue.parts)
    if len(table.rows) > 2:
        yield table
    summarise = None if method is None else MethodOptions.summarise_reviews.of(method)
    shown: Summary = () if summarise is None else summarise(issues)
    yield from (each for each in shown if isinstance(each, Table))


def _tag_of(tag: str, issue: ReviewedIssue) -> tuple[str]:
    return (issue.tags.get(tag, "-"),)


def table_record(method: str, table: Table) -> dict[str, Any]:
    return {"method": method, "title": table.title, "columns": list(table.columns), "rows": [*map(list, table.rows)]}


def summary_record(summary: ReviewSummary) -> dict[str, Any]:
    return {
        "runs": list(summary.runs),
        "issues": summary.issues,
        "unreviewed": summary.unreviewed,
        **reviews_record(summary.numbers),
        "pairs": [asdict(kappa) for kappa in summary.pairs],
        "tables": [table_record(method, table) for method, table in summary.tables],
        "disagreements": [
            {
                "run": each.run,
                "case": each.review.case,
                "scene": each.review.scene,
                "method": each.review.method,
                "relation": each.review.relation,
                "decision": each.review.decision,
                "marks": [
                    {"reviewer": name, **{key: getattr(mark, key) for key in ("verdict", "error", "false_alarm")}}
                    for name, mark in sorted(each.review.marks.items())
                ],
            }
            for each in summary.disagreements
        ],
    }
