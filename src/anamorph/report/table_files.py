"""Tables and figures as files of their own, for spreadsheets and papers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from anamorph.report.drawings import draw, rows_of
from anamorph.report.numbers import MethodFigure, MethodTable
from anamorph.report.spreadsheets import write_csv


def write_tables(folder: Path, tables: Iterable[MethodTable]) -> None:
    """Every table of a method's own, with all its rows."""
    folder.mkdir()
    for each in tables:
        if each.table is not None:
            write_csv(folder / f"{each.file}.csv", [each.table.columns, *each.table.rows])


def write_drawings(folder: Path, drawings: Iterable[MethodFigure]) -> None:
    """Every figure as SVG, with its numbers as CSV beside it."""
    folder.mkdir()
    for each in drawings:
        (folder / f"{each.file}.svg").write_text(draw(each.figure), encoding="utf-8", newline="\n")
        write_csv(folder / f"{each.file}.csv", rows_of(each.figure))
