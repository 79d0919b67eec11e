"""Weights in files: where they are, and what they are."""

from __future__ import annotations

import functools
import hashlib
import os
from pathlib import Path

from anamorph.errors import UsageError

FOLDER_VARIABLE = "ANAMORPH_MODELS"


def weights_file(what: str, key: str, path: str | None, name: str) -> Path:
    """The file to use: `path` if it is given, else `name` in the folder of models; UsageError where it is missing.

    `what` needs the weights, such as "The inpainter 'migan'", and `key` is the setting that may hold their path.
    """
    folder = os.environ.get(FOLDER_VARIABLE)
    if path is not None:
        file = Path(path)
        how = f"Correct {key}."
    elif folder:
        file = Path(folder) / name
        how = f"Put it there ({FOLDER_VARIABLE} names this folder), or set {key}."
    else:
        raise UsageError(
            f"{what} needs the weights {name}: set {key} to the file, "
            f"or {FOLDER_VARIABLE} in the environment to the folder that it is in."
        )
    if not file.is_file():
        raise UsageError(f"{what} needs weights, but there is no file {file}. {how}")
    return file


def sha256_of(file: Path) -> str:
    """The digest of a file's content."""
    status = file.stat()
    return _sha256(str(file.absolute()), status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=64)
def _sha256(file: str, modified: int, size: int) -> str:
    with Path(file).open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
