from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Callable
from typing import Any

import jsonschema

from anamorph.edits.blur import Blur
from anamorph.edits.insert import Insert
from anamorph.edits.melt import Melt
from anamorph.engine.causes import group_issues
from anamorph.model import Box, Conflict, ConflictKind, Edit, Grade, Verdict
from anamorph.relations.only_gains import OnlyGains
from anamorph.report import Report
from anamorph.report.cause_words import find_causes, read_causes
from anamorph.report.issues import read_cases, read_examples, read_issues
from anamorph.report.numbers import read_numbers
from anamorph.report.record import report_schema
from anamorph.store.run import RunStore
from tests.report.fixtures import HandmadeRun


def violated(
    *conflicts: Conflict, grade: Grade | None = "omission", wrong_anyway: bool | None = None, reason: str = "Wrong."
) -> Verdict:
    return Verdict("violated", reason, grade=grade, conflicts=conflicts, wrong_anyway=wrong_anyway)


def about(
    label: str, what: ConflictKind = "lost", grade: Grade = "omission", probes: tuple[int, ...] = (0, 1)
) -> Conflict:
    return Conflict(label, grade, what, probes, known=len(probes) == 1)


def three_causes(run: HandmadeRun) -> list[str]:
    """A source that invents a book in three cases, and two scenes in which one follow-up each loses a person."""
    desk, street, beach = (run.scene(name, ("person", "car")) for name in ("desk", "street", "beach"))
    invented = [run.case(desk, "a dog", "a cat", edits=(Blur(2.0 + n),)) for n in range(3)]
    lost = [run.case(scene, "a dog", "a cat", edits=(Melt(("1",)),)) for scene in (street, beach)]
    run.judge()
    for digest in invented:
        run.rule(
            digest,
            violated(about("book", "invented", "invention", (0,)), grade="invention", wrong_anyway=True),
        )
    for digest in lost:
        run.rule(digest, violated(about("person"), wrong_anyway=False))
    return [*invented, *lost]


def test_a_source_that_is_wrong_in_three_cases_is_one_cause(run: HandmadeRun) -> None:
    cases = three_causes(run)
    numbers = read_numbers(run.store, run.config)
    assert (numbers.counts.violated, numbers.cause_count) == (5, 3)
    assert [(cause.words, cause.scene, cause.issues, cause.grade) for cause in numbers.causes] == [
        ("invents 'book'", "desk", 3, "invention"),
        ("loses 'person'", "street", 1, "omission"),
        ("loses 'person'", "beach", 1, "omission"),
    ]
    assert numbers.causes[0].edits == () and numbers.causes[1].edits == ("melt, inpainter telea, objects car (1)",)
    assert numbers.causes[0].example == cases[0]
    wrong = numbers.wrong_anyway
    assert (wrong.cases, wrong.known, wrong.rate) == (3, 5, 0.6)
    assert [(each.grade, each.violated, each.rate) for each in numbers.grades] == [
        ("contradiction", 0, 0.0),
        ("invention", 3, 0.6),
        ("miscount", 0, 0.0),
        ("omission", 2, 0.4),
    ]


def test_patterns_say_when_it_happens(run: HandmadeRun) -> None:
    three_causes(run)
    shown = read_numbers(run.store, run.config).patterns
    assert [(each.words, each.counts) for each in shown] == [
        ("invents 'book'", "3 issues from 1 cause in 1 photo"),
        ("loses 'person' when a car is removed", "2 issues from 2 causes in 2 photos"),
    ]
    assert shown[1].pattern.rate == 0.4 and shown[1].pattern.interval is not None


def test_the_inserted_class_is_that_of_the_claim_and_other_edits_are_named_by_their_kind(run: HandmadeRun) -> None:
    inserted: tuple[Edit, ...] = (Insert("car-0123456789ab", Box(1, 1, 5, 5)),)
    for scene in ("one", "two"):
        name = run.scene(scene)
        gains = run.case(name, "a", "b", edits=inserted, relation=OnlyGains("car"), method="metaic")
        blurred = run.case(name, "a", "c", edits=(Blur(3.0),))
        run.judge()
        run.rule(gains, violated(about("person")))
        run.rule(blurred, violated(about("dog")))
    for digest in [case.digest for case in read_cases(run.store) if case.method == "metaic"]:
        run.rule(digest, violated(about("person")))
    for digest in [case.digest for case in read_cases(run.store) if case.method == "deeptest"]:
        run.rule(digest, violated(about("dog")))
    # Cases in brief have their causes, so these were found before the verdicts changed.
    group_issues(run.store, beside=True)
    assert sorted(each.words for each in find_causes(run.store)) == [
        "loses 'dog' under blur",
        "loses 'person' when a car is inserted",
    ]


