"""The ground under the objects of a photo, for methods that put others beside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from anamorph.errors import AnamorphError
from anamorph.model import Footing, Hole, Pixels, Scene, Thing
from anamorph.model.scene import SKY
from anamorph.pixels.footings import GroundView
from anamorph.pixels.masks import mask_from_pixels
from anamorph.pixels.shapes import touched, union_shape

# The ground under the largest objects is enough to find a place for another one.
_MOST_OBJECTS = 14
_MOST_SKY = 0.3


def with_footings(scene: Scene, photo: Callable[[], Pixels]) -> Scene:
    """The scene with the ground under its largest objects, and its sky; without them where it has no object."""
    if not scene.things:
        return scene
    try:
        pixels = photo()
    except (AnamorphError, OSError):
        # A photo that cannot be read is reported when its pictures are made.
        return scene
    if pixels.shape[:2] != (scene.height, scene.width):
        return scene
    view = GroundView(pixels, union_shape(_measured(scene), scene.height, scene.width))
    sky = view.sky()
    found: list[tuple[str, Hole | None]] = [(SKY, sky)]
    standing = sorted((each for each in scene.things if not each.crowd), key=lambda thing: -thing.box.area)
    found += [(thing.id, None if _flies(thing, sky) else view.under(thing.box)) for thing in standing[:_MOST_OBJECTS]]
    footings = (Footing(id, mask_from_pixels(shape)) for id, shape in found if shape is not None and shape.any())
    return replace(scene, footings=tuple(footings))


def _flies(thing: Thing, sky: Hole | None) -> bool:
    """Whether there is only sky under an object: one that jumps or flies stands on nothing."""
    if sky is None:
        return False
    left, _, right, bottom = touched(thing.box, *sky.shape)
    under = sky[bottom : bottom + max(4, round(0.1 * thing.box.height)), left:right]
    return bool(under.size and under.mean() > _MOST_SKY)


def _measured(scene: Scene) -> list[Thing]:
    """The objects whose masks are of the photo's size, or that have none."""
    size = scene.height, scene.width
    return [each for each in scene.things if each.mask is None or (each.mask.height, each.mask.width) == size]
