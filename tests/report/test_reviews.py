from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from anamorph.edits.blur import Blur
from anamorph.model import Probe
from anamorph.report import Report
from anamorph.report.record import report_schema
from anamorph.report.reviews import NOT_AGREED, NOT_SAID, count_reviews, majority, marks_of_run, read_reviews
from tests.report.fixtures import HandmadeRun
from tests.report.marking import mark


def issues(run: HandmadeRun, count: int) -> list[str]:
    """Violated cases, each of a photo of its own."""
    found = []
    for number in range(count):
        run.scene(f"scene {number}")
        found.append(run.case(f"scene {number}", "a dog", f"a cat {number}"))
    run.judge()
    return found


def test_most_votes_win_and_a_tie_is_unsure() -> None:
    assert majority(["right", "right", "wrong"]) == "right"
    assert majority(["right", "wrong"]) == "unsure" and majority(["right", "unsure"]) == "unsure"
    assert majority(["unsure", "unsure", "right"]) == "unsure" and majority([]) == "unsure"


def test_marks_are_joined_with_the_issues_that_they_are_about(run: HandmadeRun) -> None:
    first, second, third, _ = issues(run, 4)
    mark(run.store, first, "ann", "right", error="omission")
    mark(run.store, second, "ann", "wrong", false_alarm="edit")
    mark(run.store, second, "bob", "wrong", false_alarm="edit")
    mark(run.store, third, "ann", "right")
    mark(run.store, third, "bob", "wrong", false_alarm="reader")
    reviews = read_reviews(run.store, 1, marks_of_run(run.store))
    assert [(each.case, each.decision) for each in reviews.issues] == [
        (first, "right"),
        (second, "wrong"),
        (third, "unsure"),
    ]
    assert [each.scene for each in reviews.issues] == ["scene 0", "scene 1", "scene 2"]
    assert reviews.issues[0].edits == ("blur",)
    numbers = count_reviews(reviews.issues)
    assert (numbers.precision.right, numbers.precision.wrong, numbers.precision.unsure) == (1, 1, 1)
    assert numbers.false_alarms == (("edit", 1),)
    assert (numbers.split, numbers.disagreements, numbers.reviewers) == (1, 1, ("ann", "bob"))
    assert "split evenly over 1 issue: it counts as unsure" in numbers.remarks[0]


def test_two_reviewers_have_cohens_kappa_and_three_have_fleiss(run: HandmadeRun) -> None:
    cases = issues(run, 8)
    for place, case in enumerate(cases):
        mark(run.store, case, "ann", "right" if place < 4 else "wrong")
        mark(run.store, case, "bob", "right" if place < 5 else "wrong")
    two = count_reviews(read_reviews(run.store, 1, marks_of_run(run.store)).issues).kappa
    # Observed 7 / 8, by chance (4 * 5 + 4 * 3) / 64 = 1 / 2.
    assert two is not None and two.name == "Cohen's kappa" and two.value == pytest.approx(0.75)
    assert two.issues == 8 and two.interval is not None and two.interval[0] < 0.75 < two.interval[1]
    for case in cases[:6]:
        mark(run.store, case, "eve", "right")
    three = count_reviews(read_reviews(run.store, 1, marks_of_run(run.store)).issues).kappa
    assert three is not None and three.name == "Fleiss' kappa" and three.issues == 6
    # Six issues: four agreed by all, two with one dissent each ... as counted by hand from (ann, bob, eve).
    agreeing = (4 * 1 + (1 / 3) * 2) / 6
    share = (4 * 3 + 2 + 1) / 18
    expected = share**2 + (1 - share) ** 2
    assert three.value == pytest.approx((agreeing - expected) / (1 - expected))


def test_causes_of_false_alarms_are_those_of_most(run: HandmadeRun) -> None:
    first, second, third = issues(run, 3)
    mark(run.store, first, "ann", "wrong", false_alarm="edit")
    mark(run.store, first, "bob", "wrong", false_alarm="reader")
    mark(run.store, second, "ann", "wrong")
    mark(run.store, third, "ann", "wrong", false_alarm="annotation")
    numbers = count_reviews(read_reviews(run.store, 1, marks_of_run(run.store)).issues)
    assert dict(numbers.false_alarms) == {NOT_AGREED: 1, NOT_SAID: 1, "annotation": 1}


def test_marks_of_other_answers_and_of_cases_that_hold_now_do_not_count(run: HandmadeRun) -> None:
    first, second = issues(run, 2)
    mark(run.store, first, "ann", "right")
    mark(run.store, second, "ann", "right")
    run.store.connection.execute(
        "UPDATE answers SET text = 'a horse' WHERE probe = ?", (run.probe_id(Probe("scene 0", (Blur(1.5),))),)
    )
    (row,) = run.store.connection.execute("SELECT id FROM cases WHERE digest = ?", (bytes.fromhex(second),)).fetchall()
    body = json.dumps({"outcome": "holds", "reason": "They agree."})
    run.store.connection.execute("UPDATE verdicts SET outcome = 'holds', body = ? WHERE \"case\" = ?", (body, row[0]))
    found = read_reviews(run.store, 1, marks_of_run(run.store))
    assert (found.issues, found.changed, found.dropped) == ((), 1, 1)
    said = count_reviews(found.issues, found.changed, found.dropped).remarks
    assert said == (
        "1 mark is about other answers than the run has now, and not counted.",
        "1 mark is about cases that are no longer issues, and not counted.",
    )


def test_the_report_shows_precision_and_why_false_alarms_were_raised(
    run: HandmadeRun, read: Callable[[Report], Any]
) -> None:
    first, second = issues(run, 2)
    assert read(run.report())["summary"]["reviews"] is None
    mark(run.store, first, "<b>ann</b>", "right")
    mark(run.store, second, "<b>ann</b>", "wrong", false_alarm="edit")
    mark(run.store, second, "bob", "wrong", false_alarm="edit")
    report = run.report()
    plain = read(report)
    jsonschema.validate(plain, report_schema())
    assert plain["summary"]["reviews"]["precision"] == 0.5
    assert plain["summary"]["reviews"]["false_alarms"] == [{"cause": "edit", "issues": 1}]
    page = report.index_html.read_text(encoding="utf-8")
    assert "2 reviewers looked at 2 issues. Precision 50.0%" in page and "<b>ann" not in page
