"""Leads are kept and shown apart; they count for nothing."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from anamorph.edits.blur import Blur
from anamorph.edits.crop import Crop
from anamorph.model import Box, Conflict, ConflictKind, SuspicionState, Verdict
from anamorph.report import Report
from anamorph.report.github import annotation_lines, job_summary
from anamorph.report.headline import cause_sentence, headline
from anamorph.report.issues import read_clearest, read_examples, read_issue, read_issues, read_leads
from anamorph.report.numbers import Proving, read_numbers
from anamorph.report.record import report_schema
from anamorph.report.reviews import marks_of_run, read_reviews
from anamorph.report.single_file import write_single_file
from tests.report.fixtures import HandmadeRun
from tests.report.marking import mark

ASKED = "How many dogs are in the image?"
PLACE = (Crop(Box(0, 0, 20, 15)),)


def suspicion(state: SuspicionState, what: ConflictKind = "lost", label: str = "dog", why: str = "") -> Conflict:
    return Conflict(label, "miscount" if what == "number" else "omission", what, (0, 1), state=state, why=why)


def settled(state: SuspicionState, *more: Conflict, why: str = "Perhaps another detail.") -> Verdict:
    """A case whose first suspicion has a state, as the stage that proves leaves it."""
    outcomes = {"proved": "violated", "lead": "lead", "undecided": "undecided"}
    conflicts = (suspicion(state, why=why), *more)
    reason = f"'dog' is no longer named. {why}"
    return Verdict(outcomes.get(state, "holds"), reason, grade="omission", conflicts=conflicts)  # type: ignore[arg-type]


@pytest.fixture
def two(run: HandmadeRun) -> tuple[str, str]:
    """A proved case with its proof, and a lead, each of a photo of its own."""
    proved = run.case(run.scene("meadow", ("dog",)), "a dog", "a meadow")
    lead = run.case(run.scene("street", ("dog",)), "a dog", "a street")
    run.judge()
    why = f"Asked '{ASKED}', it says 1 in the source and 0 in the follow-up: these cannot all be right."
    run.prove(
        proved,
        settled("proved", why=why),
        [((), "the source", ASKED, "1"), ((Blur(1.5),), "the follow-up", ASKED, "0"), (PLACE, "the place", ASKED, "1")],
    )
    run.prove(lead, settled("lead", why="The class is not salient."))
    return proved, lead


def test_a_lead_counts_for_no_gate_no_rate_and_no_headline(run: HandmadeRun, two: tuple[str, str]) -> None:
    run.rule(two[0], Verdict("holds", "Fine."))
    numbers = read_numbers(run.store, run.config)
    assert (numbers.counts.violated, numbers.counts.leads, numbers.counts.holds) == (0, 1, 2)
    assert numbers.counts.violation_rate == 0.0 and numbers.cause_count == 0 and not numbers.patterns
    assert all(each.violated == 0 for each in numbers.grades)
    assert (numbers.gate.outcome, numbers.gate.exit_code) == ("passed", 0)
    assert headline(numbers) == "Nothing is proved against this captioner in 2 photos (2 cases)"
    assert list(read_issues(run.store, None, 1)) == [] and list(read_examples(run.store, 1, 3)) == []


def test_beside_an_issue_a_lead_changes_nothing_that_is_counted(run: HandmadeRun, two: tuple[str, str]) -> None:
    numbers = read_numbers(run.store, run.config)
    run.rule(two[1], Verdict("holds", "Fine."))
    without = read_numbers(run.store, run.config)
    assert (numbers.counts.violated, numbers.counts.leads, without.counts.leads) == (1, 1, 0)
    assert replace(numbers.counts, leads=0) == without.counts
    assert (headline(numbers), numbers.gate, numbers.grades) == (headline(without), without.gate, without.grades)
    assert numbers.causes == without.causes and numbers.cause_count == 1


def test_every_file_has_leads_apart_from_issues(
    run: HandmadeRun, two: tuple[str, str], read: Callable[[Report], Any]
) -> None:
    proved, lead = two
    report = run.report()
    content = read(report)
    jsonschema.validate(content, report_schema())
    assert [each["digest"] for each in content["issues"]] == [proved]
    (told,) = content["leads"]
    assert (told["digest"], told["state"], told["why"]) == (lead, "lead", "The class is not salient.")
    assert told["cause"] is None and told["suspicions"][0]["proof"] == []
    with report.csv.open(encoding="utf-8-sig") as issues, report.leads_csv.open(encoding="utf-8-sig") as leads:
        rows = [list(csv.DictReader(each)) for each in (issues, leads)]
    assert [[(row["issue"], row["state"]) for row in some] for some in rows] == [[(proved, "proved")], [(lead, "lead")]]
    assert rows[1][0]["why"] == "The class is not salient." and list(rows[0][0]) == list(rows[1][0])
    summary = content["summary"]
    assert (summary["counts"]["violated"], summary["counts"]["leads"], summary["groups"][0]["leads"]) == (1, 1, 1)
    assert summary["proving"]["lead_reasons"] == [{"reason": "The class is not salient.", "suspicions": 1}]


def test_a_proof_is_told_with_its_pictures_questions_and_answers(
    run: HandmadeRun, two: tuple[str, str], read: Callable[[Report], Any]
) -> None:
    report = run.report()
    (issue,) = read(report)["issues"]
    (told,) = issue["suspicions"]
    assert (told["label"], told["what"], told["grade"], told["state"]) == ("dog", "lost", "omission", "proved")
    assert [(line["part"], line["said"], line["question"], line["answers"]) for line in told["proof"]] == [
        ("the source", "1", ASKED, ["1"]),
        ("the follow-up", "0", ASKED, ["0"]),
        ("the place", "1", ASKED, ["1"]),
    ]
    pictures = [report.index_html.parent / line["image"] for line in told["proof"]]
    assert all(picture.is_file() for picture in pictures) and len(set(pictures)) == 3
    (shown,) = read_issues(run.store, None, 1)
    image = shown.suspicions[0].proof[2].image
    assert image is not None and image.size == (40, 30)


def test_junit_never_shows_a_lead_as_a_failure(run: HandmadeRun, two: tuple[str, str]) -> None:
    root = ET.parse(run.report().junit).getroot()
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert [each.tag for each in cases["meadow"]] == ["failure"]
    (said,) = cases["street"]
    assert said.tag == "system-out"
    assert said.text == (
        f"1 lead was not proved, and not counted:\n"
        f"{two[1][:12]} (omission, lead): 'dog' is no longer named. The class is not salient."
    )
    assert [root.get(key) for key in ("tests", "failures", "skipped")] == ["3", "2", "0"], "the gate and the meadow"
    run.rule(two[0], Verdict("holds", "Fine."))
    root = ET.parse(run.report(run.store.folder / "again").junit).getroot()
    assert root.get("failures") == "0" and list(root.iter("failure")) == []


def test_a_scene_with_an_issue_and_a_lead_fails_because_of_the_issue(run: HandmadeRun) -> None:
    run.scene("meadow")
    proved, lead = run.case("meadow", "a dog", "no"), run.case("meadow", "a dog", "no", question="?")
    run.judge()
    run.prove(proved, settled("proved"))
    run.prove(lead, settled("lead"))
    (case,) = (each for each in ET.parse(run.report().junit).getroot().iter("testcase") if each.get("name") == "meadow")
    failure, said = case
    assert (failure.tag, failure.get("message"), said.tag) == ("failure", "1 of 2 cases violated", "system-out")
    assert lead[:12] not in (failure.text or "") and lead[:12] in (said.text or "")


def test_github_annotates_no_lead_and_says_what_was_proved(run: HandmadeRun, two: tuple[str, str]) -> None:
    numbers = read_numbers(run.store, run.config)
    lines = list(annotation_lines(run.store, numbers, numbers.gate, None))
    assert len(lines) == 2 and "meadow" in lines[1]
    summary = job_summary(run.store, numbers, numbers.gate, None)
    assert "1 proved, 1 lead; leads are not counted." in summary and summary.count("<details>") == 1
    assert "| 2 | 1 | 1 | 0 | 50.0% |" in summary


def test_leads_about_existence_come_before_those_about_a_number(run: HandmadeRun) -> None:
    scene = run.scene("meadow")
    kinds: tuple[ConflictKind, ...] = ("number", "gone", "number", "gained")
    cases = [run.case(scene, "a dog", "no", question=str(place)) for place in range(len(kinds))]
    run.judge()
    for case, what in zip(cases, kinds, strict=True):
        run.rule(case, Verdict("lead", "Perhaps.", conflicts=(suspicion("lead", what),)))
    assert [lead.digest for lead in read_leads(run.store, None, 1)] == [cases[1], cases[3], cases[0], cases[2]]
    assert all(lead.causes == () and lead.state == "lead" for lead in read_leads(run.store, None, 1))
    assert read_issue(run.store, cases[0], 1) is None
    found = read_issue(run.store, cases[0], 1, "lead")
    assert found is not None and found.digest == cases[0]


def test_what_is_not_proved_of_an_issue_is_not_told_as_its_error(run: HandmadeRun) -> None:
    case = run.case(run.scene("meadow"), "a dog", "no", "no")
    run.judge()
    other = replace(suspicion("lead", label="cat", why="Not salient."), probes=(0, 2))
    run.rule(case, settled("proved", other, why="Asked, it says 1 and 0."))
    (issue,) = read_issues(run.store, None, 1)
    assert [(each.label, each.state) for each in issue.suspicions] == [("dog", "proved"), ("cat", "lead")]
    assert issue.why == "Asked, it says 1 and 0." and [cause.label for cause in issue.causes] == ["dog"]
    script = (run.report().index_html.parent / "data" / "issues-0.js").read_text(encoding="ascii")
    (card,) = json.loads(script.partition(" = ")[2].rstrip(";\n"))
    assert card["reason"] == "'dog' is no longer named.", "what proves it stands below"
    assert [probe.get("absent") for probe in card["probes"]] == [None, ["dog"], None]


def test_the_page_tells_the_story_first_and_has_leads_in_a_folded_section(
    run: HandmadeRun, two: tuple[str, str]
) -> None:
    page = run.report().index_html.read_text(encoding="utf-8")
    first = page[: page.index('id="issues"')]
    assert "Evidence: captions or labels alone" in first and 'href="#leads">1 lead</a>' in first
    assert "it says 1 in the source and 0 in the follow-up" in first, "an example shows its proof"
    section = page[page.index('<details class="fold leads"') :]
    assert " open" not in section[: section.index(">")] and "The class is not salient." in section


def test_a_run_without_leads_has_no_section_of_them(run: HandmadeRun) -> None:
    run.case(run.scene("meadow"), "a dog", "a dog")
    run.judge()
    report = run.report()
    assert 'id="leads"' not in report.index_html.read_text(encoding="utf-8")
    assert len(report.leads_csv.read_text(encoding="utf-8-sig").splitlines()) == 1


def test_a_single_file_has_leads_after_issues_as_far_as_there_is_room(
    run: HandmadeRun, two: tuple[str, str], tmp_path: Path
) -> None:
    whole = write_single_file(run.store, run.config, tmp_path / "whole.html")
    assert (whole.issues, whole.leads, whole.all_leads) == (1, 1, 1)
    assert "All 1 issues, all 1 leads and all" in whole.sentence
    page = whole.path.read_text(encoding="utf-8")
    assert 'id="chunk-leads-0"' in page and 'id="chunk-issues-0"' in page


def test_marks_of_leads_are_summed_up_apart(run: HandmadeRun, two: tuple[str, str]) -> None:
    for case in two:
        mark(run.store, case, "ann", "right")
    marks = marks_of_run(run.store)
    issues, leads = (read_reviews(run.store, 1, marks, outcome) for outcome in ("violated", "lead"))
    assert [review.case for review in issues.issues] == [two[0]] and issues.dropped == 0
    assert [review.case for review in leads.issues] == [two[1]] and leads.dropped == 0
    run.rule(two[1], Verdict("holds", "Refuted."))
    assert read_reviews(run.store, 1, marks).dropped == 1


@pytest.mark.parametrize(
    ("proving", "found", "others", "asked", "noise"),
    [
        (Proving(), "0 proved, 0 leads", "", "", ""),
        (
            Proving(proved_cases=12, lead_cases=1, refuted_cases=14, unfair_cases=1, questions=60, calls=88, rounds=3),
            "12 proved, 1 lead",
            "14 refuted, 1 unfair edit",
            "60 closed questions in 3 rounds (88 calls)",
            "",
        ),
        (
            Proving(proved_cases=1, undecided_cases=2, questions=1, calls=1, rounds=1, repeated=40, differing=3),
            "1 proved, 0 leads",
            "2 undecided",
            "1 closed question in 1 round",
            "Of 40 questions that were asked more than once, 3 got another answer (7.5%).",
        ),
    ],
)
def test_what_became_of_suspicions_in_words(proving: Proving, found: str, others: str, asked: str, noise: str) -> None:
    assert (proving.found, proving.others, proving.asked, proving.noise_sentence) == (found, others, asked, noise)


def test_a_title_says_what_was_suspected_and_the_proof_stands_below_it(run: HandmadeRun) -> None:
    case = run.case(run.scene("meadow"), "0", "1", question="How many dogs?")
    run.judge()
    asked = Conflict("How many dogs?", "contradiction", "answer", (0, 1), state="proved", why="It still says 0 and 1.")
    run.rule(case, Verdict("violated", "0 and 1 differ. It still says 0 and 1.", conflicts=(asked,)))
    numbers = read_numbers(run.store, run.config)
    ((cause, issue),) = read_clearest(run.store, None, 1, 3)
    assert cause_sentence(cause, issue, numbers) == "0 and 1 differ"
