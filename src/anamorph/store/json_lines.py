"""JSON Lines files that people add to: crash-safe, and mergeable by git as a union."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from anamorph.errors import UsageError
from anamorph.model.visible import one_line, visible_json
from anamorph.store.own_files import open_own, sync_folder

MOST_BYTES = 256 * 2**20
MOST_LINE_BYTES = 2**20
# The key of a line that keeps the unfinished line of a killed process.
TORN = "torn"


def warn(message: str) -> None:
    """Log a message for the reader, if no callback takes it."""
    warnings.warn(message, stacklevel=4)


def read_lines(path: Path, report: Callable[[str], None] = warn) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every object of a file with its line number; none if the file does not exist.

    A truncated last line is reported and skipped. Any other broken line is a UsageError that names it.
    """
    try:
        if not path.exists():
            return
        # A pipe or a device could block, or never end.
        if not path.is_file():
            raise UsageError(f"{path}: is not a file. Name a file of JSON lines.")
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(f"{path}: is larger than {MOST_BYTES // 2**20} MB, so it is not read.")
        with path.open("rb") as stream:
            number = 0
            while line := stream.readline(MOST_LINE_BYTES + 1):
                number += 1
                if len(line) > MOST_LINE_BYTES:
                    raise UsageError(f"{path}, line {number}: is longer than {MOST_LINE_BYTES // 2**20} MB.")
                if not line.strip():
                    continue
                found = _object(line)
                if isinstance(found, str):
                    if not line.endswith(b"\n"):
                        report(f"{path}, line {number}: was cut off during writing, so it does not count.")
                        return
                    raise UsageError(f"{path}, line {number}: {found}")
                if set(found) == {TORN}:
                    report(f"{path}, line {number}: keeps text that was cut off during writing; it does not count.")
                    continue
                yield number, found
    except OSError as problem:
        raise UsageError(f"{path}: cannot be read ({problem.strerror or problem}).") from problem


def check_writable(path: Path) -> None:
    """UsageError, unless lines can be added to a file, which is created if missing."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_own(path, "append"):
            pass
    except OSError as problem:
        reason = problem.strerror or problem
        raise UsageError(f"{path}: cannot be written ({reason}). Name another file.") from problem


def append_line(path: Path, plain: Mapping[str, Any]) -> None:
    """Add one object, with sorted keys; it is on disk when this returns.

    An unfinished line of an earlier process is kept as a string, so that nothing is lost and every line is whole.
    """
    line = line_of(plain)
    if len(line) > MOST_LINE_BYTES:
        raise UsageError(f"{path}: the new line is longer than {MOST_LINE_BYTES // 2**20} MB.")
    try:
        new = not path.exists()
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_own(path, "append", buffering=0) as stream:
            _lock(stream.fileno())
            tail = _tail(stream.fileno())
            if tail and not isinstance(_object(tail), str):
                # Only the line end is missing, as with some editors.
                line = b"\n" + line
            elif tail:
                stream.truncate(os.fstat(stream.fileno()).st_size - len(tail))
                line = line_of({TORN: tail.decode("utf-8", "replace")}) + line
            if stream.write(line) != len(line):
                raise OSError(f"only a part of {len(line)} bytes was written")
            os.fsync(stream.fileno())
        if new:
            sync_folder(path.parent)
    except OSError as problem:
        raise UsageError(f"{path}: cannot be written ({problem.strerror or problem}).") from problem


def line_of(plain: Mapping[str, Any]) -> bytes:
    """An object as a line, with sorted keys."""
    text = visible_json(json.dumps(plain, sort_keys=True, ensure_ascii=False, allow_nan=False))
    return text.encode("utf-8") + b"\n"


def _object(line: bytes) -> dict[str, Any] | str:
    """The object of a line, or the error in it."""
    try:
        found = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as problem:
        # Git's markers of an unresolved merge are the most likely reason.
        if line.startswith((b"<<<<<<<", b"=======", b">>>>>>>")):
            return "is a merge conflict of git. Keep the lines of both sides, and remove this one."
        return f"is not JSON ({problem})."
    return found if isinstance(found, dict) else f"expected a JSON object, got {one_line(repr(found)[:40])}."


def _tail(file: int) -> bytes:
    """The text after the last line end."""
    size = os.fstat(file).st_size
    start = max(0, size - MOST_LINE_BYTES)
    os.lseek(file, start, os.SEEK_SET)
    end = b""
    while piece := os.read(file, MOST_LINE_BYTES):
        end += piece
    return end[end.rfind(b"\n") + 1 :]


def _lock(file: int) -> None:
    """Lock the file until it is closed, so that lines of two processes never mix."""
    try:
        import fcntl
    except ImportError:
        # Windows has only append with a single write.
        return
    fcntl.flock(file, fcntl.LOCK_EX)
