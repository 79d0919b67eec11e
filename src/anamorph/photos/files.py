"""Opening untrusted files: regular files only, and none larger than a limit."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from anamorph.errors import BadPicture, UsageError

# O_NONBLOCK: a FIFO swapped in after the check must not block. O_BINARY exists only on Windows.
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_LONGEST_SHOWN = 300


def shown(name: object) -> str:
    """A name for a one-line message: printable and bounded."""
    text = str(name)
    text = text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."
    return text if text.isprintable() else ascii(text)


def existing_folder(path: str, what: str) -> Path:
    """The folder at `path`; UsageError, with `what` it should hold, if there is none."""
    if not path:
        raise UsageError(f"The folder of {what} is an empty string; name a folder.")
    if "://" in path:
        raise UsageError(f"The folder of {what} must be on this machine, not an address: only photos are fetched.")
    try:
        if Path(path).is_dir():
            return Path(path)
        there = Path(path).exists()
    except (OSError, ValueError):
        there = False
    problem = "is not a folder" if there else "does not exist"
    raise UsageError(f"The folder of {what}, {shown(path)}, {problem}.")


def open_regular(path: Path, most_bytes: int | None = None) -> BinaryIO:
    """Open a regular file for reading; BadPicture for anything else, or if it is too large."""
    try:
        # Opening a device may have effects, so check before opening and, against a swap, again after.
        _insist_regular(path, path.stat().st_mode)
        file = os.fdopen(os.open(path, _READ), "rb")
    except (OSError, ValueError) as problem:
        raise BadPicture(f"{shown(path)} {_why_not(problem)}.") from problem
    try:
        status = os.fstat(file.fileno())
        _insist_regular(path, status.st_mode)
        if most_bytes is not None and status.st_size > most_bytes:
            raise BadPicture(f"{shown(path)} has {status.st_size:,} bytes, more than the limit of {most_bytes:,}.")
    except BaseException:
        file.close()
        raise
    return file


def is_there(path: Path) -> bool:
    """Whether anything is at `path`; True if unknown, so that opening it says why."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):
        return True
    return True


def read_text(path: Path, most_bytes: int | None = None) -> str:
    """The text of a UTF-8 file, with or without a byte order mark."""
    with open_regular(path, most_bytes) as file:
        content = file.read()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise BadPicture(f"{shown(path)} is not UTF-8 text (byte {problem.start}).") from problem


def read_json(path: Path, most_bytes: int | None = None, hook: Callable[[dict[str, Any]], Any] | None = None) -> Any:
    """The value of a JSON file; BadPicture names the line and the column where it is malformed."""
    text = read_text(path, most_bytes)
    try:
        return json.loads(text, object_hook=hook)
    except json.JSONDecodeError as problem:
        where = f"line {problem.lineno}, column {problem.colno}"
        raise BadPicture(f"{shown(path)} is not valid JSON at {where}: {problem.msg}.") from problem
    except (ValueError, RecursionError) as problem:
        raise BadPicture(f"{shown(path)} cannot be read as JSON: {problem}.") from problem


def read_document(
    path: Path, most_bytes: int | None = None, hook: Callable[[dict[str, Any]], Any] | None = None
) -> Any:
    """As `read_json`, for a file that a user names: a UsageError says what is wrong with it."""
    try:
        return read_json(path, most_bytes, hook)
    except BadPicture as problem:
        raise UsageError(str(problem)) from problem


def _insist_regular(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "a pipe, a socket or a device"
        raise BadPicture(f"{shown(path)} is {kind}, not a regular file.")


def _why_not(problem: Exception) -> str:
    if isinstance(problem, FileNotFoundError | NotADirectoryError):
        return "does not exist"
    if isinstance(problem, PermissionError):
        return "may not be read (permission denied)"
    return f"cannot be opened: {getattr(problem, 'strerror', None) or problem}"
