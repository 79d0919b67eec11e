"""A folder of results appears whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from anamorph.errors import UsageError
from anamorph.report.record import FORMAT

if sys.platform != "win32":
    import fcntl

_LITTER = (".DS_Store", "Thumbs.db", "desktop.ini")
_STALE_SECONDS = 24 * 3600
# A writer claims a folder right after it made it.
_CLAIM_SECONDS = 60


@dataclass(frozen=True, slots=True)
class FolderKind:
    """A kind of folder that may be replaced: all that it may hold, and the file by whose beginning it is recognised."""

    noun: str
    contents: tuple[str, ...]
    mark: str
    format: str


REPORT = FolderKind(
    "report",
    (
        *("assets", "data", "figures", "images", "index.html", "issues.csv", "junit.xml", "leads.csv"),
        *("report.json", "report.schema.json", "tables", "thumbnails"),
    ),
    "report.json",
    FORMAT,
)


@contextmanager
def new_folder(out: Path, kind: FolderKind | None = None) -> Iterator[Path]:
    """A folder beside `out` to write into; it takes the place of `out` if all goes well, and vanishes otherwise.

    `out` is new, empty, or an earlier folder of the same kind.
    """
    target = out.resolve()
    _check_replaceable(target, out, kind)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target)
        draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.partial")
        draft.mkdir()
    except OSError as problem:
        raise UsageError(f"{out}: cannot be written there ({problem.strerror or problem}).") from problem
    try:
        with _claimed(draft):
            yield draft
            _swap(draft, target)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def _check_replaceable(target: Path, out: Path, kind: FolderKind | None) -> None:
    """Only an earlier folder of the same kind, or nothing, is ever replaced."""
    if not target.exists():
        return
    if not target.is_dir():
        raise UsageError(f"{out}: is a file, and a folder is to be written. Choose another --out.")
    names = {entry.name for entry in target.iterdir()} - set(_LITTER)
    if not names:
        return
    if kind is None:
        raise UsageError(f"{out}: the folder is not empty. Choose another --out.")
    if not _is_of_kind(target, kind):
        raise UsageError(f"{out}: the folder is not empty and holds no {kind.noun}. Choose another --out.")
    stray = sorted(names - set(kind.contents))
    if stray:
        raise UsageError(
            f"{out}: holds {stray[0]!r}, which is not part of a {kind.noun} and would be lost. "
            "Move it away, or choose another --out."
        )


def _is_of_kind(folder: Path, kind: FolderKind) -> bool:
    # Opening a FIFO would not end.
    if not (folder / kind.mark).is_file():
        return False
    try:
        with (folder / kind.mark).open("rb") as stream:
            return stream.read(64).startswith(f'{{"format":"{kind.format}"'.encode())
    except OSError:
        return False


def _swap(draft: Path, target: Path) -> None:
    if not target.exists():
        draft.rename(target)
        return
    retired = draft.with_suffix(".retired")
    with _claimed(target):
        target.rename(retired)
        try:
            draft.rename(target)
        except OSError:
            retired.rename(target)
            raise
        shutil.rmtree(retired, ignore_errors=True)


def _sweep(target: Path) -> None:
    """Remove what killed writers left behind."""
    for pattern in ("partial", "retired"):
        for left in target.parent.glob(f".{_literal(target.name)}.????????.{pattern}"):
            with contextlib.suppress(OSError):
                age = time.time() - left.stat().st_mtime
                if age > _STALE_SECONDS or (age > _CLAIM_SECONDS and _is_abandoned(left)):
                    shutil.rmtree(left)


@contextmanager
def _claimed(folder: Path) -> Iterator[None]:
    """Hold a lock on a folder, which ends with the process however that ends; nothing where there are no such locks."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            _try_lock(stack, folder)
        yield


def _is_abandoned(folder: Path) -> bool:
    """Whether the process that wrote this folder is gone; False where that cannot be known."""
    with contextlib.ExitStack() as stack:
        try:
            return _try_lock(stack, folder)
        except OSError:
            return False


def _try_lock(stack: contextlib.ExitStack, folder: Path) -> bool:
    """Lock a folder until the stack is left; False where there are no such locks, OSError where another has it."""
    if sys.platform == "win32":
        return False
    descriptor = os.open(folder, os.O_RDONLY)
    stack.callback(os.close, descriptor)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return True


def _literal(name: str) -> str:
    return "".join(f"[{character}]" if character in "*?[" else character for character in name)
