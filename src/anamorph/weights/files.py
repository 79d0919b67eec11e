"""Files of weights: their places and verification."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from anamorph.errors import UsageError, did_you_mean
from anamorph.weights.known import KNOWN
from anamorph.weights.records import Weights

FOLDER_VARIABLE = "ANAMORPH_MODELS"

State: TypeAlias = Literal["missing", "verified", "unverifiable", "wrong"]


def models_folder() -> Path:
    """The folder that ANAMORPH_MODELS names, or one in the user's data folder; it need not exist."""
    import platformdirs

    named = os.environ.get(FOLDER_VARIABLE)
    return Path(named) if named else platformdirs.user_data_path("anamorph", appauthor=False) / "models"


def place_of(weights: Weights) -> Path:
    """The place of known weights, which need not exist."""
    return models_folder() / weights.file


def is_here(weights: Weights) -> bool:
    """Whether the place of known weights exists; `verification_of` checks the file."""
    place = place_of(weights)
    return place.is_dir() if weights.is_folder else place.is_file()


def remove_weights(weights: Weights) -> None:
    """Delete known weights from their place."""
    place = place_of(weights)
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink()


def weights_file(what: str, key: str, path: str | None, name: str, *, folder: bool = False) -> Path:
    """The file to use: `path`, which may be a known name, or else `name`; UsageError if it is missing.

    `what` needs the weights, such as "The inpainter 'migan'", and `key` is the setting for their path. `name` is that
    of known weights, or of a file in the folder of models. With `folder` the weights are a folder of files.
    """
    noun = "folder" if folder else "file"
    known = KNOWN.get(name if path is None else path)
    if known is not None:
        place = place_of(known)
        if known.is_folder != folder:
            raise UsageError(f"{what} needs a {noun} of weights, and {known.name} is not one. Correct {key}.")
        if not is_here(known):
            raise UsageError(
                f"{what} needs the weights {known.name}, but the {noun} {place} does not exist: "
                f"get them with `anamorph list models get {known.name}`, or set {key} to a {noun}."
            )
        return place
    place = models_folder() / name if path is None else Path(path)
    if not (place.is_dir() if folder else place.is_file()):
        how = f"Put it there, or set {key} to a {noun}." if path is None else _correct(key, path)
        raise UsageError(f"{what} needs weights, but the {noun} {place} does not exist. {how}")
    return place


def _correct(key: str, path: str) -> str:
    return f"Correct {key}: a path, or a name that `anamorph list models` shows.{did_you_mean(path, KNOWN)}"


def sha256_of(file: Path) -> str:
    """The digest of a file's content."""
    status = file.stat()
    return _sha256(str(file.absolute()), status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=64)
def _sha256(file: str, modified: int, size: int) -> str:
    with Path(file).open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


# --- verifying ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether known weights are in their place and intact."""

    weights: Weights
    place: Path
    state: State
    note: str = ""


def verification_of(weights: Weights) -> Verification:
    """Check the file of known weights; always reads it, since damage need not change its date."""
    place = place_of(weights)
    if not is_here(weights):
        return Verification(weights, place, "missing")
    if weights.sha256 is None:
        return Verification(weights, place, "unverifiable", "no sha256 of it is published")
    with place.open("rb") as content:
        sha256 = hashlib.file_digest(content, "sha256").hexdigest()
    if sha256 == weights.sha256:
        return Verification(weights, place, "verified")
    for other, note in weights.also:
        if sha256 == other:
            return Verification(weights, place, "verified", note)
    size = place.stat().st_size
    return Verification(weights, place, "wrong", f"sha256 {sha256[:12]}… of {size:,} bytes, not {weights.sha256[:12]}…")
