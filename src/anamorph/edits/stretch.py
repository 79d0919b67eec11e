"""Stretching."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.edits.scale import scaled_to
from anamorph.edits.shrinking.ladders import towards
from anamorph.model import Picture, setting


@dataclass(frozen=True, slots=True)
class Stretch:
    """Scale the width and height of the whole image independently."""

    kind: ClassVar[str] = "stretch"
    across: float = setting(1.0, "The factor for the width; at least one pixel stays.", least=0.01, most=10)
    down: float = setting(1.0, "The factor for the height; at least one pixel stays.", least=0.01, most=10)

    def apply(self, picture: Picture) -> Picture:
        height, width = picture.pixels.shape[:2]
        return scaled_to(picture, max(1, round(width * self.across)), max(1, round(height * self.down)))

    def scale_of(self, object: str) -> float:
        """The scale factor of every object's sides, on average."""
        return math.sqrt(self.across * self.down)

    def smaller(self) -> Iterator[Sequence[Stretch]]:
        yield [Stretch(_part(self.across, step), _part(self.down, step)) for step in towards(0, 1)]


def _part(factor: float, share: float) -> float:
    return round(1 + (factor - 1) * share, 6)
