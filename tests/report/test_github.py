from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import anamorph
from anamorph.engine.gate import GateResult
from anamorph.model import Pixels
from anamorph.report.github import annotation, annotation_lines, job_summary
from anamorph.store.marks import MARKS_FILE
from anamorph.store.run import RunStore
from tests.report.marking import mark

FAILED = GateResult("failed", "Failed: 100% | of `cases`\n::error::and more")


def evil(image: Pixels) -> str:
    said = "</details><script>alert(1)</script> @octocat #12 | `x` [a](http://b) ::error::no\n::warning::no"
    return f"bright {said}" if image.mean() > 120 else f"dark {said}"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> anamorph.Run:
    scenes = [np.full((24, 32, 3), 130 + place, dtype=np.uint8) for place in range(25)]
    settings = {"deeptest": {"compare": "wording", "blur": [], "brightness": [0.5], "contrast": [], "shear": []}}
    return anamorph.run(evil, scenes, out=tmp_path_factory.mktemp("github") / "run", settings=settings)


@given(st.text(), st.text())
def test_an_annotation_is_one_line_and_one_command(title: str, message: str) -> None:
    line = annotation("error", title, message)
    assert "\n" not in line and "\r" not in line
    head, _, rest = line.removeprefix("::error title=").partition("::")
    assert line.startswith("::error title=") and ":" not in head and "," not in head
    assert "%" not in rest.replace("%25", "").replace("%0A", "").replace("%0D", "")


def test_annotations_are_the_sentence_and_the_first_issues(run: anamorph.Run) -> None:
    with RunStore.open(run.folder, read_only=True) as store:
        lines = list(annotation_lines(store, run.numbers, FAILED, Path("run/report/index.html")))
        passed = list(annotation_lines(store, run.numbers, GateResult("passed", "Passed."), None))
    assert len(lines) == 10 and all(line.startswith("::error title=Anamorph") for line in lines)
    assert "The report is in run/report." in lines[0]
    assert "source: bright" in lines[1] and "%0A" in lines[1]
    assert passed == ["::notice title=Anamorph::Passed."]


def test_the_summary_is_a_table_and_the_issues_and_nothing_that_a_system_says_is_markup(run: anamorph.Run) -> None:
    with RunStore.open(run.folder, read_only=True) as store:
        text = job_summary(store, run.numbers, FAILED, Path("run/report/index.html"))
    grades, rates = (block.splitlines() for block in text.split("\n\n") if block.lstrip().startswith("|"))
    assert "**25 issues from 25 causes**" in text
    assert grades[0].startswith("| grade | issues |") and grades[2] == "| omission | 25 | 100.0% | 85.4 to 100.0% |"
    assert rates[0].startswith("| method | relation |") and len(rates) == 3
    assert rates[2] == "| deeptest | same\\-answer | 25 | 25 | 0 | 0 | 100.0% | 85.4 to 100.0% |"
    assert text.count("<details>") == text.count("</details>") == 20 and "and 5 more." in text
    assert "<script" not in text and "\\@octocat" in text and "\\#12" in text and "\\`x\\`" in text
    assert not any(line.startswith("::") for line in text.splitlines())


def test_the_summary_says_what_reviewers_say(run: anamorph.Run) -> None:
    with RunStore.open(run.folder) as store:
        (case,) = store.connection.execute("SELECT lower(hex(digest)) FROM cases WHERE id = 1").fetchone()
        mark(store, case, "ann ::error::", "wrong", false_alarm="edit")
    try:
        again = anamorph.open_run(run.folder)
        with RunStore.open(run.folder, read_only=True) as store:
            text = job_summary(store, again.numbers, FAILED, None)
    finally:
        (run.folder / MARKS_FILE).unlink()
    assert "1 reviewer looked at 1 issue" in text
    assert text.count("- ann \\:\\:error\\:\\: says: wrong (edit)") == 1
