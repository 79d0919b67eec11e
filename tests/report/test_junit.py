from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from anamorph.edits.blur import Blur
from anamorph.model import Conflict, Probe, Verdict
from anamorph.report.junit import MOST_LISTED, xml_text
from tests.report.fixtures import HandmadeRun
from tests.report.marking import mark

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


def properties(suite: ET.Element) -> dict[str | None, str | None]:
    return {each.get("name"): each.get("value") for each in suite.iter("property")}


@given(ANY_TEXT)
def test_any_text_fits_into_xml(text: str) -> None:
    made = ET.Element("failure", {"message": xml_text(text)})
    made.text = xml_text(text)
    read = ET.fromstring(ET.tostring(made, encoding="utf-8"))
    assert (read.text or "") == xml_text(text)


def test_only_what_xml_cannot_hold_is_removed() -> None:
    assert xml_text("a\0b\x08c\x1f\ufffe\ud800d\r\n<&é\U0001f600") == "abcd\n<&é\U0001f600"


def test_scenes_pass_fail_or_are_skipped(run: HandmadeRun) -> None:
    for name in ("good", "bad", "mixed", "mute"):
        run.scene(name)
    run.case("good", "a dog", "a dog")
    bad = run.case("bad", "a dog", "a <cat> & \x01co")
    run.case("bad", "a dog", "a dog", tags={"again": "yes"}, question="?")
    run.case("mixed", "a dog", "a dog")
    run.case("mixed", "a dog", None, question="?")
    run.fail(Probe("mixed", (Blur(1.5),), "?"), "HTTP 500\x00 from the service")
    run.case("mute", "a dog", None)
    run.judge()
    root = ET.parse(run.report().junit).getroot()
    gate, suite = root
    assert suite.get("name") == "deeptest.same-answer"
    assert [root.get(key) for key in ("tests", "failures", "errors", "skipped")] == ["5", "2", "0", "2"]
    assert [gate.get(key) for key in ("name", "tests", "failures", "errors")] == ["gate", "1", "1", "0"]
    (said,) = gate.iter("failure")
    assert said.get("type") == "failed" and "1 of 4 decided cases are violated" in (said.get("message") or "")
    assert [suite.get(key) for key in ("tests", "failures", "errors", "skipped")] == ["4", "1", "0", "2"]
    assert properties(suite) == {
        "cases": "6",
        "holds": "3",
        "violated": "1",
        "undecided": "2",
        "leads": "0",
        "violation_rate": "0.250000",
        "contradiction": "1",
        "invention": "0",
        "miscount": "0",
        "omission": "0",
        "state": "unanswered",
    }
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert list(cases["good"]) == []
    (failure,) = cases["bad"]
    assert failure.tag == "failure" and failure.get("message") == "1 of 2 cases violated"
    assert failure.text == (
        f"{bad[:12]} (contradiction): The answer changed although the edit changes nothing that it should tell."
    )
    (skipped,) = cases["mixed"]
    assert skipped.tag == "skipped"
    assert skipped.get("message") == ("1 of 2 cases undecided: The follow-up has no answer: HTTP 500 from the service.")
    assert [child.tag for child in cases["mute"]] == ["skipped"]


def test_each_method_and_relation_has_a_suite(run: HandmadeRun) -> None:
    scene = run.scene("park")
    run.case(scene, "a dog", "a cat", method="first")
    run.case(scene, "a dog", "a dog", method="second", question="?")
    run.judge()
    root = ET.parse(run.report().junit).getroot()
    assert [suite.get("name") for suite in root] == ["gate", "first.same-answer", "second.same-answer"]
    assert [suite.get("failures") for suite in root] == ["1", "1", "0"]


def test_a_scene_with_very_many_violations_counts_those_it_does_not_list(run: HandmadeRun) -> None:
    scene = run.scene("park")
    for n in range(MOST_LISTED + 20):
        run.case(scene, f"a dog {n}", "a cat", question=f"{n}?", pictures=False)
    run.judge()
    _, failure = ET.parse(run.report().junit).getroot().iter("failure")
    assert failure.text is not None
    assert len(failure.text.splitlines()) == MOST_LISTED + 1
    assert failure.text.endswith("and 20 more")


def test_hostile_names_and_reasons_stay_text(run: HandmadeRun) -> None:
    name = "</testcase><testcase name='x'>\x0b\"&"
    digest = run.case(run.scene(name), "a", "b")
    run.judge()
    run.rule(digest, Verdict("violated", "]]></failure>\x00<evil/>\ufffe"))
    _, case = ET.parse(run.report().junit).getroot().iter("testcase")
    assert case.get("name") == name.replace("\x0b", "")
    assert case[0].text == f"{digest[:12]}: ]]></failure><evil/>"
    assert len(case) == 1


