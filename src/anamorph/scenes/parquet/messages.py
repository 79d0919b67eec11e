"""What passes between a program and the process that reads Parquet files for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

# Rows that come together, for the next ones will be asked for.
MOST_ROWS = 32
MOST_BYTES = 64_000_000


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A row group: its rows, and the bytes that it says it has when it is decompressed."""

    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Description:
    """A file: its columns, what Hugging Face wrote about them, and its row groups."""

    columns: Sequence[str]
    features: str | None
    groups: Sequence[RowGroup]


@dataclass(frozen=True, slots=True)
class RowsOrder:
    """Which rows are wanted: some columns of a row group, from a row on."""

    group: int
    columns: tuple[str, ...]
    first: int = 0

    def after(self, rows: int) -> RowsOrder:
        """The order for what comes after so many rows."""
        return replace(self, first=self.first + rows)


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows, and whether they are the last ones of their group."""

    rows: Sequence[Mapping[str, Any]]
    last: bool


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a file cannot be read."""

    reason: str
