"""Every error Anamorph raises on purpose, and the exit code each one ends in.

AnamorphError
├── UsageError                 exit 2: the command, the configuration or a file is wrong
│   ├── UnknownName            a name that is not in the catalog
│   ├── BadRecord              data that does not fit a record or its settings
│   ├── MissingExtra           an optional library is not installed
│   ├── RunError               a run folder that cannot be used
│   └── NotTrusted             a run of someone else names something that is not loaded, started or read for it
├── SystemDown                 exit 3: the system under test clearly does not work
├── MachineFailed              exit 3: this machine does not do what a run needs, which says nothing about the system
├── FetchError                 exit 3: weights or photos could not be fetched, or weights are not what they should be
├── TrackingFailed             exit 3: a run could not be logged to an experiment tracker
├── BadPicture                 one image cannot be used; it is skipped and counted
└── AskError                   one call to the system failed
    ├── Transient              worth another try, perhaps after `retry_after_seconds`
    │   └── Lost               unknown whether the system was asked: the worker died
    └── Refused                the system will not answer this; another try is pointless

A run that ends without an error has the exit code of its gate (`engine/gate.py`): 0 passed, 1 violations over the
limit, 3 no call was answered, 4 inconclusive. 130 is Ctrl-C.
"""

from __future__ import annotations

import difflib
import errno
from collections.abc import Iterable
from dataclasses import dataclass


class AnamorphError(Exception):
    """The root of all errors that Anamorph raises on purpose."""

    exit_code = 3


class UsageError(AnamorphError):
    """The command, the configuration or a file is wrong."""

    exit_code = 2


class UnknownName(UsageError):
    """A name that is not among the known ones."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        shown = repr(name) if len(name) <= 60 else f"{name[:57]!r}..."
        super().__init__(f"Unknown {what} {shown}.{did_you_mean(name, names)} Known: {', '.join(names) or 'none'}.")


class BadRecord(UsageError):
    """Data that does not fit a record; `path` says where in it."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}" if path else problem)
        self.path = path
        self.problem = problem


class MissingExtra(UsageError):
    """An optional library is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional library. Install it with: pip install 'anamorph[{extra}]'")


class RunError(UsageError):
    """A run folder that cannot be used as asked."""


class NotTrusted(UsageError):
    """Something named by a run of someone else, and therefore not loaded, started or read."""


class SystemDown(AnamorphError):
    """The system under test clearly does not work, so asking further is pointless."""


class MachineFailed(AnamorphError):
    """This machine does not do what a run needs: no memory, a full disk, no more files, or the run's folder is gone."""


class TrackingFailed(AnamorphError):
    """A run that could not be logged to an experiment tracker; the run itself is kept."""


class FetchError(AnamorphError):
    """Weights or a folder of photos that could not be fetched, or weights that are not what they should be."""


class BadPicture(AnamorphError):
    """One image that cannot be used."""


class AskError(AnamorphError):
    """One call to the system under test failed."""


class Transient(AskError):
    """A failed call that is worth another try."""

    def __init__(self, message: str, retry_after_seconds: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class Lost(Transient):
    """A call that may have been made and paid for, whose answer was lost with its worker."""

    def __init__(self, message: str) -> None:
        # Not the system's fault: other workers go on at once.
        super().__init__(message, 0.0)


class Refused(AskError):
    """A call that would fail the same way again."""


# No file can be opened or written anymore.
_MORE_FILES = " (raise the limit, see `ulimit -n`)"
_LASTING = {errno.EMFILE: _MORE_FILES, errno.ENFILE: _MORE_FILES, errno.ENOSPC: "", errno.EDQUOT: ""}
_LONGEST_CHAIN = 20
# OpenCV's error code for lack of memory.
_CV2_NO_MEMORY = -4


@dataclass(frozen=True, slots=True)
class MachineFault:
    """A fault of this machine: the message, and whether it will hit every other call."""

    message: str
    lasts: bool


def machine_fault(problem: BaseException) -> MachineFault | None:
    """The machine fault behind an error, if any: no memory, no file, a full disk."""
    cause: BaseException | None = problem
    for _ in range(_LONGEST_CHAIN):
        if cause is None:
            return None
        if isinstance(cause, OSError) and cause.errno in _LASTING:
            said = f"The machine failed, and not the system: {cause.strerror}{_LASTING[cause.errno]}"
            return MachineFault(said, lasts=True)
        if _has_no_memory(cause):
            return MachineFault("The machine failed, and not the system: it has no memory left", lasts=False)
        cause = cause.__cause__ or cause.__context__
    return None


def _has_no_memory(problem: BaseException) -> bool:
    match problem:
        case MemoryError() | OSError(errno=errno.ENOMEM):
            return True
        case ImportError() | RuntimeError():
            # Of a library that cannot be loaded, and of a thread: neither has its own type.
            return str(problem).endswith(("failed to map segment from shared object", "can't start new thread"))
        case _:
            return type(problem).__module__ == "cv2" and getattr(problem, "code", None) == _CV2_NO_MEMORY


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """' Did you mean X?' if X is close enough to `name`, else an empty string."""
    names = list(known)
    close = difflib.get_close_matches(name[:60], names, n=1, cutoff=0.6)
    close = close or [each for each in names if len(name) > 2 and each.startswith(name)]
    return f" Did you mean {close[0]!r}?" if close else ""
