from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from anamorph.report import Report
from anamorph.report.issues import Issue
from anamorph.report.issues_csv import COLUMNS, issue_row
from anamorph.report.spreadsheets import CsvFile
from tests.report.fixtures import HandmadeRun, any_issue

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


@given(st.data())
def test_whatever_an_issue_holds_the_table_keeps_its_shape(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    issues: list[Issue] = data.draw(st.lists(any_issue(ANY_TEXT), max_size=3))
    path = tmp_path_factory.mktemp("csv") / "issues.csv"
    with CsvFile(path, quote_all=True) as file:
        file.add(COLUMNS)
        for issue in issues:
            file.add(issue_row(issue))
    rows = rows_of(path)
    assert [row["issue"] for row in rows] == [issue.digest for issue in issues]
    for row in rows:
        assert set(row) == set(COLUMNS)
        assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in row.values())


def test_a_row_shows_the_whole_issue(run: HandmadeRun) -> None:
    scene = run.scene("park", ("dog", "dog", "bench"))
    digest = run.case(scene, "=a dog", "a cat", question="What is it?", tags={"edit": "blur"})
    run.judge()
    report: Report = run.report()
    assert report.csv.read_bytes().startswith(b"\xef\xbb\xbf")
    (row,) = rows_of(report.csv)
    assert row["issue"] == digest
    assert row["source_answer"] == "'=a dog"
    assert row["follow_up_answers"] == "a cat"
    assert row["question"] == "What is it?"
    assert row["edits"] == "blur, sigma 1.5"
    assert row["objects"] == "dog x2; bench"
    assert row["tags"] == "edit=blur"
    assert row["categories"] == "answer-changed"
    assert (report.csv.parent / row["source_image"]).is_file()
    assert row["replay"] == f"anamorph case replay {run.store.folder} {digest[:12]}"


def test_several_follow_ups_are_numbered(run: HandmadeRun) -> None:
    run.case(run.scene("park"), "a dog", "a cat", "a cow")
    run.judge()
    (row,) = rows_of(run.report().csv)
    assert row["follow_up_answers"] == "[1] a cat\n[2] a cow"
    assert row["edits"] == "[1] blur, sigma 1.5\n[2] blur, sigma 2.5"
