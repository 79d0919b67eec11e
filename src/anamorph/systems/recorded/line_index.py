"""An index of JSON lines by id, in 16 bytes of memory per line."""

from __future__ import annotations

import functools
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from anamorph.errors import UsageError
from anamorph.model import Answer, Failure
from anamorph.systems.recorded.batch_results import is_batch_result, probe_and_attempt, reply_of_batch
from anamorph.systems.replies.answers import LINE_LIMIT_BYTES, BadReply, parse_line, reply_of, show

SHOWN_PROBLEMS = 5
# A place has the number of the file above these bits, and the offset of the line below.
_OFFSET_BITS = 44

Integers = npt.NDArray[np.int64]


class LineIndex:
    """The checked lines of files by id, in order of attempt.

    The key of an id is its 64-bit Python hash: good enough within one process, and free. Hashes may collide, so readers
    of a line check its id. A failed request of a batch gives way to its answer from a later batch.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        keys, attempts, places, marks, failed = _scan(files)
        order = np.lexsort((places, failed, attempts, keys))
        # One by one, so that only one column at a time exists twice.
        keys = keys[order]
        attempts = attempts[order]
        places = places[order]
        marks = marks[order]
        failed = failed[order]
        again = (keys[1:] == keys[:-1]) & (attempts[1:] == attempts[:-1])
        differs = marks[1:] != marks[:-1]
        gives_way = again & failed[1:].astype(bool)
        _refuse_conflicts(files, places, np.flatnonzero(again & differs & ~gives_way))
        kept = np.ones(len(keys), dtype=bool)
        kept[1:] = ~gives_way & (~again | differs)
        self._keys, self._places = keys[kept], places[kept]

    def places_of(self, id: str) -> list[int]:
        """The places of the lines with the key of an id."""
        key = hash(id)
        first, last = np.searchsorted(self._keys, key), np.searchsorted(self._keys, key, "right")
        return [int(place) for place in self._places[first:last]]

    def __len__(self) -> int:
        return len(self._keys)


def file_and_offset(place: int) -> tuple[int, int]:
    """The number of a line's file, and its offset."""
    return place >> _OFFSET_BITS, place & (1 << _OFFSET_BITS) - 1


def read_line(file: BinaryIO, offset: int) -> dict[str, object]:
    """The JSON object of the line at an offset, or BadReply."""
    file.seek(offset)
    return parse_line(file.readline(LINE_LIMIT_BYTES))


def _scan(files: Sequence[Path]) -> tuple[Integers, Integers, Integers, Integers, Integers]:
    """The key, attempt, place and content mark of every line, and whether it is a failed request of a batch.

    UsageError if a line is not valid.
    """
    keys, attempts, places, marks, failed = (array(code) for code in "qqqqb")
    problems: list[str] = []
    problem_count = 0
    for file_number, path in enumerate(files):
        offset = 0
        with path.open("rb") as file:
            for number, line in enumerate(_bounded_lines(file), start=1):
                if len(line) == LINE_LIMIT_BYTES:
                    problem_count += 1
                    longer = f"longer than {LINE_LIMIT_BYTES} bytes, so the rest was not checked"
                    problems.append(f"{_line_name(files, file_number, number)}: {longer}")
                    break
                try:
                    if not line.isspace():
                        key, attempt, mark, gives_way = _entry(line)
                        keys.append(key)
                        attempts.append(attempt)
                        places.append(file_number << _OFFSET_BITS | offset)
                        marks.append(mark)
                        failed.append(gives_way)
                except BadReply as problem:
                    problem_count += 1
                    if problem_count <= SHOWN_PROBLEMS:
                        problems.append(f"{_line_name(files, file_number, number)}: {problem}")
                offset += len(line)
    _refuse(files, problems, problem_count, "cannot be used")
    return np.asarray(keys), np.asarray(attempts), np.asarray(places), np.asarray(marks), np.asarray(failed)


def _bounded_lines(file: BinaryIO) -> Iterator[bytes]:
    return iter(functools.partial(file.readline, LINE_LIMIT_BYTES), b"")


def _entry(line: bytes) -> tuple[int, int, int, bool]:
    record = parse_line(line)
    if is_batch_result(record):
        probe, attempt = probe_and_attempt(record)
        reply = reply_of_batch(record)
        return hash(probe), attempt, _mark(reply), isinstance(reply, Failure)
    id = record.get("id")
    if type(id) is not str or not id:
        raise BadReply(f"expected a string under 'id', got {show(id)}" if "id" in record else "no 'id'")
    text = record.get("text")
    # Most lines have these two keys, and building an answer for each would double the time.
    if len(record) == 2 and type(text) is str:
        return hash(id), 0, hash(text), False
    number = record.get("attempt", 0)
    if type(number) is not int or not 0 <= number < 2**63:
        raise BadReply(f"expected a whole number under 'attempt', got {show(number)}")
    return hash(id), number, _mark(reply_of(record)), False


def id_of(record: dict[str, object]) -> object:
    """The probe's id of a line."""
    return probe_and_attempt(record)[0] if is_batch_result(record) else record.get("id")


def _mark(reply: Answer | Failure) -> int:
    """A hash of a reply."""
    if isinstance(reply, Failure):
        return hash((reply.message, "error"))
    return hash(reply.text) if reply.labels is None else hash(frozenset(reply.labels.items()))


def _refuse_conflicts(files: Sequence[Path], places: Integers, positions: npt.NDArray[np.intp]) -> None:
    problems: list[str] = []
    problem_count = 0
    for position in positions:
        pair = [file_and_offset(int(place)) for place in places[position : position + 2]]
        one, other = (_id_at(files[number], offset) for number, offset in pair)
        if one != other:
            continue
        problem_count += 1
        if problem_count <= SHOWN_PROBLEMS:
            names = [_line_name(files, number, _line_number(files[number], offset)) for number, offset in pair]
            lines = " and ".join(names) if len(files) > 1 else "lines " + " and ".join(n.split()[-1] for n in names)
            problems.append(f"{lines}: different answers for the id {one!r} (give each its 'attempt')")
    _refuse(files, problems, problem_count, "contradict each other")


def _id_at(path: Path, offset: int) -> object:
    with path.open("rb") as file:
        return id_of(read_line(file, offset))


def _line_name(files: Sequence[Path], file_number: int, number: int) -> str:
    return f"line {number}" if len(files) == 1 else f"{files[file_number].name}, line {number}"


def _line_number(path: Path, offset: int) -> int:
    left, count = offset, 1
    with path.open("rb") as file:
        while left and (chunk := file.read(min(left, 1 << 20))):
            count += chunk.count(b"\n")
            left -= len(chunk)
    return count


def _refuse(files: Sequence[Path], problems: list[str], count: int, complaint: str) -> None:
    if count:
        where = files[0] if len(files) == 1 else files[0].parent
        more = f"; and {count - len(problems)} more" if count > len(problems) else ""
        raise UsageError(f"{where}: {count} line{'s' if count > 1 else ''} {complaint}: {'; '.join(problems)}{more}.")
