"""A scene as plain data: everything that is needed to draw it, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

# Drawn scenes change whenever drawing or composing does; then this number rises, and old references are refused.
VERSION = 1

Rest: TypeAlias = Literal["ground", "table", "air", "wall", "water", "held"]


@dataclass(frozen=True, slots=True)
class Item:
    """One placed thing; lengths are shares of the picture's height, x and y say where it stands.

    `on` is the position, in the recipe's items, of what carries or holds it; `variant` seeds its smaller features.
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
        """The attribute to ask about: a person's action, a thing's color."""
        if self.label == "person":
            return (self.action,)
        return (self.colour,) if self.colour else ()


@dataclass(frozen=True, slots=True)
class Light:
    """How a scene is lit: the side the light comes from (-1 left, 1 right), and what it does to colours."""

    side: float = -0.5
    brightness: float = 1.0
    warmth: float = 0.0
    noise: float = 3.0
    vignette: float = 0.12


@dataclass(frozen=True, slots=True)
class Recipe:
    """A whole scene; the items are in the order they are drawn in, from back to front."""

    background: str
    horizon: float
    backdrop: int
    light: Light
    items: tuple[Item, ...]
    width: int = 320
    height: int = 240