def test_a_run_that_is_not_judged_skips_everything(run: HandmadeRun) -> None:
    run.case(run.scene("park"), "a", "b")
    (skipped,) = ET.parse(run.report().junit).getroot().iter("skipped")
    assert skipped.get("message") == "1 of 1 cases undecided: It is not judged yet."


def test_a_run_without_cases_is_an_error_and_nothing_else(new_run: Callable[..., HandmadeRun]) -> None:
    root = ET.parse(new_run().report().junit).getroot()
    assert root.tag == "testsuites" and (root.get("tests"), root.get("errors")) == ("1", "1")
    (error,) = root.iter("error")
    assert error.get("type") == "inconclusive" and "nothing was tested" in (error.get("message") or "")


def red(root: ET.Element) -> list[str]:
    found = [element.tag for element in root.iter() if element.tag in ("failure", "error")]
    for tag, attribute in (("failure", "failures"), ("error", "errors")):
        assert root.get(attribute) == str(found.count(tag)) == str(sum(int(each.get(attribute, 0)) for each in root))
    return found


@pytest.mark.parametrize(
    ("limits", "outcome", "wanted"),
    [
        ({}, "failed", ["failure", "failure"]),
        ({"fail_over": "50%"}, "passed", []),
        ({"fail_on": 2}, "passed", []),
        ({"fail_over": "50%", "max_vacuous": "0%"}, "inconclusive", ["error"]),
    ],
)
def test_the_file_is_green_exactly_where_the_gate_is(
    new_run: Callable[..., HandmadeRun], limits: dict[str, object], outcome: str, wanted: list[str]
) -> None:
    run = new_run(gate={"max_vacuous": "100%", **limits})
    run.case(run.scene("bad"), "a dog", "a cat")
    vague = run.case(run.scene("good"), "a dog", "a dog")
    run.judge()
    run.rule(vague, Verdict("holds", "No answer names a known class.", vacuous=True))
    report = run.report()
    root = ET.parse(report.junit).getroot()
    assert (report.gate.outcome, red(root)) == (outcome, wanted)
    listed = "".join(root.itertext())
    assert "The answer changed although" in listed, "a violation is listed, whether it fails the run or not"


def test_only_scenes_with_a_violation_that_counts_are_red(new_run: Callable[..., HandmadeRun]) -> None:
    run = new_run(gate={"grades": ("contradiction",)})
    sure = run.case(run.scene("sure"), "a dog", "a cat")
    terse = run.case(run.scene("terse"), "a dog", "a cat")
    published = run.case(run.scene("published"), "a dog", "a cat")
    run.judge()
    run.rule(sure, Verdict("violated", "Both cannot be.", grade="contradiction"))
    left_out = Conflict("dog", "omission", "lost", (0, 1), state="proved", why="Asked, it says 1 and 0.")
    run.rule(terse, Verdict("violated", "Perhaps terse.", grade="omission", conflicts=(left_out,)))
    run.rule(published, Verdict("violated", "As published."))
    root = ET.parse(run.report().junit).getroot()
    assert red(root) == ["failure"] * 3, "the gate and two scenes"
    scenes = {case.get("name"): [each.tag for each in case] for case in root.iter("testcase")}
    assert (scenes["sure"], scenes["terse"], scenes["published"]) == (["failure"], ["system-out"], ["failure"])
    listed = "".join(root.itertext())
    assert f"{sure[:12]} (contradiction): Both" in listed and f"{terse[:12]} (omission, proved): Perhaps" in listed
    counts = properties(root[1])
    assert (counts["contradiction"], counts["omission"], counts["ungraded"]) == ("1", "1", "1")


def test_a_run_whose_violations_do_not_count_is_green(new_run: Callable[..., HandmadeRun]) -> None:
    run = new_run(gate={"grades": ("contradiction",)})
    terse = run.case(run.scene("terse"), "a dog", "a cat")
    run.judge()
    run.rule(terse, Verdict("violated", "Perhaps terse.", grade="omission"))
    report = run.report()
    assert report.gate.outcome == "passed" and red(ET.parse(report.junit).getroot()) == []


def test_what_reviewers_say_stands_beside_a_case(new_run: Callable[..., HandmadeRun]) -> None:
    run = new_run()
    run.scene("bad")
    first = run.case("bad", "a dog", "a cat")
    second = run.case("bad", "a dog", "a cow", question="?")
    run.judge()
    mark(run.store, first, "ann", "wrong", false_alarm="reader")
    gate, suite = ET.parse(run.report().junit).getroot()
    (said,) = gate.iter("failure")
    assert "1 reviewer looked at 1 issue. Precision" in (said.text or "")
    (failure,) = suite.iter("failure")
    lines = {line[:12]: line for line in (failure.text or "").splitlines()}
    assert "reviewed: wrong" in lines[first[:12]] and "reviewed" not in lines[second[:12]]
