"""The shards of a data set: one file, or all of a folder."""

from __future__ import annotations

from pathlib import Path

from anamorph.errors import UsageError
from anamorph.model import Skip
from anamorph.photos.files import shown
from anamorph.photos.walks import files_under


def root_of(path: str) -> Path:
    """The folder that the names of shards are relative to."""
    return Path(path) if Path(path).is_dir() else Path(path).parent


def find_shards(path: str, suffix: str, what: str) -> tuple[list[str], list[Skip]]:
    """The shards at `path`, in a fixed order; UsageError, with `what` they are, if there is none."""
    try:
        if Path(path).is_dir():
            found, skips = files_under(Path(path), {suffix}, recursive=True)
            if not found:
                raise UsageError(f"The folder {shown(path)} has no {what}; they end in {suffix}.")
            return found, skips
        if path and Path(path).is_file():
            return [Path(path).name], []
    except (OSError, ValueError) as problem:
        raise UsageError(f"{shown(path)} cannot be used as a {what}: {shown(problem)}.") from problem
    raise UsageError(f"No {what}, and no folder of them, is at {shown(path) or 'an empty path'}.")
