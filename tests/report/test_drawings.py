from __future__ import annotations

import csv
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from anamorph.model import Bar, Bars, HeatMap
from anamorph.report.drawings import (
    Dot,
    DotPlot,
    Drawable,
    Grid,
    GridCell,
    LineName,
    Scatter,
    ScatterPoint,
    draw,
    draw_below_each_other,
    rows_of,
)
from anamorph.report.numbers import MethodFigure
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


def test_a_dot_plot_has_a_dot_with_its_interval_for_every_share_that_is_known() -> None:
    lines = ((LineName("a", "b", "c"), (Dot(0.5, 0.25, 0.75, "half"), None)),)
    root = ET.fromstring(draw(DotPlot("t", ("one", "two"), lines, target=0.9)))
    assert [title.text for title in root.iter(f"{SVG}title")] == ["half"]
    assert [text.text for text in root.iter(f"{SVG}text")][-2] == "0.9"
    # Two in the legend, one in the figure.
    assert len(list(root.iter(f"{SVG}circle"))) == 3


def test_what_is_caught_is_darker_in_a_grid_than_what_is_missed() -> None:
    cells = (GridCell("0/5", "no value"), GridCell(".00", "missed", 0.0), None, GridCell("1.00", "caught", 1.0))
    root = ET.fromstring(draw(Grid("t", ("a", "b", "c", "d"), ((LineName("x", "y", "z"), cells),))))
    fills = [group.find(f"{SVG}rect").attrib["fill"] for group in root.iter(f"{SVG}g")]  # type: ignore[union-attr]
    assert len(fills) == 3
    assert sum(bytes.fromhex(fills[2][1:])) < sum(bytes.fromhex(fills[1][1:]))


def test_rings_of_a_scatter_lie_on_top_and_stand_in_the_legend() -> None:
    points = (ScatterPoint(0, 0, 0, "photo"), ScatterPoint(1, 1, 1, "edited"))
    root = ET.fromstring(draw(Scatter("t", ("photos", "blur"), points, rings=0)))
    assert [title.text for title in root.iter(f"{SVG}title")] == ["edited", "photo"]
    rings = [circle for circle in root.iter(f"{SVG}circle") if "stroke" in circle.attrib]
    assert len(rings) == 2


def every_kind(name: str) -> list[Drawable]:
    """A figure of every kind in which every text is the name."""
    line = LineName(name, name, name)
    return [
        HeatMap(name, (name, "b"), ((name, "b", 0.5),), name),
        Bars(name, (name,), (Bar(name, ((0.1, 0, 1),)),), name),
        DotPlot(name, (name,), ((line, (Dot(0.1, 0, 1, name),)),)),
        Grid(name, (name,), ((line, (GridCell(name, name),)),), name),
        Scatter(name, (name,), (ScatterPoint(0.5, 0.5, 0, name),)),
    ]


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", '"><x y="', "a\u202eb", "&amp;", "\x00\ud800"])
def test_names_never_become_markup(name: str) -> None:
    figures = every_kind(name)
    for drawn in (*map(draw, figures), draw_below_each_other(name, figures)):
        assert {element.tag for element in ET.fromstring(drawn).iter()} <= {
            f"{SVG}{tag}" for tag in ("svg", "rect", "circle", "text", "tspan", "g", "title", "path")
        }


def test_figures_below_each_other_are_as_wide_as_the_widest_and_as_high_as_all() -> None:
    figures = every_kind("a name")
    sizes = [ET.fromstring(draw(figure)).attrib for figure in figures]
    together = ET.fromstring(draw_below_each_other("t", figures)).attrib
    assert together["width"] == str(max(int(size["width"]) for size in sizes))
    assert int(together["height"]) > sum(int(size["height"]) for size in sizes)


@pytest.mark.parametrize(
    "figure", [HeatMap("t", (), ()), Bars("t", (), ()), DotPlot("t", (), ()), Grid("t", (), ()), Scatter("t", (), ())]
)
def test_nothing_can_be_drawn(figure: Drawable) -> None:
    ET.fromstring(draw(figure))
    if isinstance(figure, HeatMap | Bars):
        assert len(list(rows_of(figure))) == 1


def test_a_figure_is_a_file_for_a_paper_and_one_for_a_spreadsheet(tmp_path: Path) -> None:
    write_drawings(tmp_path / "figures", [MethodFigure("atom", TRIANGLE, "atom-scores")])
    ET.parse(tmp_path / "figures" / "atom-scores.svg")
    with (tmp_path / "figures" / "atom-scores.csv").open(encoding="utf-8-sig", newline="") as stream:
        assert list(csv.reader(stream)) == [
            *(["first", "second", "value"], ["car", "cat", "0.25"], ["cat", "cat", "1.0"], ["car", "dog", ""]),
        ]
