"""YOLO as ultralytics exports it: YOLOv8 and YOLO11 [1, 4 + classes, cells], YOLOv5 [1, anchors, 5 + classes].

With masks, the rows have coefficients after the class scores, and a second output has the prototypes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anamorph.detectors.detection import Candidates
from anamorph.detectors.fitting import Values, corners, in_view, letterboxed, tensor
from anamorph.detectors.layouts.grids import strides_of
from anamorph.detectors.layouts.prototypes import mixer, prototypes_place
from anamorph.detectors.networks.network import Network, Port, as_floats, view_size
from anamorph.model import Pixels

_SIDE = 640
_ANCHORS = 3


@dataclass(frozen=True, slots=True)
class Yolo:
    """Boxes as centre and size in the view's pixels; before YOLOv8, the class scores are shares of an objectness."""

    locates: ClassVar[bool] = True
    objectness: bool
    values: Values = "unit"

    @property
    def form(self) -> str:
        rows = "[1, anchors, 5 + classes]" if self.objectness else "[1, 4 + classes, cells]"
        return f"an output {rows}, perhaps with mask coefficients and prototypes [1, k, h, w]"

    def suits(self, picture: Port, network: Network, classes: int | None) -> bool:
        rows = _rows(network)
        if rows is None:
            return False
        cells, columns = rows.sides[1:] if self.objectness else rows.sides[:0:-1]
        if columns is None or columns <= self._lead(network) or columns > 6000:
            return False
        if cells is None:
            return self.objectness is False or classes is None or columns == self._lead(network) + classes
        height, width = view_size(picture, 0, 0)
        anchors = _ANCHORS if self.objectness else 1
        if height and width:
            return cells % anchors == 0 and strides_of(cells // anchors, height, width) is not None
        return cells > columns

    def classes(self, network: Network) -> int | None:
        rows = _rows(network)
        columns = rows.sides[2 if self.objectness else 1] if rows else None
        return None if columns is None else columns - self._lead(network)

    def look(self, network: Network, picture: Port, pixels: Pixels, values: Values) -> Candidates:
        height, width = view_size(picture, _SIDE, _SIDE)
        view, fit = letterboxed(pixels, height, width)
        outputs = [as_floats(each) for each in network.run({picture.name: tensor(picture, view, values)})]
        place, rows = prototypes_place(network), next(each[0] for each in outputs if each.ndim == 3)
        if not self.objectness:
            rows = rows.T
        masks = 0 if place is None else _mask_count(network, place)
        ends = rows.shape[1] - masks
        classes = rows[:, 5 if self.objectness else 4 : ends]
        best = classes.argmax(axis=1)
        scores = np.take_along_axis(classes, best[:, None], axis=1)[:, 0]
        if self.objectness:
            scores = scores * rows[:, 4]
        boxes = fit.back(corners(in_view(rows[:, :4], height, width)))
        shapes = None if place is None else mixer(outputs[place], rows[:, ends:], boxes, fit, (height, width))
        return Candidates(boxes, scores, best, shapes=shapes)

    def _lead(self, network: Network) -> int:
        """How many columns are not class scores."""
        place = prototypes_place(network)
        return (5 if self.objectness else 4) + (0 if place is None else _mask_count(network, place))


def _rows(network: Network) -> Port | None:
    """The output with the boxes; some exports have the raw grids, with five sides, beside it."""
    found = [port for port in network.outputs if len(port.sides) == 3]
    others = [port for port in network.outputs if len(port.sides) not in (3, 4, 5)]
    return found[0] if len(found) == 1 and not others else None


def _mask_count(network: Network, place: int) -> int:
    sides = network.outputs[place].sides
    count = sides[3] if _channels_last(sides) else sides[1]
    return count or 32


def _channels_last(sides: tuple[int | None, ...]) -> bool:
    """Prototypes are square or nearly so, and fewer than their sides are long."""
    return sides[1] is not None and sides[3] is not None and sides[3] < sides[1]
