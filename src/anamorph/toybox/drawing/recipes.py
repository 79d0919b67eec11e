"""A scene as plain data: everything needed to draw it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

# Raised whenever drawing or composing changes the scenes; old references are then refused.
VERSION = 1

Rest: TypeAlias = Literal["ground", "table", "air", "wall", "water", "held"]


@dataclass(frozen=True, slots=True)
class Item:
    """One placed thing; lengths are shares of the image's height, x and y its foot point.

    `on` is the position, in the recipe's items, of the one that carries or holds it; `variant` seeds its details.
    """

    label: str
    x: float
    y: float
    unit: float
    colour: str = ""
    action: str = ""
    pose: str = ""
    form: str = ""
    variant: int = 0
    mirrored: bool = False
    rest: Rest = "ground"
    on: int | None = None

    @property
    def attributes(self) -> tuple[str, ...]:
        """Its attributes: a person's action, a thing's color."""
        if self.label == "person":
            return (self.action,)
        return (self.colour,) if self.colour else ()


@dataclass(frozen=True, slots=True)
class Light:
    """The lighting of a scene: the side of the light (-1 left, 1 right), and its effect on colors."""

    side: float = -0.5
    brightness: float = 1.0
    warmth: float = 0.0
    noise: float = 3.0
    vignette: float = 0.12


@dataclass(frozen=True, slots=True)
class Recipe:
    """A whole scene, with its items in drawing order, from back to front."""

    background: str
    horizon: float
    backdrop: int
    light: Light
    items: tuple[Item, ...]
    width: int = 320
    height: int = 240
