"""The toybox as a source of scenes."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from anamorph.errors import BadPicture
from anamorph.model import Pixels, Scene, Skip, Thing, setting
from anamorph.model.scene import DRAWING, MEDIUM
from anamorph.pixels.masks import mask_box, mask_from_pixels
from anamorph.toybox.captions import captions_of
from anamorph.toybox.drawing.composing import compose
from anamorph.toybox.drawing.painting import Sight, paint, see
from anamorph.toybox.drawing.recipes import VERSION, Recipe

_REFERENCE = re.compile(r"toybox:(\d+)/(-?\d+)/(\d+)/(\d+)x(\d+)")


@dataclass(frozen=True, slots=True)
class ToyboxScenes:
    """Everyday scenes drawn by code, with their complete truth; no files are needed."""

    kind: ClassVar[str] = "toybox"
    # Its scenes are described completely, so no color needs to be estimated.
    describes: ClassVar[bool] = True
    count: int = setting(60, "How many scenes to draw.", least=0)
    seed: int = setting(7, "Seed of the scenes.")
    offset: int = setting(0, "How many of the seed's scenes to skip at the start.", least=0)
    width: int = setting(320, "Width of the images, in pixels.", least=64, most=2048)
    height: int = setting(240, "Height of the images, in pixels.", least=48, most=2048)

    def __post_init__(self) -> None:
        if not 1 <= self.width / self.height <= 2:
            raise ValueError(f"width / height must be between 1 and 2, not {self.width} / {self.height}")

    def scan(self) -> Iterator[Scene | Skip]:
        for index in range(self.offset, self.offset + self.count):
            yield scene_of(self.seed, index, self.width, self.height)

    def pixels(self, scene: Scene) -> Pixels:
        return _painted(scene.picture)

    def packed(self, scene: Scene) -> Callable[[], Pixels]:
        return functools.partial(_painted, scene.picture)


def _painted(reference: str) -> Pixels:
    return paint(recipe_of(reference))


def scene_of(seed: int, index: int, width: int = 320, height: int = 240) -> Scene:
    """One scene with its truth, without drawing its background."""
    recipe = compose(seed, index, width, height)
    return describe(recipe, see(recipe), seed, index)


def describe(recipe: Recipe, sights: list[Sight], seed: int, index: int) -> Scene:
    """The record of a scene, from its recipe and the visible part of each item."""
    things = []
    for position, (item, sight) in enumerate(zip(recipe.items, sights, strict=True)):
        mask = mask_from_pixels(sight.pixels)
        things.append(
            Thing(str(index * 100 + position + 1), item.label, mask_box(mask), mask, attributes=item.attributes)
        )
    return Scene(
        id=f"toybox-{seed}-{index}",
        picture=f"toybox:{VERSION}/{seed}/{index}/{recipe.width}x{recipe.height}",
        width=recipe.width,
        height=recipe.height,
        things=tuple(things),
        captions=captions_of(recipe),
        labels=tuple(sorted({thing.label for thing in things})),
        origin={"background": recipe.background, MEDIUM: DRAWING},
        complete="coco",
        described=True,
    )


def recipe_of(reference: str) -> Recipe:
    """The recipe behind the `picture` of a toybox scene."""
    found = _REFERENCE.fullmatch(reference)
    if found is None:
        raise BadPicture(f"{reference!r} is not a toybox image, which would look like 'toybox:{VERSION}/7/0/320x240'.")
    version, seed, index, width, height = map(int, found.groups())
    if version != VERSION:
        raise BadPicture(
            f"{reference!r} is of version {version} of the toybox, but this is version {VERSION}: plan the run again."
        )
    return compose(seed, index, width, height)
