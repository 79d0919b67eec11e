"""Studios, scenes and checks that the tests of object edits share."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from anamorph import catalog
from anamorph.errors import BadPicture
from anamorph.inpainters.telea import Telea
from anamorph.model import Avoid, Box, Cutout, Edit, Hole, Picture, Pixels, Region, Thing, decode, encode
from anamorph.pixels.masks import mask_box, mask_from_pixels, mask_pixels


class FakeStudio:
    """Knows `telea` and one flat filler, and the cut-outs that it is given; remembers the holes."""

    def __init__(self, **cutouts: Pixels) -> None:
        self.cutouts = cutouts
        self.holes: list[tuple[str, Hole]] = []
        self.painted: list[tuple[str, tuple[Region, ...], str, int]] = []

    def inpaint(self, name: str, pixels: Pixels, hole: Hole, avoid: Avoid | None = None) -> Pixels:
        self.holes.append((name, hole))
        if name == "telea":
            return Telea().fill(pixels, hole)
        return np.where(hole[..., None], np.uint8(7), pixels).astype(np.uint8)

    def paint(self, name: str, regions: Sequence[Region], height: int, width: int, prompt: str, seed: int) -> Pixels:
        """Every class in a grey of its own, which the seed shifts."""
        made = np.full((height, width, 3), seed, np.uint8)
        for region in regions:
            made[region.shape] = 100 + sum(map(ord, region.label)) % 100
        self.painted.append((name, tuple(regions), prompt, seed))
        return made

    def cutout(self, id: str) -> Cutout:
        if id not in self.cutouts:
            raise BadPicture(f"There is no cut-out {id!r}.")
        rgba = self.cutouts[id]
        mask = mask_from_pixels(rgba[..., 3] >= 128)
        return Cutout(rgba, Thing(id, id.partition("-")[0], Box(0, 0, rgba.shape[1], rgba.shape[0]), mask))


def thing_of(id: str, shape: Hole, label: str = "cup") -> Thing:
    """An object with exactly these pixels."""
    mask = mask_from_pixels(shape)
    return Thing(id, label, mask_box(mask), mask)


def block(height: int, width: int, left: int, top: int, right: int, bottom: int) -> Hole:
    shape = np.zeros((height, width), np.bool_)
    shape[top:bottom, left:right] = True
    return shape


def shape_of(thing: Thing) -> Hole:
    assert thing.mask is not None
    return mask_pixels(thing.mask)


@st.composite
def scenes(draw: st.DrawFn, most: int = 4, studio: FakeStudio | None = None) -> Picture:
    """A noisy picture with a few objects of different outlines, some of which overlap."""
    height, width = draw(st.integers(12, 48)), draw(st.integers(12, 48))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pixels = rng.integers(0, 256, (height, width, 3), dtype=np.uint8)
    things = []
    for number in range(draw(st.integers(1, most))):
        left, top = draw(st.integers(0, width - 2)), draw(st.integers(0, height - 2))
        right, bottom = draw(st.integers(left + 1, width)), draw(st.integers(top + 1, height))
        shape = block(height, width, left, top, right, bottom)
        if draw(st.booleans()):
            rows, columns = np.indices((height, width))
            middle, centre = (top + bottom - 1) / 2, (left + right - 1) / 2
            reach = ((rows - middle) / (bottom - top)) ** 2 + ((columns - centre) / (right - left)) ** 2
            shape &= reach <= 0.26
        if shape.any():
            things.append(thing_of(f"t{number}", shape))
        else:
            things.append(Thing(f"t{number}", "cup", Box(left, top, right - left, bottom - top)))
    return Picture(pixels, tuple(things), studio or FakeStudio())


def is_truthful(picture: Picture) -> bool:
    """Every mask has the picture's size and some pixels, its box is around it, and nothing leaves the canvas."""
    height, width = picture.pixels.shape[:2]
    for thing in picture.things:
        box = thing.box
        if min(box.x, box.y, width - box.right, height - box.bottom) < -1e-9 or box.area <= 0:
            return False
        if thing.mask is not None:
            if (thing.mask.height, thing.mask.width) != (height, width) or not shape_of(thing).any():
                return False
            tight = mask_box(thing.mask)
            if max(abs(tight.x - box.x), abs(tight.y - box.y), abs(tight.right - box.right)) >= 1:
                return False
            if abs(tight.bottom - box.bottom) >= 1:
                return False
    return len({thing.id for thing in picture.things}) == len(picture.things)


def stored(edit: Edit) -> Edit:
    """The edit as a run reads it back from its plan."""
    plain = json.loads(json.dumps(encode(edit)))
    again: Edit = decode(catalog.find("edits", edit.kind), plain, catalog.find)
    assert again == edit and hash(again) == hash(edit)
    return again


def same(one: Picture, other: Picture) -> bool:
    return one.things == other.things and bool((one.pixels == other.pixels).all())
