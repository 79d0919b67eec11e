"""Brightness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anamorph.edits.shrinking.ladders import towards
from anamorph.model import Picture, setting
from anamorph.pixels.tones import retoned


@dataclass(frozen=True, slots=True)
class Brightness:
    """Multiply every channel by a factor: 0 is black, 1 changes nothing."""

    kind: ClassVar[str] = "brightness"
    factor: float = setting(0.8, "The factor for every channel.", least=0, most=10)

    def apply(self, picture: Picture) -> Picture:
        return retoned(picture, np.arange(256) * self.factor)

    def smaller(self) -> Iterator[Sequence[Brightness]]:
        yield [Brightness(factor) for factor in towards(1, self.factor)]
