"""A pool of cut-outs on disk: a folder of PNG files and a list that says what each one is."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import math
import os
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from anamorph.errors import BadPicture, BadRecord, UsageError
from anamorph.model import (
    Avoid,
    Box,
    Cutout,
    Edit,
    Hole,
    Picture,
    Pixels,
    Region,
    Scene,
    Thing,
    decode,
    digest_of_text,
    encode,
)
from anamorph.model.scene import DRAWING, MEDIUM
from anamorph.pixels.masks import mask_from_pixels
from anamorph.store.own_files import write_own

LIST_FILE = "pool.json"
_FORMAT = 1
_ID_DIGITS = 16
# File systems allow 255 bytes in a name, and a class may be called anything.
_LONGEST_SLUG = 200
_IN_MEMORY = 64


@dataclass(frozen=True, slots=True)
class PoolEntry:
    """One cut-out of a pool: what it shows, where it came from, and its file's digest.

    `light` is that of its photo, see `anamorph.pixels.matching`; `score` is how surely a recogniser saw what it shows,
    and `seen` how surely it does on photos: scores by size, as a share of a picture's longer side, the largest first.
    One that somebody has struck out is not inserted any more, but stays for the runs that have it.
    """

    id: str
    label: str
    file: str
    sha256: str
    width: int
    height: int
    scene: str
    thing: str
    licence: str = ""
    attributes: tuple[str, ...] = ()
    origin: Mapping[str, str] | None = None
    light: tuple[float, ...] = ()
    score: float | None = None
    seen: tuple[tuple[float, float], ...] = ()
    struck: bool = False

    @property
    def is_drawn(self) -> bool:
        """Whether it was cut out of a drawing, where every object is whole."""
        return (self.origin or {}).get(MEDIUM) == DRAWING

    def seen_from(self, score: float) -> float:
        """The smallest size at which it is seen this surely, as at all larger ones; more than 1 where it never is.

        One that nobody measured is taken to be seen at any size.
        """
        sure = list(itertools.takewhile(lambda look: look[1] >= score, self.seen))
        return (sure[-1][0] if sure else math.inf) if self.seen else 0.0


@dataclass(frozen=True, slots=True)
class _PoolFile:
    format: int
    cutouts: tuple[PoolEntry, ...]
    rejected: Mapping[str, int]
    accepted: bool = False


@dataclass(frozen=True, slots=True)
class Pool:
    """An opened pool; `rejected` counts, by reason, what was not taken into it, and `struck` was struck out since.

    Of one that is `accepted`, by a person who looked at it or by its rules, all may be inserted, recognised or not.
    """

    folder: Path
    entries: tuple[PoolEntry, ...]
    rejected: Mapping[str, int]
    struck: tuple[PoolEntry, ...] = ()
    accepted: bool = False
    _by_id: dict[str, PoolEntry] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_id", {entry.id: entry for entry in (*self.entries, *self.struck)})

    @classmethod
    def open(cls, folder: Path) -> Pool:
        """Read a pool's list; the cut-outs themselves are read when they are used."""
        path = folder / LIST_FILE
        try:
            stored = decode(_PoolFile, json.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError as problem:
            raise UsageError(f"{folder}: no pool of cut-outs here (there is no {LIST_FILE} in it).") from problem
        except OSError as problem:
            raise UsageError(f"{path}: cannot be read ({problem.strerror or problem}).") from problem
        except (ValueError, RecursionError) as problem:
            raise UsageError(f"{path}: not valid JSON ({problem}).") from problem
        except BadRecord as problem:
            raise UsageError(f"{path}: {problem}") from problem
        if stored.format != _FORMAT:
            raise UsageError(f"{path}: is of format {stored.format}, but this Anamorph reads format {_FORMAT}.")
        kept = tuple(entry for entry in stored.cutouts if not entry.struck)
        struck = tuple(entry for entry in stored.cutouts if entry.struck)
        return cls(folder, kept, stored.rejected, struck, stored.accepted)

    @property
    def believed(self) -> tuple[PoolEntry, ...]:
        """The cut-outs that may be shown in photos: recognised ones, drawn ones, or all of an accepted pool."""
        if self.accepted:
            return self.entries
        return tuple(entry for entry in self.entries if entry.score is not None or entry.is_drawn)

    def with_struck(self, strike: Iterable[str], restore: Iterable[str] = ()) -> Pool:
        """The pool as a person reviewed it, written anew: these struck out, those taken back; KeyError for an unknown
        id."""
        changed = {**dict.fromkeys(strike, True), **dict.fromkeys(restore, False)}
        entries = {**self._by_id, **{id: replace(self.entry(id), struck=struck) for id, struck in changed.items()}}
        write_list(self.folder, entries.values(), self.rejected, accepted=True)
        return Pool.open(self.folder)

    def labels(self) -> dict[str, int]:
        """How many cut-outs there are of each class, by name."""
        counts: dict[str, int] = {}
        for entry in sorted(self.entries, key=lambda entry: entry.label):
            counts[entry.label] = counts.get(entry.label, 0) + 1
        return counts

    def entry(self, id: str) -> PoolEntry:
        """The entry with this id; KeyError if there is none."""
        return self._by_id[id]

    def cutout(self, id: str) -> Cutout:
        """The cut-out with this id, checked against its digest; KeyError if there is none."""
        entry = self.entry(id)
        path = self.folder / entry.file
        if path.parent != self.folder:
            raise UsageError(f"{self.folder / LIST_FILE}: the file {entry.file!r} is not in the pool's own folder.")
        try:
            content = path.read_bytes()
        except OSError as problem:
            raise UsageError(f"{path}: cannot be read ({problem.strerror or problem}).") from problem
        sha256 = hashlib.sha256(content).hexdigest()
        if sha256 != entry.sha256 or id != cutout_id(entry.label, sha256):
            raise UsageError(f"{path}: changed since the pool was built; build the pool again.")
        rgba = _decoded(content)
        if rgba is None:
            raise UsageError(f"{path}: not a PNG file with alpha.")
        return Cutout(rgba, _thing(entry, rgba), entry.light)


@dataclass(frozen=True, slots=True)
class JoinedPools:
    """Several pools as one, with the cut-outs that were used last in memory; safe to use from several threads."""

    pools: tuple[Pool, ...] = ()
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)
    _recent: dict[str, Cutout] = field(default_factory=dict, init=False, repr=False, compare=False)

    def cutout(self, id: str) -> Cutout:
        """The cut-out with this id; BadPicture, naming the pools, if none of them has it."""
        with self._lock:
            if id not in self._recent:
                while len(self._recent) >= _IN_MEMORY:
                    del self._recent[next(iter(self._recent))]
                self._recent[id] = self._read(id)
            return self._recent[id]

    def entry(self, id: str) -> PoolEntry:
        """What the pool that has it knows of a cut-out; KeyError if none has it."""
        for pool in self.pools:
            with contextlib.suppress(KeyError):
                return pool.entry(id)
        raise KeyError(id)

    def _read(self, id: str) -> Cutout:
        for pool in self.pools:
            try:
                return pool.cutout(id)
            except KeyError:
                continue
        where = ", ".join(str(pool.folder) for pool in self.pools) or "none is configured (pools = [...])"
        raise BadPicture(f"There is no cut-out {id!r} in the pools of this run: {where}.")


