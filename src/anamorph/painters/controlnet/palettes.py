"""The color of each class in a map, as in a network's training data."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Pixels, Region

SHIPPED = ("ade20k",)
Colour: TypeAlias = tuple[int, int, int]


def palette(name: str) -> Mapping[str, Colour]:
    """The colors of a shipped palette, or of a TOML file with lines such as dog = [255, 0, 122]."""
    if name in SHIPPED:
        return _shipped(name)
    file = Path(name)
    if file.suffix != ".toml" or not file.is_file():
        raise UsageError(f"No palette {name!r}. Known: {', '.join(SHIPPED)}, or the path of a .toml file.")
    return _parsed(file.read_bytes(), name)


@functools.cache
def _shipped(name: str) -> Mapping[str, Colour]:
    return _parsed(resources.files("anamorph.painters.controlnet").joinpath(f"{name}.toml").read_bytes(), name)


def _parsed(content: bytes, source: str) -> Mapping[str, Colour]:
    try:
        plain: dict[str, Any] = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise UsageError(f"{source}: not a palette in TOML ({problem}).") from problem
    colours: dict[str, Colour] = {}
    for label, colour in plain.items():
        if not isinstance(colour, list) or len(colour) != 3 or not all(_is_level(level) for level in colour):
            raise UsageError(f"{source}: {label} must be a color such as [255, 0, 122], got {colour!r}.")
        colours[label] = (colour[0], colour[1], colour[2])
    return colours


def _is_level(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 255


def coloured(regions: Sequence[Region], height: int, width: int, colours: Mapping[str, Colour]) -> Pixels:
    """The map in colors, later regions over earlier ones; black outside regions."""
    made: Pixels = np.zeros((height, width, 3), np.uint8)
    for region in regions:
        if region.label not in colours:
            raise BadPicture(f"The palette has no color for {region.label!r}.")
        made[region.shape] = colours[region.label]
    return made
