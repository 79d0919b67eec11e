"""YOLO as ultralytics exports it: YOLOv8 and YOLO11 [1, 4 + classes, cells], YOLOv5 [1, anchors, 5 + classes], and
rows of things with the suppression inside the network.

With masks, the rows have coefficients at their end, and a second output has the prototypes: each mask is a mixture of
prototypes that the whole picture shares.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np

from anamorph.detectors.detection import Candidates, Floats, Indices, Shape
from anamorph.detectors.fitting import Fit, Values, corners, in_view, letterboxed, tensor
from anamorph.detectors.layouts.grids import strides_of
from anamorph.detectors.networks.network import Network, Port, as_floats, view_size
from anamorph.model import Pixels

_SIDE = 640
_ANCHORS = 3
_ROWS_COLUMNS = 6


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
        place, rows = _prototypes_place(network), next(each[0] for each in outputs if each.ndim == 3)
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
        shapes = None if place is None else _mixer(outputs[place], rows[:, ends:], boxes, fit, (height, width))
        return Candidates(boxes, scores, best, shapes=shapes)

    def _lead(self, network: Network) -> int:
        """How many columns are not class scores."""
        place = _prototypes_place(network)
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


@dataclass(frozen=True, slots=True)
class YoloRows:
    """One row for each thing, as YOLOv10 gives it and as ultralytics exports with nms=True."""

    locates: ClassVar[bool] = True
    values: Values = "unit"

    @property
    def form(self) -> str:
        return "an output [1, n, 6] or [n, 6], or [1, n, 6 + k] with prototypes [1, k, h, w]"

    def suits(self, picture: Port, network: Network, classes: int | None) -> bool:
        rows = _settled_rows(network)
        if rows is None:
            return False
        place = _prototypes_place(network)
        masks = 0 if place is None else network.outputs[place].sides[1] or 0
        if rows.sides[-1] != _ROWS_COLUMNS + masks or (place is not None and not masks):
            return False
        if len(rows.sides) == 2:
            # [1, 6] may also be a classifier of six classes.
            return masks > 0 or (rows.sides[0] != 1 and classes != _ROWS_COLUMNS)
        return not _is_a_grid(rows.sides[1], *view_size(picture, 0, 0))

    def classes(self, network: Network) -> int | None:
        return None

    def look(self, network: Network, picture: Port, pixels: Pixels, values: Values) -> Candidates:
        height, width = view_size(picture, _SIDE, _SIDE)
        view, fit = letterboxed(pixels, height, width)
        outputs = [as_floats(each) for each in network.run({picture.name: tensor(picture, view, values)})]
        place, port = _prototypes_place(network), _settled_rows(network)
        assert port is not None
        rows = outputs[network.outputs.index(port)]
        rows = rows.reshape(-1, rows.shape[-1])
        boxes = fit.back(in_view(rows[:, :4], height, width))
        shapes = None if place is None else _mixer(outputs[place], rows[:, _ROWS_COLUMNS:], boxes, fit, (height, width))
        classes = np.rint(rows[:, 5]).astype(np.intp)
        return Candidates(boxes, rows[:, 4], classes, settled=True, shapes=shapes)


def _is_a_grid(rows: int | None, height: int, width: int) -> bool:
    """Whether there is a row for each cell, as in a YOLOX or (with three anchors) a YOLOv5 of one class."""
    if not (rows and height and width):
        return False
    return strides_of(rows, height, width) is not None or strides_of(rows // 3, height, width) is not None


def _settled_rows(network: Network) -> Port | None:
    found = [port for port in network.outputs if len(port.sides) in (2, 3)]
    return found[0] if len(found) == 1 and all(len(port.sides) in (2, 3, 4) for port in network.outputs) else None


def _prototypes_place(network: Network) -> int | None:
    """Which output has the prototypes [1, k, height, width]; None if none has."""
    places = [place for place, port in enumerate(network.outputs) if len(port.sides) == 4]
    return places[0] if len(places) == 1 else None


def _mixer(
    prototypes: Floats, coefficients: Floats, boxes: Floats, fit: Fit, view: tuple[int, int]
) -> Callable[[Indices], list[Shape]]:
    """Makes the masks of chosen rows; `boxes` are in the picture's pixels, `view` is the network's height and width."""
    if prototypes.shape[1] != coefficients.shape[1]:  # TFLite has the channels last
        prototypes = prototypes.transpose(0, 3, 1, 2)
    count, height, width = prototypes.shape[1:]
    flat = prototypes[0].reshape(count, -1)
    # From a pixel of the picture to the prototypes: centres are at halves on both sides.
    step_x, step_y = fit.scale_x * width / view[1], fit.scale_y * height / view[0]
    first_x = (fit.scale_x / 2 + fit.left) * width / view[1] - 0.5
    first_y = (fit.scale_y / 2 + fit.top) * height / view[0] - 0.5

    def shapes(rows: Indices) -> list[Shape]:
        levels = (coefficients[rows] @ flat).reshape(-1, height, width)
        return [drawn(level, box) for level, box in zip(levels, boxes[rows], strict=True)]

    def drawn(level: Floats, box: Floats) -> Shape:
        mask = np.zeros((fit.height, fit.width), np.bool_)
        left, top = (int(side) for side in np.floor(box[:2]))
        right, bottom = (int(side) for side in np.ceil(box[2:]))
        if right <= left or bottom <= top:
            return mask
        path = np.array([[step_x, 0, first_x + left * step_x], [0, step_y, first_y + top * step_y]])
        part = cv2.warpAffine(
            np.ascontiguousarray(level),
            path,
            (right - left, bottom - top),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
        mask[top:bottom, left:right] = np.asarray(part) > 0
        return mask

    return shapes
