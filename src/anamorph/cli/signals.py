"""Being asked to stop: SIGTERM and a closed terminal (SIGHUP) end a command as Ctrl-C does, with 128 + n."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

_NAMES = ("SIGTERM", "SIGHUP")


class StoppedBySignal(KeyboardInterrupt):
    """The process was asked to stop."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def exit_code_of(stop: BaseException | None) -> int:
    """The exit code of a command that was stopped: 128 + the number of the signal."""
    return 128 + (stop.number if isinstance(stop, StoppedBySignal) else signal.SIGINT)


def stopped_by(stop: BaseException | None) -> str:
    """How a message begins that says so."""
    return f"Stopped by {signal.Signals(stop.number).name}." if isinstance(stop, StoppedBySignal) else "Stopped."


@contextlib.contextmanager
def heeded_signals() -> Iterator[None]:
    """Raise StoppedBySignal in the main thread; a signal that the caller has us ignore (nohup) stays ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[signal.Signals, Any] = {}
    for name in _NAMES:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, _stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    # Once is enough: what is there must be kept in peace. Ctrl-C and SIGKILL still end it at once.
    for name in _NAMES:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    if number == getattr(signal, "SIGHUP", None):
        _let_go_of_the_terminal()
    raise StoppedBySignal(number)


def hung_up(problem: OSError) -> bool:
    """Whether an error comes from writing to a terminal that is gone, which may be noticed before SIGHUP comes."""
    if problem.errno != errno.EIO:
        return False
    nowhere = Path(os.devnull).stat().st_rdev
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            found = os.fstat(descriptor)
            if stat.S_ISCHR(found.st_mode) and found.st_rdev != nowhere and not os.isatty(descriptor):
                return True
    return False


def hang_up() -> StoppedBySignal:
    """The interrupt that a closed terminal raises; nothing is written to the terminal any more."""
    _let_go_of_the_terminal()
    return StoppedBySignal(signal.SIGHUP)


def _let_go_of_the_terminal() -> None:
    """Send what would go to a terminal nowhere: it is gone, and writing to it would fail."""
    with contextlib.suppress(OSError):
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            with contextlib.suppress(OSError):
                if stat.S_ISCHR(os.fstat(descriptor).st_mode):
                    os.dup2(nowhere, descriptor)
