from __future__ import annotations

import csv
import json
from pathlib import Path

from anamorph.methods.atom.method import Atom
from anamorph.model import Table
from anamorph.relations.stable_labels import StableLabels
from anamorph.report.numbers import MethodTable
from anamorph.report.table_files import write_tables
from tests.report.fixtures import HandmadeRun


def test_a_tables_file_has_all_rows_and_computes_nothing(tmp_path: Path) -> None:
    table = Table("t", ("name", "value"), tuple((f"=label{n}", n) for n in range(9)), ends=2)
    write_tables(tmp_path / "tables", [MethodTable("m", table, file="m-t"), MethodTable("m", None, "failed")])
    assert [path.name for path in (tmp_path / "tables").iterdir()] == ["m-t.csv"]
    with (tmp_path / "tables" / "m-t.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream))
    assert rows[0] == ["name", "value"] and rows[1:] == [[f"'=label{n}", str(n)] for n in range(9)]


def test_a_report_links_its_tables_and_draws_its_figures(run: HandmadeRun) -> None:
    run.methods = (Atom(),)
    for number in range(3):
        labels = {"cat": 0.9, "<b>": 0.9}
        tags = {"k": "2", "combination": "<b> + cat"}
        run.case(
            run.scene(f"s{number}"), *[labels] * 2, method="atom", relation=StableLabels(("<b>", "cat")), tags=tags
        )
    run.judge()
    report = run.report()
    folder = report.index_html.parent
    page = report.index_html.read_text()
    assert "<b>" not in page
    for name in ("tables/atom-score-per-combination-worst-first.csv", "figures/atom-scores-of-label-pairs.svg"):
        assert name in page and (folder / name).is_file()
    written = json.loads(report.json.read_text())
    assert written["figures"][0]["rows"] == [["first", "second", "value"], ["<b>", "cat", 1.0]]
    assert written["summary"]["groups"][0]["violation_rate_interval"][0] == 0
