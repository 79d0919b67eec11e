"""The appearance of drawn things: color, pose and the like."""

from __future__ import annotations

from dataclasses import dataclass

from anamorph.toybox.drawing.pens import RGB


@dataclass(frozen=True, slots=True)
class Appearance:
    """The appearance of one thing; `variant` seeds other variations."""

    ink: RGB
    variant: int = 0
    action: str = ""
    pose: str = ""
    form: str = ""


# The colors of words, distinguishable in dim or warm light.
INKS: dict[str, RGB] = {
    "red": (206, 48, 44),
    "orange": (240, 134, 36),
    "yellow": (248, 208, 58),
    "green": (66, 150, 70),
    "blue": (50, 106, 196),
    "purple": (130, 76, 172),
    "pink": (240, 136, 176),
    "brown": (134, 86, 50),
    "black": (50, 50, 56),
    "white": (242, 240, 234),
    "grey": (146, 149, 156),
}
