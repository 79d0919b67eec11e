"""Writing files into untrusted folders: never through a link, only to regular files."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias

from anamorph.errors import UsageError

# append: to the content. anew: replaces it. update: changes an existing file in place.
Purpose: TypeAlias = Literal["append", "anew", "update"]

_FLAGS: dict[Purpose, int] = {"append": os.O_CREAT | os.O_APPEND, "anew": os.O_CREAT, "update": 0}
# O_NONBLOCK: a FIFO must not block. Of these, Windows has only O_BINARY.
NO_LINK = 0
for _name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
    NO_LINK |= getattr(os, _name, 0)


def open_own(path: Path, purpose: Purpose, *, buffering: int = -1) -> BinaryIO:
    """Open a file for writing; UsageError unless it is a regular file and not a link, OSError as from `open`."""
    refuse_link(path)
    try:
        descriptor = os.open(path, os.O_RDWR | NO_LINK | _FLAGS[purpose], 0o666)
    except OSError as problem:
        if problem.errno == errno.ELOOP:
            raise _linked(path) from problem
        raise
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise UsageError(f"{path}: is not a regular file, so nothing is written to it.")
        if status.st_nlink > 1:
            raise UsageError(
                f"{path}: has another name (a hard link), whose content would change as well. Replace it with a copy."
            )
        if purpose == "anew":
            # Not on opening: a file that is refused must stay unchanged.
            os.ftruncate(descriptor, 0)
        return os.fdopen(descriptor, "a+b" if purpose == "append" else "r+b", buffering)
    except BaseException:
        os.close(descriptor)
        raise


def write_own(path: Path, content: bytes) -> None:
    """Replace a file's content, safely as in `open_own`."""
    with open_own(path, "anew") as file:
        file.write(content)


def write_all(file: int, content: bytes) -> None:
    """Write by descriptor: every system call releases the GIL, and `open` makes three more."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]


def sync_folder(folder: Path) -> None:
    """Make new names in a folder survive a power failure."""
    if os.name != "posix":
        return
    # Some file systems cannot, and some folders are writable but not readable.
    with contextlib.suppress(OSError):
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)


def refuse_link(path: Path) -> None:
    """UsageError for a link: its target is not ours to change."""
    if path.is_symlink():
        raise _linked(path)


def _linked(path: Path) -> UsageError:
    return UsageError(f"{path}: is a link, and nothing is written through links. Remove it, or name another file.")
