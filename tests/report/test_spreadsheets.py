from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from anamorph.report.spreadsheets import CsvFile, safe_cell, write_csv

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", " =", "  @"])
def test_a_cell_that_a_spreadsheet_would_compute_gets_an_apostrophe(start: str) -> None:
    assert safe_cell(f"{start}1+1").startswith("'")


@given(ANY_TEXT)
def test_no_cell_begins_like_a_formula(text: str) -> None:
    assert not safe_cell(text).lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


def test_a_cell_is_cut_where_a_spreadsheet_would_spill() -> None:
    cell = safe_cell("x" * 1_000_000)
    assert len(cell) < 32_767
    assert "1000000 characters" in cell


def test_a_lone_dash_stays_in_a_table_and_numbers_stay_numbers(tmp_path: Path) -> None:
    write_csv(tmp_path / "table.csv", [("name", "rate"), ("-", -0.5), ("-1", "-")])
    with CsvFile(tmp_path / "other.csv") as file:
        file.add(("-", -0.5))
    with (tmp_path / "table.csv").open(encoding="utf-8-sig", newline="") as stream:
        assert list(csv.reader(stream)) == [["name", "rate"], ["-", "-0.5"], ["'-1", "-"]]
    assert (tmp_path / "other.csv").read_text(encoding="utf-8-sig").strip() == "'-,-0.5"
