"""The folder of a collection: its manifest, its images, and what was already searched for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

from anamorph.errors import BadRecord, UsageError
from anamorph.methods.atom.combinations import Combination
from anamorph.model import Skip, decode
from anamorph.scenes.collection.manifest import (
    IMAGE_FOLDER,
    MANIFEST_FILE,
    LineFile,
    ManifestLine,
    read_lines,
    read_manifest,
    write_image,
)
from anamorph.studies.collect.pictures import Taken

RECORD_FILE = "combinations.jsonl"
LOCK_FILE = "collect.lock"


@dataclass(frozen=True, slots=True)
class Kept:
    """A photo that was kept, remembered so that one that a reviewer removes does not come back."""

    place: str
    sha256: str
    perceptual_hash: str


@dataclass(frozen=True, slots=True)
class Search:
    """How the search for one combination went: how many photos it found, how many were added, why others were left out.

    `kept` are all that the combination had at the end, also from before. `settings` is the digest of all that the
    search depended on; `complete` is False where the search engine failed meanwhile.
    """

    labels: tuple[str, ...]
    settings: str
    searcher: str
    keywords: int
    found: int
    added: int
    kept: tuple[Kept, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    refused: int = 0
    complete: bool = True


class CollectionFolder:
    """An open collection; only one process at a time may add to it."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise UsageError(f"{folder}: cannot be created ({problem.strerror or problem}).") from problem
        if not (folder / MANIFEST_FILE).exists() and any(each.name != LOCK_FILE for each in folder.iterdir()):
            raise UsageError(f"{folder}: is not empty and holds no collection. Choose an empty or a new folder.")
        self.folder = folder
        self._lock = FileLock(folder / LOCK_FILE)
        try:
            self._lock.acquire(timeout=0)
        except Timeout as problem:
            raise UsageError(
                f"{folder}: another process is adding to this collection. Wait for it, or stop it."
            ) from problem
        self._manifest, self._records = LineFile(folder / MANIFEST_FILE), LineFile(folder / RECORD_FILE)
        contents = read_collection(folder)
        self.entries, self.searches, self.skips = contents.entries, contents.searches, contents.skips

    def __enter__(self) -> CollectionFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._manifest.close()
        self._records.close()
        self._lock.release()

    def add(self, entry: ManifestLine, taken: Taken) -> None:
        """Keep a photo for a combination: the image first, so that no line is without one."""
        write_image(self.folder, entry.image, taken.content)
        self._manifest.add(entry)
        self.entries.setdefault(entry.labels, []).append(entry)

    def finish(self, search: Search) -> None:
        self._records.add(search)
        self.searches.setdefault(search.labels, []).append(search)

    def is_done(self, combination: Combination, settings: str) -> bool:
        """Whether exactly this was searched for before."""
        return any(search.settings == settings for search in self.searches.get(combination, []))

    def reviewed_away(self, combination: Combination) -> list[Kept]:
        """Photos that were kept once and are gone now."""
        present = {entry.sha256 for entry in self.entries.get(combination, [])}
        kept = {each.sha256: each for search in self.searches.get(combination, []) for each in search.kept}
        return [each for sha256, each in kept.items() if sha256 not in present]


@dataclass(frozen=True, slots=True)
class CollectionContents:
    """A collection's content: entries whose image is there, and the searches, both by combination."""

    entries: dict[Combination, list[ManifestLine]]
    searches: dict[Combination, list[Search]]
    skips: list[Skip]


def read_collection(folder: Path) -> CollectionContents:
    """Everything in a collection, without a lock."""
    entries: dict[Combination, list[ManifestLine]] = {}
    skips: list[Skip] = []
    for entry in read_manifest(folder):
        if isinstance(entry, Skip):
            skips.append(entry)
        elif (folder / entry.image).is_file():
            entries.setdefault(entry.labels, []).append(entry)
    searches: dict[Combination, list[Search]] = {}
    for number, line in enumerate(read_lines(folder / RECORD_FILE), start=1):
        if not line.strip():
            continue
        try:
            search = decode(Search, json.loads(line))
            searches.setdefault(search.labels, []).append(search)
        except (ValueError, RecursionError, BadRecord) as problem:
            reason = f"It is not the record of a search: {problem}."
            skips.append(Skip(f"{folder / RECORD_FILE}, line {number}", reason))
    return CollectionContents(entries, searches, skips)


def image_name(taken: Taken) -> str:
    return f"{IMAGE_FOLDER}/{taken.sha256[:2]}/{taken.sha256}{taken.suffix}"
