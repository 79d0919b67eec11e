"""Tables and figures as files of their own, for spreadsheets and papers."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from anamorph.report.csv_file import safe_cell
from anamorph.report.drawings import draw, rows_of
from anamorph.report.figures import MethodFigure, MethodTable


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


def write_csv(path: Path, rows: Iterable[Sequence[str | int | float]]) -> None:
    """Rows that are safe to open in a spreadsheet; numbers stay numbers."""
    # With the byte order mark, Excel takes the file for UTF-8; without it, for the code page of the machine.
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream)
        for row in rows:
            writer.writerow([safe_cell(cell) if isinstance(cell, str) and cell != "-" else cell for cell in row])
