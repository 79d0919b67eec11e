"""The manifest of a collection: one JSON line for each photo and label combination it was collected for."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anamorph.errors import BadPicture, BadRecord, UsageError
from anamorph.model import Skip, decode, encode
from anamorph.photos.files import open_regular, shown
from anamorph.store.own_files import open_own

MANIFEST_FILE = "manifest.jsonl"
IMAGE_FOLDER = "images"


@dataclass(frozen=True, slots=True)
class ManifestLine:
    """A photo collected for a label combination, with its source and the reason."""

    image: str
    labels: tuple[str, ...]
    caption: str
    captions: tuple[str, ...]
    query: str
    searcher: str
    origin: str
    page: str
    licence: str
    licence_url: str
    author: str
    sha256: str
    perceptual_hash: str
    width: int
    height: int
    bytes: int
    collected_at: str


def read_manifest(folder: Path) -> Iterator[ManifestLine | Skip]:
    """The lines in file order; a malformed one is a skip that names it."""
    for number, line in enumerate(read_lines(folder / MANIFEST_FILE), start=1):
        if not line.strip():
            continue
        try:
            entry = decode(ManifestLine, json.loads(line))
            if not entry.labels or tuple(sorted(set(entry.labels))) != entry.labels:
                raise BadRecord("labels", "must be a combination in alphabetical order")
            yield entry
        except (ValueError, RecursionError, BadRecord) as problem:
            yield Skip(f"{shown(folder / MANIFEST_FILE)}, line {number}", f"It is not a line of a manifest: {problem}.")


def read_lines(path: Path) -> list[bytes]:
    """The lines of a file; none if it does not exist."""
    if not path.exists():
        return []
    try:
        with open_regular(path) as file:
            return file.read().split(b"\n")
    except BadPicture as problem:
        raise UsageError(str(problem)) from problem


def write_image(folder: Path, name: str, content: bytes) -> None:
    """Write a file atomically."""
    path = folder / name
    if path.exists() and path.stat().st_size == len(content):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    with open_own(fresh, "anew") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


class LineFile:
    """An append-only JSON Lines file; a truncated last line is removed on opening."""

    def __init__(self, path: Path) -> None:
        _mend(path)
        self._file = open_own(path, "append")

    def add(self, record: Any) -> None:
        """Append a record; it is on disk when this returns."""
        self._file.write(json.dumps(encode(record), ensure_ascii=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


def _mend(path: Path) -> None:
    if not path.exists():
        return
    with open_own(path, "update") as file:
        content = file.read()
        whole, newline, rest = content.rpartition(b"\n")
        if not rest:
            return
        try:
            json.loads(rest)
        except (ValueError, RecursionError):
            file.truncate(len(whole) + len(newline))
        else:
            # An editor omitted the last newline.
            file.write(b"\n")