@dataclass(frozen=True, slots=True)
class SketchStudio:
    """A studio that makes nothing up, for working out where things are after edits, whatever the pixels are."""

    pools: JoinedPools = field(default_factory=JoinedPools)

    def inpaint(self, name: str, pixels: Pixels, hole: Hole, avoid: Avoid | None = None) -> Pixels:
        return pixels

    def cutout(self, id: str) -> Cutout:
        return self.pools.cutout(id)

    def paint(self, name: str, regions: Sequence[Region], height: int, width: int, prompt: str, seed: int) -> Pixels:
        return np.zeros((height, width, 3), np.uint8)

    def sketch(self, scene: Scene, edits: Iterable[Edit]) -> Picture:
        """A scene after edits: its things are where they are then, and its pixels mean nothing."""
        picture = Picture(np.zeros((scene.height, scene.width, 3), np.uint8), scene.things, self)
        for edit in edits:
            picture = edit.apply(picture)
        return picture


def cutout_id(label: str, sha256: str) -> str:
    """The id follows from the class and the file's content, so one id can never mean two cut-outs."""
    slug = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")[:_LONGEST_SLUG] or "thing"
    return f"{slug}-{digest_of_text(f'{label}:{sha256}')[:_ID_DIGITS]}"


def write_cutout(folder: Path, rgba: Pixels, label: str) -> tuple[str, str, str]:
    """Keep a cut-out's pixels as a PNG file; gives its id, the file's name and its digest."""
    done, encoded = cv2.imencode(".png", cv2.cvtColor(rgba, cv2.COLOR_RGBA2BGRA))
    if not done:
        raise UsageError(f"{folder}: a cut-out of {rgba.shape[1]} x {rgba.shape[0]} cannot be written as PNG.")
    content = encoded.tobytes()
    sha256 = hashlib.sha256(content).hexdigest()
    id = cutout_id(label, sha256)
    write_own(folder / f"{id}.png", content)
    return id, f"{id}.png", sha256


def write_list(
    folder: Path, entries: Iterable[PoolEntry], rejected: Mapping[str, int], *, accepted: bool = False
) -> None:
    """Write the pool's list; it appears whole or not at all."""
    ordered = tuple(sorted(entries, key=lambda entry: (entry.label, entry.id)))
    plain: dict[str, Any] = encode(_PoolFile(_FORMAT, ordered, dict(sorted(rejected.items())), accepted))
    draft = folder / f".{LIST_FILE}.{os.getpid()}"
    write_own(draft, (json.dumps(plain, indent=1, ensure_ascii=False) + "\n").encode())
    draft.replace(folder / LIST_FILE)


def _decoded(content: bytes) -> Pixels | None:
    image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_UNCHANGED)
    if image is None or image.ndim != 3 or image.shape[2] != 4 or image.dtype != np.uint8:
        return None
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGRA2RGBA), np.uint8)


def _thing(entry: PoolEntry, rgba: Pixels) -> Thing:
    height, width = rgba.shape[:2]
    mask = mask_from_pixels(rgba[..., 3] >= 128)
    return Thing(entry.id, entry.label, Box(0, 0, width, height), mask, attributes=entry.attributes)
