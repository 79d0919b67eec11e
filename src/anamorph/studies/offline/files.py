"""Recorded outputs as rows: JSON lines, CSV or TSV, read one by one."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from anamorph.errors import UsageError

# The csv module refuses longer cells than its limit, and a chat model's answer may be long.
_LONGEST_CELL = 1 << 30
_DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}


@dataclass(frozen=True, slots=True)
class Row:
    """One recorded set of outputs, not yet checked."""

    line: int
    plain: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that cannot be judged, and what is wrong with it."""

    line: int
    problem: str


def rows_of(file: BinaryIO, name: str) -> Iterator[Row | BadLine]:
    """The rows of a file; the ending of its name tells the format, JSON lines unless .csv or .tsv."""
    delimiter = _DELIMITERS.get(Path(name).suffix.lower())
    return _json_rows(file) if delimiter is None else _table_rows(file, name, delimiter)


def _json_rows(file: BinaryIO) -> Iterator[Row | BadLine]:
    for number, line in enumerate(file, start=1):
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if not line.strip():
            continue
        try:
            plain = json.loads(line)
        except UnicodeDecodeError as problem:
            yield BadLine(number, f"not UTF-8 text ({problem.reason} at byte {problem.start}).")
        except json.JSONDecodeError as problem:
            yield BadLine(number, f"not valid JSON: {problem.msg} at column {problem.colno}.")
        except RecursionError:
            yield BadLine(number, "not valid JSON: nested too deeply.")
        else:
            if isinstance(plain, dict):
                yield Row(number, plain)
            else:
                yield BadLine(number, f"expected a JSON object, got {type(plain).__name__}.")


def _table_rows(file: BinaryIO, name: str, delimiter: str) -> Iterator[Row | BadLine]:
    csv.field_size_limit(_LONGEST_CELL)
    text = (line.decode("utf-8", "surrogateescape") for line in file)
    # A tab cannot be part of a cell, and so a quotation mark in a TSV file is only a quotation mark.
    if delimiter == "\t":
        reader = csv.reader(text, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    else:
        reader = csv.reader(text, delimiter=delimiter)
    header = next(reader, None)
    if header is None:
        return
    columns = [column.strip().removeprefix("\ufeff") for column in header]
    if "method" not in columns or "id" not in columns:
        raise UsageError(f"{name}: the first line must name the columns, with id and method among them.")
    while True:
        begun = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as problem:
            yield BadLine(begun, f"not valid CSV: {problem}.")
            continue
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(columns):
            yield BadLine(begun, f"has {len(cells)} cells, but the first line names {len(columns)} columns.")
            continue
        if any("\udc80" <= char <= "\udcff" for cell in cells for char in cell if char > "\ud7ff"):
            yield BadLine(begun, "not UTF-8 text.")
            continue
        try:
            yield Row(begun, _row_of_cells(dict(zip(columns, cells, strict=True))))
        except ValueError as problem:
            yield BadLine(begun, f"{problem}.")


def _row_of_cells(cells: Mapping[str, str]) -> dict[str, Any]:
    """Texts stay as they are, also empty ones; an empty cell of any other column is left out."""
    plain: dict[str, Any] = {}
    for column, cell in cells.items():
        read = _CELLS.get(column)
        if read is None:
            plain[column] = cell.strip() if column in ("id", "method", "relation") else cell
        elif cell.strip():
            plain[column] = _json_cell(column, cell) if cell.lstrip()[0] in "[{" else read(column, cell)
    return plain


def _json_cell(column: str, cell: str) -> Any:
    try:
        return json.loads(cell)
    except json.JSONDecodeError as problem:
        raise ValueError(f"{column}: not valid JSON: {problem.msg}") from problem


def _labels_cell(column: str, cell: str) -> list[str]:
    return [label.strip() for label in re.split(r"[|;,]", cell) if label.strip()]


def _texts_cell(column: str, cell: str) -> list[str]:
    """Captions and answers may have commas and semicolons in them."""
    return [text.strip() for text in cell.split("|")]


def _outputs_cell(column: str, cell: str) -> list[list[str]]:
    return [_labels_cell(column, labels) for labels in cell.split("|")]


def _objects_cell(column: str, cell: str) -> dict[str, int]:
    """dog=2; cat=1"""
    objects = {}
    for part in re.split(r"[|;,]", cell):
        label, _, count = part.replace(":", "=").rpartition("=")
        if not label.strip() or not count.strip().isdecimal():
            raise ValueError(f"objects: expected class=count; class=count, got {cell!r}")
        objects[label.strip()] = int(count)
    return objects


def _word_cell(column: str, cell: str) -> str:
    return cell.strip()


_CELLS: Mapping[str, Callable[[str, str], Any]] = {
    "removed": _labels_cell,
    "gone": _labels_cell,
    "labels": _labels_cell,
    "references": _texts_cell,
    "answers": _texts_cell,
    "outputs": _outputs_cell,
    "objects": _objects_cell,
    "asks": _word_cell,
}
