"""A download lies beside the models, and becomes one of them only if its size and digest are right."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from filelock import FileLock

from anamorph.errors import FetchError

CHUNK = 1 << 20
_PREFIX = ".getting-"

# Called with the number of bytes so far.
Advance: TypeAlias = Callable[[int], None]


@contextmanager
def staging_folder(folder: Path) -> Iterator[Path]:
    """A temporary folder beside the models, always deleted.

    One process at a time fetches into a folder of models, so leftovers of a killed one are also deleted.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock"):
        for left in folder.glob(f"{_PREFIX}*"):
            shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=folder) as made:
            yield Path(made)


def save_verified(
    chunks: Iterable[bytes], staging: Path, place: Path, size: int, sha256: str, advance: Advance
) -> None:
    """Write chunks to a file in the staging folder, and move it to its place if verified, else FetchError."""
    file = staging / "arriving"
    digest, done = hashlib.sha256(), 0
    with file.open("wb") as target:
        for chunk in chunks:
            done += len(chunk)
            if done > size:
                raise FetchError(f"it is larger than the {size:,} bytes that it should have")
            digest.update(chunk)
            target.write(chunk)
            advance(done)
        target.flush()
        os.fsync(target.fileno())
    if done != size:
        raise FetchError(f"it has {done:,} bytes instead of {size:,}")
    if digest.hexdigest() != sha256:
        raise FetchError(f"its sha256 is {digest.hexdigest()} instead of {sha256}")
    # Temporary files are private; models get ordinary permissions.
    file.chmod(0o644)
    file.replace(place)
