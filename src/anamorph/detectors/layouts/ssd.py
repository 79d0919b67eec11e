"""EfficientDet and SSD, whose graphs do their own post-processing, as TensorFlow and as OpenCV give them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anamorph.detectors.detection import Candidates, Floats
from anamorph.detectors.fitting import Values, squashed, tensor
from anamorph.detectors.networks.network import Network, Port, as_floats, view_size
from anamorph.errors import UsageError
from anamorph.model import Pixels

_ROWS_SIDE = 300
_ROWS_COLUMNS = 7


@dataclass(frozen=True, slots=True)
class Ssd:
    """TensorFlow's outputs: boxes (ymin, xmin, ymax, xmax as shares of the picture), classes and scores.

    The picture is squashed into the view, or left as it is if the network takes any size.
    """

    locates: ClassVar[bool] = True
    values: Values = "signed"

    @property
    def form(self) -> str:
        return "boxes [1, n, 4], classes [1, n], scores [1, n], perhaps a count [1]"

    def suits(self, picture: Port, network: Network, classes: int | None) -> bool:
        return _places(network) is not None

    def classes(self, network: Network) -> int | None:
        return None

    def look(self, network: Network, picture: Port, pixels: Pixels, values: Values) -> Candidates:
        view, fit = squashed(pixels, *view_size(picture, *pixels.shape[:2]))
        outputs = [as_floats(each) for each in network.run({picture.name: tensor(picture, view, values)})]
        places = _places(network)
        if places is None:
            seen = "; ".join(map(str, network.outputs))
            raise UsageError(f"{network.file}: the layout ssd needs {self.form}, got {seen}.")
        shares = outputs[places.boxes].reshape(-1, 4)[:, (1, 0, 3, 2)]
        classes, scores = _told_apart(network, [outputs[place].ravel() for place in places.rows], places.rows)
        count = len(scores) if places.count is None else int(outputs[places.count].ravel()[0])
        size = np.array((fit.width, fit.height) * 2, np.float32)
        boxes = np.clip(shares * size, 0, size)[:count]
        return Candidates(boxes, scores[:count], np.rint(classes[:count]).astype(np.intp), settled=True)


@dataclass(frozen=True, slots=True)
class _Places:
    boxes: int
    rows: tuple[int, int]
    count: int | None


def _places(network: Network) -> _Places | None:
    """Which outputs have the boxes, the classes and scores, and the count; others, such as raw scores, do not count."""
    ports = network.outputs
    named = {place: port.name.lower() for place, port in enumerate(ports)}
    if all(any(word in name for name in named.values()) for word in ("boxes", "classes", "scores")):
        usual = {place for place, name in named.items() if "raw" not in name and "multiclass" not in name}
    else:
        usual = set(named)
    boxes = [place for place in usual if len(ports[place].sides) == 3 and ports[place].sides[2] in (4, None)]
    rows = [place for place in usual if len(ports[place].sides) == 2]
    counts = [place for place in usual if len(ports[place].sides) <= 1]
    boxes = [place for place in boxes if "box" in named[place]] or boxes
    if len(rows) > 2:
        rows = [place for place in rows if "class" in named[place] or "score" in named[place]]
    if len(boxes) != 1 or len(rows) != 2 or len(counts) > 1:
        return None
    return _Places(boxes[0], (rows[0], rows[1]), counts[0] if counts else None)


def _told_apart(network: Network, rows: Sequence[Floats], places: Sequence[int]) -> tuple[Floats, Floats]:
    """Classes and scores: by their names, by classes being whole numbers, or by TensorFlow's order."""
    names = [network.outputs[place].name.lower() for place in places]
    for mine, others in ((0, 1), (1, 0)):
        if "class" in names[mine] or "score" in names[others]:
            return rows[mine], rows[others]
    whole = [bool((row == np.rint(row)).all()) for row in rows]
    return (rows[1], rows[0]) if whole == [False, True] else (rows[0], rows[1])


@dataclass(frozen=True, slots=True)
class SsdRows:
    """OpenCV's output: rows of number, class, score, x0, y0, x1, y1, with the box as shares of the picture."""

    locates: ClassVar[bool] = True
    values: Values = "bytes"

    @property
    def form(self) -> str:
        return "an output [1, 1, n, 7]"

    def suits(self, picture: Port, network: Network, classes: int | None) -> bool:
        return len(network.outputs) == 1 and network.outputs[0].sides[:2] == (1, 1) and _last(network) == _ROWS_COLUMNS

    def classes(self, network: Network) -> int | None:
        return None

    def look(self, network: Network, picture: Port, pixels: Pixels, values: Values) -> Candidates:
        view, fit = squashed(pixels, *view_size(picture, _ROWS_SIDE, _ROWS_SIDE))
        (output,) = network.run({picture.name: tensor(picture, view, values)})
        rows = as_floats(output).reshape(-1, _ROWS_COLUMNS)
        rows = rows[rows[:, 0] >= 0]
        size = np.array((fit.width, fit.height) * 2, np.float32)
        boxes = np.asarray(np.clip(rows[:, 3:] * size, 0, size), np.float32)
        return Candidates(boxes, rows[:, 2], np.rint(rows[:, 1]).astype(np.intp), settled=True)


def _last(network: Network) -> int | None:
    sides = network.outputs[0].sides
    return sides[3] if len(sides) == 4 else None
