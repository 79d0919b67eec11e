"""A package of somebody else's that adds an edit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anamorph.model import Picture


@dataclass(frozen=True)
class Negative:
    """Turn every colour into its opposite."""

    kind: ClassVar[str] = "negative"

    def apply(self, picture: Picture) -> Picture:
        return picture.with_pixels(255 - picture.pixels)
