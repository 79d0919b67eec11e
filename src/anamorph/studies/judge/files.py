"""Recorded outputs as rows: JSON lines, CSV or TSV, read one by one."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

from anamorph.errors import UsageError

# The csv module refuses longer cells than its limit, and a chat model's answer may be long.
_LONGEST_CELL = 1 << 30
_DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}


@dataclass(frozen=True, slots=True)
class RecordedLine:
    """One recorded set of outputs, not yet checked; the values of a table are the texts of its cells."""

    line: int
    plain: Mapping[str, Any]
    table: bool = False


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that cannot be judged, and what is wrong with it; `id` is that of its row, where it has a valid one."""

    line: int
    problem: str
    id: str | int | None = None


def rows_of(file: BinaryIO, name: str) -> Iterator[RecordedLine | BadLine]:
    """The rows of a file; the ending of its name says which format: .csv, .tsv, otherwise JSON lines."""
    delimiter = _DELIMITERS.get(Path(name).suffix.lower())
    return _json_rows(file) if delimiter is None else _table_rows(file, name, delimiter)


def _json_rows(file: BinaryIO) -> Iterator[RecordedLine | BadLine]:
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
        except ValueError:
            yield BadLine(number, "not JSON that can be read: a number has thousands of digits.")
        else:
            if isinstance(plain, dict):
                yield RecordedLine(number, plain)
            else:
                yield BadLine(number, f"expected a JSON object, got {type(plain).__name__}.")


def _table_rows(file: BinaryIO, name: str, delimiter: str) -> Iterator[RecordedLine | BadLine]:
    csv.field_size_limit(_LONGEST_CELL)
    text = (line.decode("utf-8", "surrogateescape") for line in file)
    # A tab cannot be part of a cell, and so a quotation mark in a TSV file is only a quotation mark.
    quoting: Literal[0, 3] = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
    reader = csv.reader(text, delimiter=delimiter, quoting=quoting)
    try:
        header = next(reader, None)
    except csv.Error as problem:
        raise UsageError(f"{name}: the first line is not valid CSV: {problem}.") from problem
    if header is None:
        return
    columns = [column.strip().removeprefix("\ufeff") for column in header]
    if "id" not in columns or not {"method", "relation"} & {*columns}:
        raise UsageError(f"{name}: the first line must name the columns, with id and method or relation among them.")
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
        yield RecordedLine(begun, dict(zip(columns, cells, strict=True)), table=True)
