"""A cache of segmentations across runs, so that a photo is segmented once."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from anamorph.errors import BadRecord, RunError
from anamorph.model import (
    Pixels,
    Segmentation,
    Stuff,
    Thing,
    canonical_json,
    decode,
    digest_of_bytes,
    digest_of_text,
    encode,
)
from anamorph.store.shelf import Shelf

FILE = "segmentations.sqlite"


class Texts(Protocol):
    """Strings by digest."""

    def get(self, key: bytes) -> str | None: ...

    def put(self, key: bytes, text: str) -> None: ...

    def close(self) -> None: ...


@dataclass(slots=True)
class SegmentationCache:
    """Segmentations by the digest of the pixels and the segmenter; safe to use from several threads."""

    shelf: Texts
    segmenter: str

    @classmethod
    def open(cls, path: Path, identity: Mapping[str, Any]) -> SegmentationCache:
        """Open or create a cache file for one segmenter; several runs may share it."""
        try:
            opened = Shelf.open(path, "segmentations", "things")
        except (OSError, sqlite3.Error) as problem:
            raise RunError(
                f"{path}: cannot store segmentations ({problem}). "
                "Set segmenting.cache to another file, or segmenting.remember to false."
            ) from problem
        return cls(opened, canonical_json(identity))

    def get(self, pixels: Pixels) -> Segmentation | None:
        """The segmentation of exactly these pixels, if it is cached."""
        kept = self.shelf.get(self._key(pixels))
        if kept is None:
            return None
        try:
            plain = json.loads(kept)
            # Without ground, a row is the list of objects.
            things, stuff = (plain, []) if isinstance(plain, list) else (plain["things"], plain["stuff"])
            return Segmentation(
                tuple(decode(Thing, each) for each in things), tuple(decode(Stuff, each) for each in stuff)
            )
        except (BadRecord, ValueError, KeyError, TypeError):
            # Another version may have written it differently; it will be replaced.
            return None

    def put(self, pixels: Pixels, found: Segmentation) -> None:
        """Keep a segmentation."""
        things = [encode(thing) for thing in found.things]
        plain = {"things": things, "stuff": [encode(each) for each in found.stuff]} if found.stuff else things
        self.shelf.put(self._key(pixels), canonical_json(plain))

    def close(self) -> None:
        self.shelf.close()

    def _key(self, pixels: Pixels) -> bytes:
        # By pixels, not by file, so that it works for every scene source, and photos may be moved or copied.
        seen = digest_of_bytes(np.ascontiguousarray(pixels).data)
        return bytes.fromhex(digest_of_text(canonical_json([list(pixels.shape), seen, self.segmenter])))
