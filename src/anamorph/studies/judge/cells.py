"""The cells of a table as the values that JSON would have."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from anamorph.errors import BadRecord
from anamorph.model import Cell

# More digits than any count has.
_MOST_DIGITS = 9


def values_of(cells: Mapping[str, str], how: Mapping[str, Cell]) -> dict[str, Any]:
    """Texts stay as they are, also empty ones; an empty cell of any other column is left out."""
    plain: dict[str, Any] = {}
    for column, cell in cells.items():
        read = how.get(column)
        if read is None:
            plain[column] = cell
        elif cell.strip():
            plain[column] = _json(column, cell) if cell.lstrip()[0] in "[{" else _READ[read](column, cell)
    return plain


def _json(column: str, cell: str) -> Any:
    try:
        return json.loads(cell)
    except json.JSONDecodeError as problem:
        raise BadRecord(column, f"not valid JSON: {problem.msg}") from problem
    except (ValueError, RecursionError) as problem:
        raise BadRecord(
            column, "not JSON that can be read: too deep, or with a number of thousands of digits"
        ) from problem


def _labels(cell: str) -> list[str]:
    return [label.strip() for label in re.split(r"[|;,]", cell) if label.strip()]


def _counts(column: str, cell: str) -> dict[str, int]:
    """dog=2; cat=1"""
    counts = {}
    for part in re.split(r"[|;,]", cell):
        label, _, count = part.replace(":", "=").rpartition("=")
        if not label.strip() or not count.strip().isdecimal() or len(count.strip()) > _MOST_DIGITS:
            raise BadRecord(column, f"expected class=count; class=count, got {cell!r}")
        counts[label.strip()] = int(count)
    return counts


_READ: Mapping[Cell, Callable[[str, str], Any]] = {
    "labels": lambda column, cell: _labels(cell),
    # Captions and answers may have commas and semicolons in them.
    "texts": lambda column, cell: [text.strip() for text in cell.split("|")],
    "label-sets": lambda column, cell: [_labels(labels) for labels in cell.split("|")],
    "counts": _counts,
    "word": lambda column, cell: cell.strip(),
}
