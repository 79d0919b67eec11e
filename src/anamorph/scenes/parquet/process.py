"""The reader process for Parquet files, with memory limited by the size of the file."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from anamorph.errors import AnamorphError
from anamorph.photos.files import open_regular
from anamorph.scenes.parquet.messages import MOST_BYTES, MOST_ROWS, Description, Refusal, RowGroup, Rows, RowsOrder

if TYPE_CHECKING:
    import pyarrow.parquet

# Of a file's metadata; data sets have a few hundred kilobytes.
_MOST_DESCRIPTION = 100_000_000
# Memory for reading, beyond the process itself: photos are compressed already, and a page of them is in memory
# compressed, decompressed, as a value and as the message.
_LEAST_MEMORY = 256_000_000
_MEMORY_TIMES = 4


@dataclass(slots=True, eq=False)
class _Open:
    """The last read file and rows, so that the next ones need not be searched."""

    place: tuple[Path, RowsOrder] | None = None
    rows: Iterator[Any] | None = None
    handle: IO[bytes] | None = None

    def forget(self) -> None:
        if self.handle is not None:
            self.handle.close()
        self.place = self.rows = self.handle = None


def serve() -> None:
    """Answer requests from standard input until it ends."""
    # The parent handles Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Before the limit, which is relative to this process's memory.
    import pyarrow.parquet  # noqa: F401

    _limit_memory(_LEAST_MEMORY)
    last = _Open()
    while True:
        try:
            question = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer: Any = _answer(question, last)
            message = pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
        except AnamorphError as problem:
            last.forget()
            message = pickle.dumps(Refusal(str(problem)))
        # Damaged files raise Arrow's errors, and those of the types it converts to.
        except Exception as problem:  # noqa: BLE001
            last.forget()
            reason = " ".join(f"{type(problem).__name__}: {problem}".split()).rstrip(".")
            message = pickle.dumps(Refusal(reason))
        answers.write(message)
        answers.flush()


def _answer(question: Path | tuple[Path, RowsOrder], last: _Open) -> Description | Rows:
    if isinstance(question, Path):
        with open_regular(question) as handle:
            return _described(_opened(handle))
    if last.place != question:
        last.forget()
        path, order = question
        last.handle = open_regular(path)
        batches = _opened(last.handle).iter_batches(
            # One row at a time: a small file may repeat a large image a million times.
            batch_size=1,
            row_groups=[order.group],
            columns=list(order.columns),
            use_threads=False,
        )
        last.rows = islice((row for batch in batches for row in batch.to_pylist()), order.first, None)
        last.place = question
    return _next_rows(last)


def _next_rows(last: _Open) -> Rows:
    assert last.rows is not None and last.place is not None
    found: list[Any] = []
    size = 0
    for row in last.rows:
        found.append(row)
        size += sum(map(_size, row.values()))
        if len(found) >= MOST_ROWS or size >= MOST_BYTES:
            path, order = last.place
            last.place = path, order.after(len(found))
            return Rows(found, last=False)
    last.forget()
    return Rows(found, last=True)


def _size(value: Any) -> int:
    content = value.get("bytes") if isinstance(value, dict) else value
    return len(content) if isinstance(content, bytes | str) else 0


def _opened(handle: IO[bytes]) -> pyarrow.parquet.ParquetFile:
    import pyarrow.parquet

    _limit_memory(_LEAST_MEMORY + _MEMORY_TIMES * os.fstat(handle.fileno()).st_size)
    return pyarrow.parquet.ParquetFile(
        pyarrow.PythonFile(handle, "r"),
        # Otherwise a whole column chunk is read at once.
        buffer_size=1 << 20,
        pre_buffer=False,
        thrift_string_size_limit=_MOST_DESCRIPTION,
        thrift_container_size_limit=_MOST_DESCRIPTION // 100,
    )


def _described(file: pyarrow.parquet.ParquetFile) -> Description:
    features = (file.schema_arrow.metadata or {}).get(b"huggingface")
    groups = []
    for number in range(file.num_row_groups):
        # As a whole, not by column: Arrow aborts the process if one of them is damaged.
        group = file.metadata.row_group(number)
        groups.append(RowGroup(group.num_rows, group.total_byte_size))
    text = None if features is None else features.decode("utf-8", "replace")
    return Description(list(file.schema_arrow.names), text, groups)


_base: int | None = None


def _limit_memory(more: int) -> None:
    """Limit this process to this many more bytes, if the system supports it."""
    global _base
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        if _base is None:
            _base = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        limit = _base + more
        resource.setrlimit(resource.RLIMIT_AS, (limit if most == resource.RLIM_INFINITY else min(limit, most), most))
