"""Recorded answers, read from files of JSON lines: ours, or results of a provider's batch API."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from anamorph.errors import Refused, UsageError
from anamorph.model import Answer, Ask, Failure, Manner, setting
from anamorph.systems.recorded.batch_results import is_batch_result, reply_of_batch
from anamorph.systems.recorded.line_index import LineIndex, file_and_offset, id_of, read_line
from anamorph.systems.replies.answers import BadReply, reply_of

ADAPTER_VERSION = 1
BATCH = 256

_SETTLED_NANOSECONDS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class RecordedSystem:
    """Answer from a file with one JSON line per answer: {"id", "text" or "labels" or "error"}, or a batch's result."""

    kind: ClassVar[str] = "recorded"
    path: str = setting(help="The file of JSON lines, each with the id of its probe, or a folder of *.jsonl files.")
    _file: Path = field(init=False, repr=False, compare=False)
    _files: tuple[Path, ...] = field(init=False, repr=False, compare=False)
    _index: LineIndex = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        file = Path(self.path).absolute()
        files = tuple(sorted(file.glob("*.jsonl"))) if file.is_dir() else (file,)
        if not files:
            raise UsageError(f"The folder of recorded answers {file} has no file that ends in .jsonl.")
        for each in files:
            if not each.is_file():
                what = "is not a regular file" if each.exists() else "does not exist"
                raise UsageError(f"The file of recorded answers {each} {what}.")
        try:
            index = _index_of(files)
        except OSError as problem:
            raise UsageError(f"The file of recorded answers {file} cannot be read: {problem.strerror}.") from problem
        object.__setattr__(self, "_file", file)
        object.__setattr__(self, "_files", files)
        object.__setattr__(self, "_index", index)

    @property
    def manner(self) -> Manner:
        return Manner(batch=BATCH, looks=False, remembers=False, costs=False)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        # Not the content: answers may be added between a run and its resumption.
        return {"kind": self.kind, "adapter": ADAPTER_VERSION, "path": str(self._file)}

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        places = [self._index.places_of(ask.id) for ask in batch]
        try:
            records = self._records({place for several in places for place in several})
        except OSError as problem:
            raise Refused(f"The file of recorded answers {self._file} cannot be read: {problem.strerror}.") from problem
        return [
            self._reply([records[place] for place in several], ask.id, ask.attempt)
            for ask, several in zip(batch, places, strict=True)
        ]

    def offline(self, id: str, attempt: int) -> bool:
        """Whether this very attempt has a recorded answer."""
        return len(self._index.places_of(id)) > attempt

    def close(self) -> None:
        """Nothing to close."""

    def _records(self, places: set[int]) -> dict[int, dict[str, object] | BadReply]:
        """The lines at these places, or their errors now."""
        found: dict[int, dict[str, object] | BadReply] = {}
        for number, several in itertools.groupby(sorted(places), key=lambda place: file_and_offset(place)[0]):
            with self._files[number].open("rb") as file:
                for place in several:
                    try:
                        found[place] = read_line(file, file_and_offset(place)[1])
                    except BadReply as problem:
                        found[place] = problem
        return found

    def _reply(self, lines: Sequence[dict[str, object] | BadReply], id: str, attempt: int) -> Answer | Failure:
        try:
            records = [_sound(line) for line in lines]
            records = [record for record in records if id_of(record) == id]
            if not records:
                return Failure(f"No recorded answer for {id} in {self._file}.")
            # A single answer counts for every attempt; several are used in order, whatever their first number.
            if len(records) > 1 and attempt >= len(records):
                return Failure(f"Only {len(records)} answers are recorded for {id} in {self._file}.")
            record = records[attempt if len(records) > 1 else 0]
            reply = reply_of_batch(record) if is_batch_result(record) else reply_of(record)
        except BadReply as problem:
            return Failure(f"{self._file} was changed while it was in use: {problem}.")
        if attempt and len(records) == 1:
            reply = replace(reply, usage=None)
        # Reading a file again changes nothing, even if the failure claims to be retryable.
        return replace(reply, retryable=False) if isinstance(reply, Failure) else reply


def _sound(line: dict[str, object] | BadReply) -> dict[str, object]:
    if isinstance(line, BadReply):
        raise line
    return line


def _index_of(files: tuple[Path, ...]) -> LineIndex:
    states = [file.stat() for file in files]
    # Two states of a file being written may have the same mtime.
    if time.time_ns() - max(state.st_mtime_ns for state in states) < _SETTLED_NANOSECONDS:
        return LineIndex(files)
    return _known_index(files, *((state.st_size, state.st_mtime_ns, state.st_ino) for state in states))


# A run creates its system twice, to check it and to ask it.
@functools.lru_cache(maxsize=1)
def _known_index(files: tuple[Path, ...], *states: tuple[int, int, int]) -> LineIndex:
    return LineIndex(files)
