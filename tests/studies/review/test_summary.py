from __future__ import annotations

from collections.abc import Callable

import pytest

from anamorph.methods.metaic.method import MetaIC
from anamorph.model import ReviewedIssue, Verdict
from anamorph.report.reviews import marks_of_run
from anamorph.studies.review.summary import ReviewSummary, sum_up_reviews, summary_record
from tests.report.fixtures import HandmadeRun
from tests.report.marking import mark


def summary(*runs: HandmadeRun) -> ReviewSummary:
    marks = {key: mark for run in runs for key, mark in marks_of_run(run.store).items()}
    return sum_up_reviews([(run.store, run.methods, 1) for run in runs], marks)


def reviewed(run: HandmadeRun) -> list[str]:
    cases = []
    for number in range(6):
        run.scene(f"scene {number}")
        tags = {"overlap": "0 %" if number % 2 else "0-15 %"}
        cases.append(run.case(f"scene {number}", "a dog", "a cat", tags=tags))
    run.judge()
    for number, case in enumerate(cases[:4]):
        run.rule(case, Verdict("violated", "They differ.", ("mr1",) if number else ("mr2",), grade="miscount"))
        mark(run.store, case, "ann", "right" if number else "wrong")
        mark(run.store, case, "bob", "right")
    return cases


def test_precision_is_given_for_whatever_issues_differ_in(run: HandmadeRun) -> None:
    cases = reviewed(run)
    found = summary(run)
    assert (found.issues, found.unreviewed) == (6, 2)
    tables = {(method, table.title): table for method, table in found.tables}
    assert list(tables) == [
        ("", "Precision per method"),
        ("", "Precision per relation"),
        ("", "Precision per grade"),
        ("", "Precision per edit"),
        ("deeptest", "Precision per overlap"),
        ("deeptest", "Precision per part of the relation"),
    ]
    overlap = tables["deeptest", "Precision per overlap"]
    assert [row[:5] for row in overlap.rows] == [("0-15 %", 2, 1, 0, 1), ("0 %", 2, 2, 0, 0), ("all", 4, 3, 0, 1)]
    assert [row[0] for row in tables["", "Precision per grade"].rows] == ["miscount", "all"]
    assert [each.review.case for each in found.disagreements] == cases[:1]
    record = summary_record(found)
    said = {"reviewer": "ann", "verdict": "wrong", "error": "", "false_alarm": ""}
    assert record["disagreements"][0]["marks"][0] == said
    assert record["kappa"]["name"] == "Cohen's kappa" and record["unsure"] == 1


def test_the_same_case_with_the_same_answers_in_two_runs_is_one_issue(new_run: Callable[..., HandmadeRun]) -> None:
    one, two = new_run("one"), new_run("two")
    reviewed(one)
    reviewed(two)
    found = summary(one, two)
    assert found.runs == ("one", "two") and found.issues == 8
    assert found.numbers.precision.reviewed == 4


def test_three_reviewers_have_kappas_in_pairs_too(run: HandmadeRun) -> None:
    for case in reviewed(run)[:3]:
        mark(run.store, case, "eve", "right")
    assert [kappa.reviewers for kappa in summary(run).pairs] == [("ann", "bob"), ("ann", "eve"), ("bob", "eve")]


def test_nothing_reviewed_is_no_table(run: HandmadeRun) -> None:
    run.scene("scene")
    run.case("scene", "a dog", "a cat")
    run.judge()
    found = summary(run)
    assert found.tables == () and found.unreviewed == 1 and found.numbers.precision.share is None


def test_metaics_table_2_has_each_overlap_with_mr1_and_with_both_relations() -> None:
    """The row of Oscar-B at 45 % in the paper: 659 of 705 reports of MR1 are right, and 694 of 753 of both."""

    def some(count: int, right: int, parts: tuple[str, ...]) -> list[ReviewedIssue]:
        return [
            ReviewedIssue(
                "metaic",
                "only-gains",
                f"{parts} {number}",
                "right" if number < right else "wrong",
                tags={"overlap": "30-45 %"},
                parts=parts,
            )
            for number in range(count)
        ]

    issues = some(705, 659, ("mr1",)) + some(48, 35, ("mr2",))
    (table,) = MetaIC().summarise_reviews(issues)
    name, first, interval, both, _ = table.rows[0]
    assert (name, first, both) == ("30-45 %", "93.5% (659/705)", "92.2% (694/753)")
    low = float(str(interval).split(" ")[0])
    assert low == pytest.approx(91.4, abs=0.3) and table.rows[-1][0] == "all"