def test_issues_come_by_cause_and_examples_are_of_different_causes(run: HandmadeRun) -> None:
    cases = three_causes(run)
    issues = list(read_issues(run.store, None, 1))
    assert [issue.digest for issue in issues] == cases
    assert [issue.cause and issue.cause.words for issue in issues] == ["invents 'book'"] * 3 + ["loses 'person'"] * 2
    examples = [issue.digest for issue in read_examples(run.store, 1, 3)]
    assert examples == [cases[0], cases[3], cases[4]]
    assert [issue.digest for issue in read_examples(run.store, 1, 1)] == cases[:1]


def test_a_cause_keeps_its_digest_when_cases_are_judged_again(run: HandmadeRun) -> None:
    three_causes(run)
    group_issues(run.store)
    before = [cause.digest for cause in read_causes(run.store)]
    three_causes(run)
    group_issues(run.store)
    assert [cause.digest for cause in read_causes(run.store)] == before and len(set(before)) == 3


def test_verdicts_without_conflicts_have_their_question_or_relation_as_cause(run: HandmadeRun) -> None:
    scene = run.scene("desk")
    run.case(scene, "2", "3", question="How many dogs?", edits=(Blur(2.0),))
    run.case(scene, "2", "4", question="How many dogs?", edits=(Blur(3.0),))
    published = run.case(scene, "a dog", "a cat")
    run.judge()
    run.rule(published, Verdict("violated", "As published."))
    numbers = read_numbers(run.store, run.config)
    assert [(cause.words, cause.issues, cause.grade) for cause in numbers.causes] == [
        ("contradicts itself on 'How many dogs?'", 2, "contradiction"),
        ("violates same-answer", 1, None),
    ]
    assert numbers.grades[-1].grade is None and numbers.grades[-1].violated == 1


def test_the_json_leads_with_patterns_and_causes_and_keeps_its_schema(
    run: HandmadeRun, read: Callable[[Report], Any]
) -> None:
    cases = three_causes(run)
    report = run.report()
    content = read(report)
    jsonschema.validate(content, report_schema())
    assert list(content)[2:5] == ["summary", "patterns", "causes"]
    assert content["summary"]["causes"] == len(content["causes"]) == 3
    assert content["patterns"][0]["words"] == "invents 'book'"
    first = content["issues"][0]
    assert (first["digest"], first["grade"], first["wrong_anyway"]) == (cases[0], "invention", True)
    assert first["cause"] == content["causes"][0]["digest"] and first["causes"] == [first["cause"]]
    rows = list(csv.DictReader(io.StringIO(report.csv.read_text(encoding="utf-8-sig"))))
    assert [row["grade"] for row in rows] == ["invention"] * 3 + ["omission"] * 2
    assert (rows[0]["cause"], rows[0]["cause_in_words"], rows[0]["wrong_anyway"]) == (
        first["cause"],
        "invents 'book'",
        "yes",
    )


def test_a_proved_issue_says_so_and_a_refuted_one_is_counted_apart(run: HandmadeRun) -> None:
    cases = three_causes(run)
    proved, refuted = (dataclasses.replace(about("person"), state=state) for state in ("proved", "refuted"))
    run.rule(cases[3], violated(proved))
    run.rule(cases[4], dataclasses.replace(violated(refuted), outcome="holds"))
    numbers = read_numbers(run.store, run.config)
    proving = numbers.proving
    assert (proving.proved, proving.refuted, proving.leads, proving.undecided) == (1, 1, 0, 3)
    assert (proving.proved_cases, proving.refuted_cases) == (1, 1)
    assert (numbers.counts.violated, numbers.counts.holds, numbers.cause_count) == (4, 1, 2)
    assert [issue.certainty for issue in read_issues(run.store, None, 1)][-1] == "omission, proved"


def test_causes_are_found_in_a_run_that_is_only_read_and_while_it_is_read(run: HandmadeRun) -> None:
    three_causes(run)
    with RunStore.open(run.store.folder, read_only=True) as store:
        issues = read_issues(store, None, 1)
        next(issues)
        group_issues(store, beside=True)
        assert len(list(issues)) == 4
