from __future__ import annotations

import csv
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from anamorph.model import Bar, Bars, HeatMap
from anamorph.report.drawings import draw, rows_of
from anamorph.report.figures import MethodFigure
from anamorph.report.table_files import write_drawings

NAMES = ("car", "cat", "dog")
TRIANGLE = HeatMap("Scores", NAMES, (("car", "cat", 0.25), ("cat", "cat", 1.0), ("car", "dog", None)), "A note.")
BARS = Bars(
    "Rates", ("one", "two"), (Bar("cutting", ((0.2, 0.1, 0.3), None)), Bar("removal", ((0, 0, 0.1), (1, 0.9, 1))))
)
SVG = "{http://www.w3.org/2000/svg}"


def test_a_heat_map_says_every_value_and_marks_what_has_none() -> None:
    root = ET.fromstring(draw(TRIANGLE))
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert titles == ["car and cat: 0.25", "cat: 1.00", "car and dog: no value"]
    assert len(list(root.iter(f"{SVG}path"))) == 1
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert all(texts.count(name) == 2 for name in NAMES) and "0.25" in texts


def test_low_scores_are_darker_than_high_ones() -> None:
    cells = tuple((name, name, value) for name, value in zip("abcde", (0, 0.25, 0.5, 0.75, 1), strict=True))
    root = ET.fromstring(draw(HeatMap("t", tuple("abcde"), cells)))
    fills = [group.find(f"{SVG}rect").attrib["fill"] for group in root.iter(f"{SVG}g")]  # type: ignore[union-attr]
    lightness = [int(fill[1:3], 16) * 0.3 + int(fill[3:5], 16) * 0.59 + int(fill[5:], 16) * 0.11 for fill in fills]
    assert lightness == sorted(lightness) and lightness[0] < 90 < 200 < lightness[-1]


def test_bars_have_an_interval_and_a_legend_where_there_are_several_series() -> None:
    root = ET.fromstring(draw(BARS))
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert titles == [
        *("cutting, one: 20.0%, 10.0 to 30.0%", "removal, one: 0.0%, 0.0 to 10.0%"),
        "removal, two: 100.0%, 90.0 to 100.0%",
    ]
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert "one" in texts and "two" in texts


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", '"><x y="', "a\u202eb", "&amp;", "\x00\ud800"])
def test_names_never_become_markup(name: str) -> None:
    figure = HeatMap(name, (name, "b"), ((name, "b", 0.5),), name)
    root = ET.fromstring(draw(figure))
    assert {element.tag for element in root.iter()} <= {
        f"{SVG}{tag}" for tag in ("svg", "rect", "text", "g", "title", "path")
    }
    ET.fromstring(draw(Bars(name, (name,), (Bar(name, ((0.1, 0, 1),)),), name)))


@pytest.mark.parametrize("figure", [HeatMap("t", (), ()), Bars("t", (), ())])
def test_nothing_can_be_drawn(figure: HeatMap | Bars) -> None:
    ET.fromstring(draw(figure))
    assert len(list(rows_of(figure))) == 1


def test_a_figure_is_a_file_for_a_paper_and_one_for_a_spreadsheet(tmp_path: Path) -> None:
    write_drawings(tmp_path / "figures", [MethodFigure("atom", TRIANGLE, "atom-scores")])
    ET.parse(tmp_path / "figures" / "atom-scores.svg")
    with (tmp_path / "figures" / "atom-scores.csv").open(encoding="utf-8-sig", newline="") as stream:
        assert list(csv.reader(stream)) == [
            *(["first", "second", "value"], ["car", "cat", "0.25"], ["cat", "cat", "1.0"], ["car", "dog", ""]),
        ]
