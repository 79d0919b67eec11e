"""A program in any language as the system under test, through JSON lines."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import shlex
import shutil
import signal
import time
import weakref
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from anamorph.errors import Refused, SystemDown, UsageError
from anamorph.model import Answer, Ask, Failure, Manner, setting
from anamorph.systems.command.process import Ended, LineProcess
from anamorph.systems.command.process_pool import ProcessPool
from anamorph.systems.replies.answers import BadReply, parse_line, reply_of, show

ADAPTER_VERSION = 1
HASH_LIMIT_BYTES = 64 * 1024 * 1024

# How long to wait for the exit status of a program that closed its output.
_GRACE_SECONDS = 1.0
_QUOTED_CHARACTERS = 300
# Files that programs write; their growth does not make another system.
_WRITTEN_SUFFIXES = frozenset(
    (".csv", ".db", ".err", ".jsonl", ".log", ".out", ".pid", ".sock", ".sqlite", ".tmp", ".tsv")
)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class CommandSystem:
    """Ask a program that reads one JSON line per image on stdin and writes one JSON line per answer on stdout."""

    kind: ClassVar[str] = "command"
    environment: ClassVar[tuple[str, ...]] = ("*",)
    takes_text: ClassVar[bool] = True
    command_line: ClassVar[bool] = True
    command: str = setting(help="The program and its arguments, quoted as in a shell; no shell runs it.")
    batch: int = setting(8, "How many lines to write before waiting for answers.", least=1)
    processes: int = setting(1, "How many copies of the program to run in parallel.", least=1)
    startup_seconds: float = setting(
        60.0, "Extra time for the first answer of a freshly started program.", least=0, most=1e6
    )
    _pool: ProcessPool = field(init=False, repr=False, compare=False)
    _fingerprint: Mapping[str, Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if os.name != "posix":
            raise UsageError("A command system needs Linux, macOS or another POSIX system. Use a callable system here.")
        words = _words(self.command)
        start = functools.partial(_start, (_program(words[0]), *words[1:]), self._shown)
        fingerprint = {"kind": self.kind, "adapter": ADAPTER_VERSION, "argv": words, "files": _file_marks(words)}
        object.__setattr__(self, "_pool", ProcessPool(start, self.processes))
        object.__setattr__(self, "_fingerprint", fingerprint)
        # Ends the programs with the interpreter if `close` was not called.
        weakref.finalize(self, self._pool.close)

    @property
    def manner(self) -> Manner:
        return Manner(batch=self.batch, parallel=self.processes, startup_seconds=self.startup_seconds)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return self._fingerprint

    def ask(self, batch: Sequence[Ask], timeout_seconds: float) -> Sequence[Answer | Failure]:
        lines = b"".join(map(_question_line, batch))
        if not batch:
            return []
        with self._pool.lend(timeout_seconds) as process:
            talk = _Talk(process, batch)
            problem = talk.run(lines, timeout_seconds, 0 if process.has_answered else self.startup_seconds)
            if problem is None:
                return talk.replies("no answer")
            return talk.replies(self._blame(process, problem, talk))

    def close(self) -> None:
        self._pool.close()

    def _blame(self, process: LineProcess, problem: str, talk: _Talk) -> str:
        """Kill the process and describe its failure."""
        ended = problem == _ENDED
        exited = ended and process.wait(_GRACE_SECONDS)
        status = process.kill()
        if ended:
            problem = _manner_of_death(status) if exited else "closed its output without ending"
        sentences = [f"The command {self._shown} {problem}; {talk.unanswered} of {talk.size} items are unanswered."]
        if talk.last_ignored is not None:
            sentences.append(f"Its last line that was not an answer: {talk.last_ignored!r}.")
        if process.last_words:
            sentences.append(f"Its last words on stderr: {process.last_words}")
        return " ".join(sentences)

    @property
    def _shown(self) -> str:
        return show(self.command)


# --- one batch ------------------------------------------------------------------------------------------------------

_ENDED = "ended"


class _Talk:
    """One batch for one process: the items waiting for an answer, and the replies."""

    def __init__(self, process: LineProcess, batch: Sequence[Ask]) -> None:
        self.size = self.unanswered = len(batch)
        self.last_ignored: str | None = None
        self._process = process
        self._came: list[Answer | Failure | None] = [None] * len(batch)
        self._waiting: defaultdict[str, deque[int]] = defaultdict(deque)
        for position, ask in enumerate(batch):
            self._waiting[ask.id].append(position)

    def replies(self, problem: str) -> list[Answer | Failure]:
        """The answers, with a retryable failure for items without one."""
        return [Failure(problem, retryable=True) if reply is None else reply for reply in self._came]

    def run(self, lines: bytes, timeout_seconds: float, extra_seconds: float) -> str | None:
        """Wait until every item is answered; returns None, or the problem."""
        self._process.send(lines)
        patience_seconds = timeout_seconds + extra_seconds
        deadline = time.monotonic() + patience_seconds
        while self.unanswered:
            try:
                came = self._process.receive(deadline)
            except Ended:
                return _ENDED
            if sum(map(self._take, came)):
                self._process.has_answered = True
                patience_seconds = timeout_seconds
                deadline = time.monotonic() + patience_seconds
            elif time.monotonic() >= deadline:
                return f"gave no answer for {patience_seconds:g} s"
        return None

    def _take(self, line: bytes) -> bool:
        """Whether the line answers an item; other lines, such as logs and late answers, are ignored."""
        text = line.decode("utf-8", "replace")
        try:
            record = parse_line(text.encode())
        except BadReply:
            record = {}
        positions = self._waiting.get(str(record.get("id")))
        if not positions:
            if text.strip():
                self.last_ignored = line[:_QUOTED_CHARACTERS].decode("utf-8", "backslashreplace")
            return False
        self._came[positions.popleft()] = _reply(line)
        self.unanswered -= 1
        return True


def _reply(line: bytes) -> Answer | Failure:
    try:
        return reply_of(parse_line(line))
    except BadReply as problem:
        return Failure(f"The command gave an answer that cannot be used: {problem}.")


def _question_line(ask: Ask) -> bytes:
    if ask.path is None and not ask.textual:
        raise Refused(f"The command needs an image file, and {ask.id} has none.")
    image = None if ask.path is None else str(ask.path.absolute())
    # Escaped to ASCII, so that file names of any bytes survive.
    line = json.dumps({"id": ask.id, "image": image, "question": ask.question})
    return line.encode("ascii") + b"\n"


# --- the program ----------------------------------------------------------------------------------------------------


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as problem:
        raise UsageError(f"The command {show(command)} cannot be split into words: {problem}.") from problem
    if not words:
        raise UsageError("The command is empty. Give a program and its arguments, such as 'python captioner.py'.")
    if any("\0" in word for word in words):
        raise UsageError(f"The command {show(command)} holds a NUL byte.")
    return words


def _program(word: str) -> str:
    found = shutil.which(word)
    if found is not None:
        return str(Path(found).absolute())
    if "/" not in word:
        raise UsageError(f"The program {word!r} is not on the PATH. One in this folder is written './{word}'.")
    path = Path(word).absolute()
    if path.is_file():
        raise UsageError(f"The program {path} is not executable. Make it so, or name its interpreter before it.")
    raise UsageError(f"The program {path} does not exist.")


def _start(argv: Sequence[str], shown: str) -> LineProcess:
    try:
        return LineProcess(argv)
    except OSError as problem:
        raise SystemDown(f"The command {shown} cannot be started: {problem.strerror or problem}.") from problem


def _manner_of_death(status: int | None) -> str:
    if status is None or status >= 0:
        return f"ended with exit code {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = str(-status)
    return f"was ended by signal {name}"


def _file_marks(words: Sequence[str]) -> dict[str, str]:
    """Digests of the files in a command line, alone or after an equals sign."""
    names = [name for word in words for name in (word, word.partition("=")[2])]
    read = [name for name in names if Path(name).suffix.lower() not in _WRITTEN_SUFFIXES]
    return {name: mark for name in read if (mark := _file_mark(Path(name))) is not None}


def _file_mark(path: Path) -> str | None:
    # A word need not be a file name, and one that is too long raises OSError.
    with contextlib.suppress(OSError):
        if path.is_file():
            about = path.stat()
            if about.st_size > HASH_LIMIT_BYTES:
                return f"{about.st_size} bytes, changed {about.st_mtime_ns}"
            return f"sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}"
    return None
