"""Unexpected errors: one sentence for the user, and the traceback in a file for a bug report."""

from __future__ import annotations

import os
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

from anamorph import __version__
from anamorph.errors import UsageError
from anamorph.http.secrets import without_secrets
from anamorph.store.own_files import write_own
from anamorph.store.run import RUN_FILE

_run_folder: ContextVar[Path | None] = ContextVar("run_folder", default=None)


def note_run(folder: Path) -> None:
    """From now on, traces go into the folder of this run."""
    _run_folder.set(folder.absolute())


def crash_sentence(problem: BaseException) -> str:
    """The error, and the file with its traceback."""
    said = " ".join(str(problem).split())
    what = f"{type(problem).__name__}: {said[:300]}" if said else type(problem).__name__
    return f"Anamorph failed in a way that it should not ({without_secrets(what)}). {_trace_kept(problem)}"


def _trace_kept(problem: BaseException) -> str:
    trace = "".join(traceback.format_exception(problem))
    content = f"anamorph {__version__}\n\n{without_secrets(trace)}"
    for folder in _places():
        file = folder / time.strftime(f"error-%Y%m%d-%H%M%S-{os.getpid()}.txt")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_own(file, content.encode("utf-8", "backslashreplace"))
        except (OSError, UsageError):
            continue
        return f"The trace is in {file}."
    return f"Its trace could not be written to a file:\n{content}"


def _places() -> Iterator[Path]:
    import platformdirs

    run = _run_folder.get()
    if run is not None and (run / RUN_FILE).is_file():
        yield run
    yield platformdirs.user_cache_path("anamorph", appauthor=False, opinion=False) / "errors"
    yield Path(tempfile.gettempdir())
