"""Plates: a photo with a hole filled, made once for all images of a scene that have the hole in common."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from anamorph.model import Avoid, Cutout, Hole, Pixels, Region, Studio, digest_of_bytes

# Plates of one scene that are kept while its images are made.
_MOST_BYTES = 64_000_000


@dataclass(slots=True)
class PlateStudio:
    """A studio for the images of one photo, for one thread; SPOLRE's layouts of a photo share few plates."""

    studio: Studio
    photo: Pixels
    # The tools that the image under way used, by kind and name.
    used: set[tuple[str, str]] = field(default_factory=set, init=False)
    # The last plate of a picture that is not the photo, such as that of a second edit: what looks at it asks again.
    _other: tuple[Pixels, tuple[str, str], Pixels] | None = field(default=None, init=False, repr=False)
    _plates: OrderedDict[tuple[str, str], Pixels] = field(default_factory=OrderedDict, init=False, repr=False)

    def inpaint(self, name: str, pixels: Pixels, hole: Hole, avoid: Avoid | None = None) -> Pixels:
        self.used.add(("inpainter", name))
        # What is to be avoided follows from the picture's objects and the hole.
        key = (name, digest_of_bytes(np.packbits(hole).tobytes()))
        if pixels is not self.photo:
            if self._other is None or self._other[0] is not pixels or self._other[1] != key:
                self._other = pixels, key, self.studio.inpaint(name, pixels, hole, avoid)
            return self._other[2]
        plate = self._plates.pop(key, None)
        if plate is None:
            plate = self.studio.inpaint(name, pixels, hole, avoid)
        self._plates[key] = plate
        while len(self._plates) > 1 and len(self._plates) * plate.nbytes > _MOST_BYTES:
            self._plates.popitem(last=False)
        return plate

    def cutout(self, id: str) -> Cutout:
        self.used.add(("cutout", id))
        return self.studio.cutout(id)

    def paint(self, name: str, regions: Sequence[Region], height: int, width: int, prompt: str, seed: int) -> Pixels:
        self.used.add(("painter", name))
        return self.studio.paint(name, regions, height, width, prompt, seed)
