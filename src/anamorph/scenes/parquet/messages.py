"""Messages between a program and its reader process for Parquet files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

# Rows are sent in batches, since the next ones will be requested.
MOST_ROWS = 32
MOST_BYTES = 64_000_000


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A row group: its rows, and its stated size in bytes after decompression."""

    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Description:
    """A file: its columns, Hugging Face's metadata on them, and its row groups."""

    columns: Sequence[str]
    features: str | None
    groups: Sequence[RowGroup]


@dataclass(frozen=True, slots=True)
class RowsOrder:
    """A request for rows: some columns of a row group, from a row on."""

    group: int
    columns: tuple[str, ...]
    first: int = 0

    def after(self, rows: int) -> RowsOrder:
        """The order for the rows after this many."""
        return replace(self, first=self.first + rows)


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows, and whether they are the last of their group."""

    rows: Sequence[Mapping[str, Any]]
    last: bool


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a file cannot be read."""

    reason: str
