"""The ground of photos from COCO-Stuff's pixel maps.

Format: https://github.com/nightrome/cocostuff, "stuffthingmaps". A PNG for each photo, with one class per pixel: its id
less one, so 0 to 90 are the things of COCO and 91 to 181 are ground; 255 for pixels without a label. The
classes of ground have the ids 92 to 182 in the order of the alphabet.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np

from anamorph.errors import BadPicture
from anamorph.model import Stuff
from anamorph.photos.decoding import Limits, inside, read_class_ids
from anamorph.photos.files import existing_folder, shown
from anamorph.photos.outlines import Size
from anamorph.photos.scene_limits import MOST_PIXELS, TOO_MANY_PIXELS, TooMuch
from anamorph.pixels.masks import mask_from_pixels
from anamorph.reading.labels import label_space

_FIRST, _UNKNOWN = 91, 255


@dataclass(frozen=True, slots=True)
class StuffMaps:
    """The pixel maps of a folder, each named like its photo."""

    file: str
    folder: Path
    limits: Limits

    @classmethod
    def open(cls, folder: str, limits: Limits) -> StuffMaps:
        return cls(folder, existing_folder(folder, "COCO-Stuff's PNGs"), limits)

    def stuff(self, photo: str, size: Size) -> tuple[Stuff, ...]:
        """The ground of the photo with this file name, each class once; Flaw or BadPicture if it cannot be used."""
        path = inside(self.folder, str(PurePosixPath(photo).with_suffix(".png")))
        ids = read_class_ids(path, self.limits)
        if ids.shape != (size[1], size[0]):
            stated = f"{ids.shape[1]} x {ids.shape[0]}"
            raise BadPicture(f"{shown(path)} is {stated}, but the photo is {size[0]} x {size[1]} when upright.")
        names = _names()
        there = np.flatnonzero(np.bincount(ids.ravel(), minlength=_UNKNOWN + 1)).tolist()
        for id in there:
            if id not in names and _FIRST <= id < _UNKNOWN:
                last = max(names)
                raise BadPicture(f"{shown(path)} has pixels of the value {id}; valid are 0 to {last}, and {_UNKNOWN}.")
        ground = [id for id in there if id in names]
        if len(ground) * size[0] * size[1] > MOST_PIXELS:
            raise TooMuch(TOO_MANY_PIXELS)
        return tuple(Stuff(names[id], mask_from_pixels(ids == id)) for id in ground)


@functools.cache
def _names() -> Mapping[int, str]:
    """The classes of ground by pixel value."""
    return dict(enumerate(sorted(label_space("coco-stuff").names), start=_FIRST))
