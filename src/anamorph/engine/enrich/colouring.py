"""Colors of objects without a described color, for methods that ask about properties."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from anamorph.errors import AnamorphError
from anamorph.model import Pixels, Scene, Thing
from anamorph.pixels.colours import COLOURS, estimate_colour

# The key of a scene's origin that says where its colours are from.
ORIGIN = "colours"


def lacks_colours(scene: Scene) -> bool:
    """Whether a scene has objects, but none that is said to have a colour."""
    return bool(scene.things) and not any(word in COLOURS for thing in scene.things for word in thing.attributes)


def coloured(scene: Scene, photo: Callable[[], Pixels]) -> Scene:
    """The scene with the colours that its pixels show; crowds and objects of several colours get none."""
    try:
        pixels = photo()
    except (AnamorphError, OSError):
        # A photo that cannot be read is reported when its pictures are made; until then it only has no colours.
        return scene
    things = tuple(_described(thing, pixels) for thing in scene.things)
    return replace(scene, things=things, origin={**scene.origin, ORIGIN: "estimated from pixels"})


def _described(thing: Thing, pixels: Pixels) -> Thing:
    colour = None if thing.crowd else estimate_colour(pixels, thing).name
    return thing if colour is None else replace(thing, attributes=(*thing.attributes, colour))
