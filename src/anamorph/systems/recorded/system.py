"""Answers that were made elsewhere, read from a file of JSON lines."""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from anamorph.errors import Refused, UsageError
from anamorph.model import Answer, Ask, Failure, Manner, setting
from anamorph.systems.recorded.line_index import LineIndex, read_line
from anamorph.systems.replies.answers import BadReply, reply_of

ADAPTER_VERSION = 1
BATCH = 256

_SETTLED_NANOSECONDS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class RecordedSystem:
    """Answer from a file with one JSON line per answer: {"id", "text" or "labels" or "error"}."""

    kind: ClassVar[str] = "recorded"
    path: str = setting(help="The file of JSON lines; each has the id of the probe that it answers.")
    _file: Path = field(init=False, repr=False, compare=False)
    _index: LineIndex = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        file = Path(self.path).absolute()
        if not file.is_file():
            what = "is not a regular file" if file.exists() else "does not exist"
            raise UsageError(f"The file of recorded answers {file} {what}.")
        try:
            index = _index_of(file)
        except OSError as problem:
            raise UsageError(f"The file of recorded answers {file} cannot be read: {problem.strerror}.") from problem
        object.__setattr__(self, "_file", file)
        object.__setattr__(self, "_index", index)

    @property
    def manner(self) -> Manner:
        return Manner(batch=BATCH, looks=False, remembers=False)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        # Not the content: more answers may be written between a run and its resumption.
        return {"kind": self.kind, "adapter": ADAPTER_VERSION, "path": str(self._file)}

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        try:
            with self._file.open("rb") as file:
                return [self._reply(file, ask.id, ask.attempt) for ask in batch]
        except OSError as problem:
            raise Refused(f"The file of recorded answers {self._file} cannot be read: {problem.strerror}.") from problem

    def close(self) -> None:
        """Nothing is held open."""

    def _reply(self, file: BinaryIO, id: str, attempt: int) -> Answer | Failure:
        try:
            records = [read_line(file, offset) for offset in self._index.offsets_of(id)]
            records = [record for record in records if record.get("id") == id]
            if not records:
                return Failure(f"No recorded answer for {id} in {self._file}.")
            # One answer stands for every attempt; several are given in their order, whatever number they begin with.
            if len(records) > 1 and attempt >= len(records):
                return Failure(f"Only {len(records)} answers are recorded for {id} in {self._file}.")
            reply = reply_of(records[attempt if len(records) > 1 else 0])
        except BadReply as problem:
            return Failure(f"{self._file} was changed while it was in use: {problem}.")
        # Asking a file again changes nothing, whatever the program that wrote it said.
        return Failure(reply.message) if isinstance(reply, Failure) else reply


def _index_of(file: Path) -> LineIndex:
    about = file.stat()
    # Two states of a file that is being written now may have the same time.
    if time.time_ns() - about.st_mtime_ns < _SETTLED_NANOSECONDS:
        return LineIndex(file)
    return _known_index(file, about.st_size, about.st_mtime_ns, about.st_ino)


# A run makes its system twice, once to check it and once to ask it.
@functools.lru_cache(maxsize=1)
def _known_index(file: Path, *state: int) -> LineIndex:
    return LineIndex(file)
