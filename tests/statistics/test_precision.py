from __future__ import annotations

import pytest

from anamorph.model import Decision, ReviewedIssue
from anamorph.statistics.intervals import clustered, wilson
from anamorph.statistics.precision import precision_of, precision_table


def issue(photo: str, decision: Decision, grade: str = "omission") -> ReviewedIssue:
    return ReviewedIssue("rome", "only-loses", photo, decision, tags={"grade": grade})


def test_precision_is_the_share_of_decided_issues_that_are_right() -> None:
    found = precision_of([issue("a", "right"), issue("b", "right"), issue("c", "wrong"), issue("d", "unsure")])
    assert (found.right, found.wrong, found.unsure, found.reviewed) == (2, 1, 1, 4)
    assert found.share == pytest.approx(2 / 3)
    assert found.interval == clustered([(1, 1), (1, 1), (1, 0)])


def test_issues_of_one_photo_are_worth_less_than_those_of_many() -> None:
    together = precision_of([issue("a", "right")] * 10 + [issue("b", "wrong")] * 10)
    apart = precision_of([issue(str(n), "right" if n % 2 else "wrong") for n in range(20)])
    assert together.interval is not None and apart.interval is not None
    assert together.interval[1] - together.interval[0] > apart.interval[1] - apart.interval[0]
    assert apart.interval[0] <= wilson(10, 20)[0] + 1e-9


def test_where_nobody_could_decide_there_is_no_precision() -> None:
    found = precision_of([issue("a", "unsure")])
    assert found.share is None and str(found) == "nothing was decided"


def test_a_table_has_a_row_for_each_group_and_one_for_all() -> None:
    issues = [issue("a", "right", "x"), issue("b", "wrong", "y"), issue("c", "right", "y")]
    table = precision_table("Per tag", "tag", issues, lambda each: [each.tags["grade"]], ("y", "nothing"))
    assert [row[:4] for row in table.rows] == [("y", 2, 1, 1), ("x", 1, 1, 0), ("all", 3, 2, 1)]
