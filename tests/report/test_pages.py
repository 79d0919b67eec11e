from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from anamorph.model import Table
from anamorph.report.numbers import OutcomeCounts
from anamorph.report.pages import MOST_SKIPS, bar, numeric_columns
from tests.report.fixtures import HandmadeRun


class Page(HTMLParser):
    """What a browser would make of a page: its elements, and its text."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(path.read_text(encoding="utf-8"))
        self.text = re.sub(r"\s+", " ", self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_needs_nothing_from_outside_its_folder(run: HandmadeRun) -> None:
    run.case(run.scene("park"), "a", "b")
    run.judge()
    report = run.report()
    folder = report.index_html.parent
    for tag, attributes in Page(report.index_html).elements:
        assert "style" not in attributes and not any(name.startswith("on") for name in attributes)
        assert tag not in ("style", "iframe", "object", "base")
        for name in ("src", "href"):
            address = attributes.get(name)
            if address and not address.startswith("#"):
                assert (folder / address).is_file(), address
    for asset in (folder / "assets").iterdir():
        text = asset.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text and "https:" not in text
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|fetch\(|url\(", text)


def test_the_policy_forbids_everything_that_the_page_does_not_use(run: HandmadeRun) -> None:
    metas = [attributes for tag, attributes in Page(run.report().index_html).elements if tag == "meta"]
    (policy,) = [meta["content"] for meta in metas if meta.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'self' file:;")
    assert "unsafe" not in policy and "*" not in policy


def test_the_summary_says_what_was_tested_and_what_came_of_it(run: HandmadeRun) -> None:
    scene = run.scene("park")
    run.case(scene, "a", "b", tags={"edit": "blur"})
    run.case(scene, "a", "a", question="?", tags={"edit": "shear"})
    run.judge()
    text = Page(run.report().index_html).text
    sentence = "This system contradicts itself in the one photo (1 of 2 cases), too few to say how often in general"
    for piece in (sentence, "http", "deeptest", "1 from folder", "seer-2"):
        assert piece in text
    assert "Per perturbation" in text and "Bearer ${VISION_KEY}" in text
    assert "plainly-secret" not in text and "written-out-secret" not in text


def test_an_empty_run_says_so(run: HandmadeRun) -> None:
    run.judge()
    text = Page(run.report().index_html).text
    assert "This run has no cases" in text and "None, because no case could be decided." in text


def test_a_run_without_issues_says_so(run: HandmadeRun) -> None:
    run.case(run.scene("park"), "a", "a")
    run.judge()
    report = run.report()
    text = Page(report.index_html).text
    assert "This captioner passed the one case of 1 photo, which says little" in text
    assert "no decided case violates its relation" in text
    assert list((report.index_html.parent / "data").iterdir()) == []


def test_an_unfinished_run_says_what_to_do(run: HandmadeRun) -> None:
    run.case(run.scene("park"), "a", None)
    with run.store.transaction():
        run.store.set_fact("planned", True)
    text = Page(run.report().index_html).text
    assert "This run has no verdicts yet" in text
    assert "1 answer is missing and 1 case is not judged yet. Continue with anamorph resume" in text
    assert "Issues appear here once the cases are judged." in text


def test_a_plan_that_was_cut_off_says_so(run: HandmadeRun) -> None:
    assert "its plan was cut off" in Page(run.report().index_html).text


def test_flakes_are_shown_when_probes_are_repeated(new_run: Callable[..., HandmadeRun]) -> None:
    run = new_run(repeats=3)
    run.case(run.scene("park"), "a", "b")
    run.judge()
    assert "asked 3 times, but none has been answered more than once so far" in Page(run.report().index_html).text


def test_skipped_inputs_are_listed_up_to_a_point(run: HandmadeRun) -> None:
    for n in range(MOST_SKIPS + 5):
        run.skip(f"photo {n}", "It is cut off.")
    text = Page(run.report().index_html).text
    assert f"photo {MOST_SKIPS - 1}It" in text and f"photo {MOST_SKIPS}It" not in text
    assert "and 5 more; report.json lists them all." in text


def test_what_methods_left_out_is_shown_with_its_reason(run: HandmadeRun) -> None:
    assert "Left out while planning" not in Page(run.report().index_html).text
    run.leave_out("park: dog 0", "too large to melt")
    text = Page(run.report().index_html).text
    assert "Left out while planning" in text and "too large to melt" in text and "park: dog 0" in text


def test_hostile_names_and_reasons_stay_text(run: HandmadeRun) -> None:
    evil = "</td><script>evil()</script><img src=x onerror=evil()>\"'\0\u202e{{ 7*7 }}"
    run.skip(evil, evil)
    run.leave_out(evil, evil)
    run.case(run.scene(evil), "a", "b", method=evil)
    run.judge()
    report = run.report()
    page = Page(report.index_html)
    scripts = [attributes.get("src") for tag, attributes in page.elements if tag == "script"]
    assert all(address and address.startswith("assets/") for address in scripts)
    assert all(attributes.get("src") != "x" for _, attributes in page.elements)
    assert page.text.count("<script>evil()</script>") == 7
    assert "␀⟨U+202E⟩{{ 7*7 }}" in page.text
    raw = report.index_html.read_bytes()
    assert b"\0" not in raw and "\u202e".encode() not in raw


def test_columns_of_numbers_are_aligned_as_such() -> None:
    rows = (("", 1, "12.5%", "\u2013", "v1.2", "", "7 (17.5%)"), ("all", 2.5, "-", "3", "9", "", "24 (14.0%)"))
    assert numeric_columns(Table("t", tuple("abcdefg"), rows)) == [False, True, True, True, False, False, True]


@pytest.mark.parametrize("counts", [OutcomeCounts(1, 2, 3), OutcomeCounts(0, 1, 0), OutcomeCounts(10**6, 1, 0)])
def test_the_bar_is_as_wide_as_its_parts(counts: OutcomeCounts) -> None:
    parts = bar(counts)
    assert sum(float(width) for _, _, width in parts) == pytest.approx(100, abs=0.01)
    assert all(part[0] in ("violated", "holds", "undecided") for part in parts)


def test_the_bar_of_nothing_is_empty() -> None:
    assert bar(OutcomeCounts()) == []
