"""A child process that exchanges lines, with a bound on every wait and buffer.

All three pipes are served without blocking by whoever is waiting for lines, so a full pipe stops neither side, no
thread is left behind in a read, and a pipe that a stray grandchild holds open blocks no other thread.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from typing import IO

from anamorph.systems.replies.answers import LINE_LIMIT_BYTES

STDERR_TAIL_BYTES = 4096

_CHUNK_BYTES = 1 << 16
# A dead process whose child holds the pipes open yields no EOF, so its death is polled.
_LOOK_SECONDS = 0.1
_KILL_SECONDS = 5.0
_DRAIN_SECONDS = 1.0


class Ended(Exception):
    """The process has ended or closed its output: no more lines can come."""


class LineProcess:
    """A running program that exchanges lines."""

    def __init__(self, argv: Sequence[str]) -> None:
        # A Python program that forgets to flush would otherwise buffer its answers.
        environment = {"PYTHONUNBUFFERED": "1", **os.environ}
        # A new session, so that the whole group can be killed and Ctrl-C reaches it only through us.
        self._child = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            close_fds=True,
            start_new_session=True,
            env=environment,
        )
        self.has_answered = False
        self._signal_lock = threading.Lock()
        self._being_reaped = False
        self._outgoing = memoryview(b"")
        self._lines: list[bytes] = []
        self._splitter = LineSplitter()
        self._tail = bytearray()
        self._output_open = True
        self._bytes_read = 0
        self._stdin, self._stdout, self._stderr = _pipes(self._child)
        self._selector = selectors.PollSelector()
        self._selector.register(self._stdout, selectors.EVENT_READ, self._read_output)
        self._selector.register(self._stderr, selectors.EVENT_READ, self._read_errors)

    # --- talking ----------------------------------------------------------------------------------------------------

    def send(self, lines: bytes) -> None:
        """Queue lines; they are written while `receive` waits."""
        self._outgoing = memoryview(bytes(self._outgoing) + lines)
        if self._outgoing and not self._stdin.closed and self._stdin not in self._selector.get_map():
            self._selector.register(self._stdin, selectors.EVENT_WRITE, self._write)

    def receive(self, deadline: float) -> list[bytes]:
        """The lines received, at least one; none once the monotonic clock passes `deadline`."""
        while not self._lines:
            if not self._output_open:
                raise Ended
            left = deadline - time.monotonic()
            if left <= 0:
                return []
            # Checked before reading: the output of an ended process is then already in the pipe.
            exited = self.has_exited()
            if not self._pump(0 if exited else min(left, _LOOK_SECONDS)) and exited:
                self._output_open = False
                self._lines += self._splitter.rest()
        lines, self._lines = self._lines, []
        return lines

    def is_ready(self) -> bool:
        """Whether the process can take another batch; drops its output since the last one."""
        deadline = time.monotonic() + _DRAIN_SECONDS
        while self._pump(0) and time.monotonic() < deadline:
            self._lines.clear()
        self._lines.clear()
        return self._output_open and not self.has_exited()

    @property
    def is_killed(self) -> bool:
        """Whether `kill` was called, after which nothing else may be."""
        return self._being_reaped

    @property
    def last_words(self) -> str:
        """The end of its stderr."""
        return bytes(self._tail).decode("utf-8", "replace").strip()

    # --- ending -----------------------------------------------------------------------------------------------------

    def has_exited(self) -> bool:
        """Whether it has ended; leaves it unreaped, so that its pid is not reused."""
        if self._child.returncode is not None:
            return True
        if not hasattr(os, "waitid"):
            return self._child.poll() is not None
        try:
            return os.waitid(os.P_PID, self._child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    def wait(self, seconds: float) -> bool:
        """Serve the pipes until the process has ended, for at most `seconds`."""
        deadline = time.monotonic() + seconds
        exited = False
        while not (exited := self.has_exited()) and (left := deadline - time.monotonic()) > 0:
            # With both pipes closed, `select` only sleeps.
            self._pump(min(left, 0.01))
        while self._pump(0) and time.monotonic() < deadline:
            pass
        self._lines.clear()
        return exited

    def close_input(self) -> None:
        """Close the program's stdin."""
        self._forget(self._stdin)

    def signal_group(self, number: int) -> None:
        """Send a signal to the program and its children."""
        with self._signal_lock:
            # Once the leader is reaped, its id may belong to another process.
            if not self._being_reaped:
                self._signal(number)

    def kill(self) -> int | None:
        """Kill the whole group, reap the process and close the pipes; returns the exit status."""
        with self._signal_lock:
            if not self._being_reaped:
                self._signal(signal.SIGKILL)
            self._being_reaped = True
        # A process stuck in the kernel is reaped later by the interpreter.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(_KILL_SECONDS)
        for pipe in (self._stdin, self._stdout, self._stderr):
            self._forget(pipe)
        self._selector.close()
        return self._child.returncode

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, number)

    # --- the pipes --------------------------------------------------------------------------------------------------

    def _pump(self, seconds: float) -> bool:
        """Serve the pipes once; returns whether something was read."""
        before = self._bytes_read
        for key, _ in self._selector.select(seconds):
            key.data()
        return self._bytes_read > before

    def _write(self) -> None:
        try:
            written = os.write(self._stdin.fileno(), self._outgoing[:_CHUNK_BYTES])
        except BlockingIOError:
            return
        except OSError:
            # It no longer reads, but may still answer.
            self._outgoing = memoryview(b"")
            self._forget(self._stdin)
            return
        self._outgoing = self._outgoing[written:]
        if not self._outgoing:
            self._selector.unregister(self._stdin)

    def _read_output(self) -> None:
        chunk = self._read(self._stdout)
        if chunk:
            self._lines += self._splitter.feed(chunk)
        elif chunk == b"":
            self._output_open = False
            self._lines += self._splitter.rest()

    def _read_errors(self) -> None:
        chunk = self._read(self._stderr)
        if chunk:
            self._tail += chunk
            del self._tail[:-STDERR_TAIL_BYTES]

    def _read(self, pipe: IO[bytes]) -> bytes | None:
        try:
            chunk = os.read(pipe.fileno(), _CHUNK_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            chunk = b""
        self._bytes_read += len(chunk)
        if not chunk:
            self._forget(pipe)
        return chunk

    def _forget(self, pipe: IO[bytes]) -> None:
        if not pipe.closed:
            with contextlib.suppress(KeyError):
                self._selector.unregister(pipe)
            pipe.close()


class LineSplitter:
    """Bytes in, whole lines out; lines beyond the limit are truncated."""

    _KEPT_BYTES = 200

    def __init__(self, limit_bytes: int = LINE_LIMIT_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._part = bytearray()
        self._too_long = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that this chunk completes."""
        *complete, rest = chunk.split(b"\n")
        lines = []
        for piece in complete:
            self._add(piece)
            lines.append(self._take())
        self._add(rest)
        return lines

    def rest(self) -> list[bytes]:
        """The last line, if it has no end of line."""
        return [self._take()] if self._part else []

    def _add(self, piece: bytes) -> None:
        if self._too_long:
            return
        self._part += piece
        if len(self._part) > self._limit_bytes:
            del self._part[self._KEPT_BYTES :]
            # The mark also keeps a truncated line from being taken for an answer.
            self._part += f"... (a line of more than {self._limit_bytes} bytes)".encode()
            self._too_long = True

    def _take(self) -> bytes:
        line = bytes(self._part)
        self._part.clear()
        self._too_long = False
        return line


def _pipes(child: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    assert child.stdin and child.stdout and child.stderr
    for pipe in (child.stdin, child.stdout, child.stderr):
        os.set_blocking(pipe.fileno(), False)
    return child.stdin, child.stdout, child.stderr
