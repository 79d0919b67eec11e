"""YOLOX: BGR levels as they are, the picture in the top left corner, and a raw head that grids and strides complete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anamorph.detectors.detection import Candidates
from anamorph.detectors.fitting import Values, corners, letterboxed, tensor
from anamorph.detectors.layouts.grids import cells_of, strides_of
from anamorph.detectors.networks.network import Network, Port, as_floats, view_size
from anamorph.errors import UsageError
from anamorph.model import Pixels

_SIDE = 640
_LEAD = 5


@dataclass(frozen=True, slots=True)
class YoloX:
    """Rows of x, y, width, height, objectness and class scores; `decoded` if the export did the grids itself."""

    locates: ClassVar[bool] = True
    decoded: bool = False
    values: Values = "bytes"

    @property
    def form(self) -> str:
        note = ", boxes in pixels; never chosen automatically" if self.decoded else ""
        return f"an output [1, cells, 5 + classes]{note}"

    def suits(self, picture: Port, network: Network, classes: int | None) -> bool:
        if self.decoded or len(network.outputs) != 1 or len(network.outputs[0].sides) != 3:
            return False
        _, cells, columns = network.outputs[0].sides
        height, width = view_size(picture, 0, 0)
        if not (cells and columns and height and width) or columns <= _LEAD:
            return False
        return strides_of(cells, height, width) is not None

    def classes(self, network: Network) -> int | None:
        columns = network.outputs[0].sides[-1]
        return None if columns is None else columns - _LEAD

    def look(self, network: Network, picture: Port, pixels: Pixels, values: Values) -> Candidates:
        height, width = view_size(picture, _SIDE, _SIDE)
        view, fit = letterboxed(pixels, height, width, centred=False)
        (output, *_) = network.run({picture.name: tensor(picture, view, values, bgr=True)})
        rows = as_floats(output)[0]
        boxes = rows[:, :4]
        if not self.decoded:
            strides = strides_of(len(rows), height, width)
            if strides is None:
                raise UsageError(
                    f"{network.file}: {len(rows)} rows are no grid of YOLOX for a view {width} x {height}."
                )
            places, sizes = cells_of(height, width, strides)
            # An untrained or odd network may give logarithms that no float holds.
            spans = np.exp(np.minimum(boxes[:, 2:], 20)) * sizes
            boxes = np.concatenate([(boxes[:, :2] + places) * sizes, spans], axis=1)
        best = rows[:, _LEAD:].argmax(axis=1)
        scores = rows[:, 4] * np.take_along_axis(rows[:, _LEAD:], best[:, None], axis=1)[:, 0]
        return Candidates(fit.back(corners(boxes)), scores, best)
