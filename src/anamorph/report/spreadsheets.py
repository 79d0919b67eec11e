"""CSV that is safe to open in a spreadsheet."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType

from anamorph.model.visible import visible

# What makes a spreadsheet read a cell as a formula; the wide forms do so in some locales.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# Excel holds 32,767 characters in a cell and spills the rest into other rows.
_LONGEST_CELL = 32_000


class CsvFile:
    """Writes rows one by one; numbers stay numbers, and texts never become formulas.

    With `dashes`, a dash alone in its cell stands for a number that is not there, and stays a dash.
    """

    def __init__(self, path: Path, *, quote_all: bool = False, dashes: bool = False) -> None:
        self._as_they_are = ("-",) if dashes else ()
        # With the byte order mark, Excel takes the file for UTF-8; without it, for the code page of the machine.
        self._stream = path.open("w", encoding="utf-8-sig", newline="")
        self._writer = csv.writer(self._stream, quoting=csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL)

    def add(self, row: Sequence[str | int | float]) -> None:
        self._writer.writerow([self._cell(cell) for cell in row])

    def _cell(self, cell: str | int | float) -> str | int | float:
        return safe_cell(cell) if isinstance(cell, str) and cell not in self._as_they_are else cell

    def __enter__(self) -> CsvFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()


def write_csv(path: Path, rows: Iterable[Sequence[str | int | float]], *, quote_all: bool = False) -> None:
    """Write a table, its header first."""
    with CsvFile(path, quote_all=quote_all, dashes=True) as file:
        for row in rows:
            file.add(row)


def safe_cell(text: str) -> str:
    """A text that a spreadsheet shows and never computes."""
    # Looked at before hidden characters become visible ones, because a tab or a line end may be what hides a formula.
    guard = "'" if text.lstrip(" ").startswith(_FORMULA_STARTS) else ""
    if len(text) > _LONGEST_CELL:
        text = f"{text[:_LONGEST_CELL]}\u2026 (cut; all {len(text)} characters are in report.json)"
    return guard + visible(text)
