"""Where the answers to each id stand in a file of JSON lines, in 16 bytes of memory per line."""

from __future__ import annotations

import functools
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from anamorph.errors import UsageError
from anamorph.model import Answer, Failure
from anamorph.systems.replies.answers import LINE_LIMIT_BYTES, BadReply, parse_line, reply_of, show

SHOWN_PROBLEMS = 5

Integers = npt.NDArray[np.int64]


class LineIndex:
    """The checked lines of a file, found by id; the lines of one id stand in the order of their attempts.

    The key of an id is Python's own 64-bit hash of it: as good as any within one process, and free. Two ids may share
    one, so whoever reads a line looks at its id.
    """

    def __init__(self, path: Path) -> None:
        keys, attempts, offsets, marks = _scan(path)
        order = np.lexsort((offsets, attempts, keys))
        keys, attempts, offsets, marks = keys[order], attempts[order], offsets[order], marks[order]
        again = (keys[1:] == keys[:-1]) & (attempts[1:] == attempts[:-1])
        differs = marks[1:] != marks[:-1]
        _refuse_conflicts(path, offsets, np.flatnonzero(again & differs))
        kept = np.ones(len(keys), dtype=bool)
        kept[1:] = ~again | differs
        self._keys, self._offsets = keys[kept], offsets[kept]

    def offsets_of(self, id: str) -> list[int]:
        """Where the lines with the key of an id begin."""
        key = hash(id)
        first, last = np.searchsorted(self._keys, key), np.searchsorted(self._keys, key, "right")
        return [int(offset) for offset in self._offsets[first:last]]

    def __len__(self) -> int:
        return len(self._keys)


def read_line(file: BinaryIO, offset: int) -> dict[str, object]:
    """The JSON object of the line that begins at an offset, or BadReply."""
    file.seek(offset)
    return parse_line(file.readline(LINE_LIMIT_BYTES))


def _scan(path: Path) -> tuple[Integers, Integers, Integers, Integers]:
    """The key, attempt, offset and content mark of every line; UsageError if one is not valid."""
    keys, attempts, offsets, marks = array("q"), array("q"), array("q"), array("q")
    problems: list[str] = []
    problem_count = 0
    offset = 0
    with path.open("rb") as file:
        for number, line in enumerate(_bounded_lines(file), start=1):
            if len(line) == LINE_LIMIT_BYTES:
                problem_count += 1
                problems.append(f"line {number}: longer than {LINE_LIMIT_BYTES} bytes, so the rest was not looked at")
                break
            try:
                if not line.isspace():
                    key, attempt, mark = _entry(line)
                    keys.append(key)
                    attempts.append(attempt)
                    offsets.append(offset)
                    marks.append(mark)
            except BadReply as problem:
                problem_count += 1
                if problem_count <= SHOWN_PROBLEMS:
                    problems.append(f"line {number}: {problem}")
            offset += len(line)
    _refuse(path, problems, problem_count, "cannot be used")
    return np.asarray(keys), np.asarray(attempts), np.asarray(offsets), np.asarray(marks)


def _bounded_lines(file: BinaryIO) -> Iterator[bytes]:
    return iter(functools.partial(file.readline, LINE_LIMIT_BYTES), b"")


def _entry(line: bytes) -> tuple[int, int, int]:
    record = parse_line(line)
    id = record.get("id")
    if type(id) is not str or not id:
        raise BadReply(f"expected a text under 'id', got {show(id)}" if "id" in record else "no 'id'")
    text = record.get("text")
    # Most lines are these two words, and making an answer of each would double the time.
    if len(record) == 2 and type(text) is str:
        return hash(id), 0, hash(text)
    attempt = record.get("attempt", 0)
    if type(attempt) is not int or not 0 <= attempt < 2**63:
        raise BadReply(f"expected a whole number under 'attempt', got {show(attempt)}")
    return hash(id), attempt, _mark(reply_of(record))


def _mark(reply: Answer | Failure) -> int:
    """A number that two different replies hardly ever share."""
    if isinstance(reply, Failure):
        return hash((reply.message, "error"))
    return hash(reply.text) if reply.labels is None else hash(frozenset(reply.labels.items()))


def _refuse_conflicts(path: Path, offsets: Integers, positions: npt.NDArray[np.intp]) -> None:
    problems: list[str] = []
    problem_count = 0
    with path.open("rb") as file:
        for position in positions:
            one, other = (int(offset) for offset in offsets[position : position + 2])
            id = read_line(file, one)["id"]
            if id != read_line(file, other)["id"]:
                continue
            problem_count += 1
            if problem_count <= SHOWN_PROBLEMS:
                numbers = f"lines {_line_number(file, one)} and {_line_number(file, other)}"
                problems.append(f"{numbers}: different answers for the id {id!r} (give each its 'attempt')")
    _refuse(path, problems, problem_count, "contradict each other")


def _line_number(file: BinaryIO, offset: int) -> int:
    file.seek(0)
    left, count = offset, 1
    while left and (chunk := file.read(min(left, 1 << 20))):
        count += chunk.count(b"\n")
        left -= len(chunk)
    return count


def _refuse(path: Path, problems: list[str], count: int, complaint: str) -> None:
    if count:
        more = f"; and {count - len(problems)} more" if count > len(problems) else ""
        raise UsageError(f"{path}: {count} line{'s' if count > 1 else ''} {complaint}: {'; '.join(problems)}{more}.")
