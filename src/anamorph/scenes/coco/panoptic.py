"""The ground of photos, such as sky, grass and road, from COCO's panoptic files.

Format: https://cocodataset.org/#format-data, section 4. A pixel of a PNG has the id R + 256 G + 65536 B of a segment,
and 0 for pixels without a label; a JSON file says of which category each segment is.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Skip, Stuff
from anamorph.photos.decoding import Limits, inside, read_ids
from anamorph.photos.entries import Flaw, identity, required, table, words
from anamorph.photos.files import existing_folder, read_document, shown
from anamorph.photos.outlines import Size
from anamorph.photos.scene_limits import MOST_PIXELS, TOO_MANY_PIXELS, TooMuch, check_object_count
from anamorph.pixels.masks import mask_from_pixels

_MOST_IDS = 256**3


@dataclass(frozen=True, slots=True)
class PanopticMaps:
    """The panoptic PNGs of a folder, and their JSON file."""

    file: str
    folder: Path
    entries: Mapping[str, Mapping[str, Any]]
    names: Mapping[str, str]
    limits: Limits

    @classmethod
    def open(cls, file: str, folder: str | None, limits: Limits) -> tuple[PanopticMaps, list[Skip]]:
        """Read the JSON file; by default, the PNGs are in the folder of its name beside it, as published."""
        document = read_document(Path(file), hook=_compact)
        lists = [document.get(key) if isinstance(document, dict) else None for key in ("annotations", "categories")]
        if not all(isinstance(each, list) for each in lists):
            raise UsageError(
                f"{shown(file)} is not a panoptic COCO file: it has no lists 'annotations' and 'categories'."
            )
        root = existing_folder(folder or file.removesuffix(".json"), "panoptic PNGs")
        skips: list[Skip] = []
        entries = dict(_kept(lists[0] or [], "annotations", "image_id", file, skips))
        grounds = dict(_kept(lists[1] or [], "categories", "id", file, skips))
        names: dict[str, str] = {}
        for id_, entry in grounds.items():
            try:
                if entry.get("isthing") not in (0, 1):
                    raise Flaw(f"'isthing' should be 0 or 1, not {shown(repr(entry.get('isthing')))}.")
                if not entry["isthing"]:
                    names[id_] = words(required(entry, "name"), "name")
            except Flaw as flaw:
                skips.append(Skip(shown(f"{file}: category {id_}"), str(flaw)))
        return cls(file, root, entries, names, limits), skips

    def stuff(self, image: str, size: Size) -> tuple[Stuff, ...]:
        """The ground of one photo, each class once; Flaw or BadPicture if it cannot be used."""
        entry = self.entries.get(image)
        if entry is None:
            return ()
        segments = required(entry, "segments_info")
        if not isinstance(segments, list):
            raise Flaw("'segments_info' should be a list.")
        check_object_count(len(segments))
        by_name = self._segments(segments)
        if not by_name:
            return ()
        if len(by_name) * size[0] * size[1] > MOST_PIXELS:
            raise TooMuch(TOO_MANY_PIXELS)
        path = inside(self.folder, posixpath.normpath(words(required(entry, "file_name"), "file_name")))
        ids = read_ids(path, self.limits)
        if ids.shape != (size[1], size[0]):
            stated = f"{ids.shape[1]} x {ids.shape[0]}"
            raise BadPicture(f"{shown(path)} is {stated}, but the photo is {size[0]} x {size[1]} when upright.")
        shapes = ((name, np.isin(ids, some)) for name, some in by_name.items())
        return tuple(Stuff(name, mask_from_pixels(shape)) for name, shape in shapes if shape.any())

    def _segments(self, segments: Sequence[Any]) -> dict[str, list[int]]:
        """The ids of ground segments, by category name."""
        found: dict[str, list[int]] = {}
        for each in segments:
            segment = table(each, "A segment")
            name, number = self.names.get(identity(segment, "category_id")), required(segment, "id")
            if isinstance(number, bool) or not isinstance(number, int) or not 0 < number < _MOST_IDS:
                raise Flaw(f"The 'id' of a segment should be from 1 to {_MOST_IDS - 1}, not {shown(repr(number))}.")
            if name is not None:
                found.setdefault(name, []).append(number)
        return found


def _kept(
    notes: Sequence[Any], key: str, id_key: str, file: str, skips: list[Skip]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The usable entries of a list by id; of duplicates, the first."""
    seen: set[str] = set()
    for position, note in enumerate(notes):
        try:
            id_ = identity(table(note, "An entry"), id_key)
            if id_ in seen:
                raise Flaw(f"Another entry before it has the same {id_key}.")
        except Flaw as flaw:
            skips.append(Skip(shown(f"{file}: {key}[{position}]"), str(flaw)))
            continue
        seen.add(id_)
        yield id_, note


def _compact(entry: dict[str, Any]) -> dict[str, Any]:
    """Shrink segments during parsing: of a million, only two numbers each are needed."""
    if "category_id" not in entry:
        return entry
    return {key: entry[key] for key in ("id", "category_id") if key in entry}
