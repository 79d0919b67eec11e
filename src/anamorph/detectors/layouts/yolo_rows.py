"""YOLO with the suppression inside: rows x0, y0, x1, y1, score, class, perhaps with mask coefficients behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anamorph.detectors.detection import Candidates
from anamorph.detectors.fitting import Values, in_view, letterboxed, tensor
from anamorph.detectors.layouts.grids import strides_of
from anamorph.detectors.layouts.prototypes import mixer, prototypes_place
from anamorph.detectors.networks.network import Network, Port, as_floats, view_size
from anamorph.model import Pixels

_SIDE = 640
_COLUMNS = 6


@dataclass(frozen=True, slots=True)
class YoloRows:
    """One row for each thing, as YOLOv10 gives it and as ultralytics exports with nms=True."""

    locates: ClassVar[bool] = True
    values: Values = "unit"

    @property
    def form(self) -> str:
        return "an output [1, n, 6] or [n, 6], or [1, n, 6 + k] with prototypes [1, k, h, w]"

    def suits(self, picture: Port, network: Network, classes: int | None) -> bool:
        rows = _rows(network)
        if rows is None:
            return False
        place = prototypes_place(network)
        masks = 0 if place is None else network.outputs[place].sides[1] or 0
        if rows.sides[-1] != _COLUMNS + masks or (place is not None and not masks):
            return False
        if len(rows.sides) == 2:
            # [1, 6] may also be a classifier of six classes.
            return masks > 0 or (rows.sides[0] != 1 and classes != _COLUMNS)
        return not _is_a_grid(rows.sides[1], *view_size(picture, 0, 0))

    def classes(self, network: Network) -> int | None:
        return None

    def look(self, network: Network, picture: Port, pixels: Pixels, values: Values) -> Candidates:
        height, width = view_size(picture, _SIDE, _SIDE)
        view, fit = letterboxed(pixels, height, width)
        outputs = [as_floats(each) for each in network.run({picture.name: tensor(picture, view, values)})]
        place, port = prototypes_place(network), _rows(network)
        assert port is not None
        rows = outputs[network.outputs.index(port)]
        rows = rows.reshape(-1, rows.shape[-1])
        boxes = fit.back(in_view(rows[:, :4], height, width))
        shapes = None if place is None else mixer(outputs[place], rows[:, _COLUMNS:], boxes, fit, (height, width))
        classes = np.rint(rows[:, 5]).astype(np.intp)
        return Candidates(boxes, rows[:, 4], classes, settled=True, shapes=shapes)


def _is_a_grid(rows: int | None, height: int, width: int) -> bool:
    """Whether there is a row for each cell, as in a YOLOX or (with three anchors) a YOLOv5 of one class."""
    if not (rows and height and width):
        return False
    return strides_of(rows, height, width) is not None or strides_of(rows // 3, height, width) is not None


def _rows(network: Network) -> Port | None:
    found = [port for port in network.outputs if len(port.sides) in (2, 3)]
    return found[0] if len(found) == 1 and all(len(port.sides) in (2, 3, 4) for port in network.outputs) else None
