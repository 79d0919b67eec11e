"""SSD as OpenCV gives it: rows of number, class, score, x0, y0, x1, y1, with the box as shares of the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anamorph.detectors.detection import Candidates
from anamorph.detectors.fitting import Values, squashed, tensor
from anamorph.detectors.networks.network import Network, Port, as_floats, view_size
from anamorph.model import Pixels

_SIDE = 300
_COLUMNS = 7


@dataclass(frozen=True, slots=True)
class SsdRows:
    """The picture squashed, RGB levels as they are; the graph itself does the rest."""

    locates: ClassVar[bool] = True
    values: Values = "bytes"

    @property
    def form(self) -> str:
        return "an output [1, 1, n, 7]"

    def suits(self, picture: Port, network: Network, classes: int | None) -> bool:
        return len(network.outputs) == 1 and network.outputs[0].sides[:2] == (1, 1) and _last(network) == _COLUMNS

    def classes(self, network: Network) -> int | None:
        return None

    def look(self, network: Network, picture: Port, pixels: Pixels, values: Values) -> Candidates:
        view, fit = squashed(pixels, *view_size(picture, _SIDE, _SIDE))
        (output,) = network.run({picture.name: tensor(picture, view, values)})
        rows = as_floats(output).reshape(-1, _COLUMNS)
        rows = rows[rows[:, 0] >= 0]
        size = np.array((fit.width, fit.height) * 2, np.float32)
        boxes = np.asarray(np.clip(rows[:, 3:] * size, 0, size), np.float32)
        return Candidates(boxes, rows[:, 2], np.rint(rows[:, 1]).astype(np.intp), settled=True)


def _last(network: Network) -> int | None:
    sides = network.outputs[0].sides
    return sides[3] if len(sides) == 4 else None
