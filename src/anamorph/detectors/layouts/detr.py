"""DETR and its relatives: a set of queries, each with class logits and a box as shares of the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from anamorph.detectors.detection import Candidates, Floats
from anamorph.detectors.fitting import Fit, Values, corners, squashed, tensor
from anamorph.detectors.networks.network import Array, Network, Port, as_floats, channels_last, view_size
from anamorph.model import Pixels

# What DETR was trained with: the shorter side 800 pixels, the longer at most 1333.
_SHORTER, _LONGER = 800, 1333
# RT-DETR and D-FINE with COCO or Objects365 look at 640 x 640, with levels from 0 to 1.
_RT_SIDE = 640
_RT_CLASSES = (80, 365, 366)
_BY_COCO_ID = 91


@dataclass(frozen=True, slots=True)
class Detr:
    """Softmax with a last class for nothing (DETR, YOLOS), or a sigmoid for each class (Deformable DETR, RT-DETR)."""

    locates: ClassVar[bool] = True
    probability: Literal["softmax", "sigmoid"]
    values: Values = "imagenet"

    @property
    def form(self) -> str:
        last = "classes + 1" if self.probability == "softmax" else "classes"
        return f"logits [1, queries, {last}] and boxes [1, queries, 4], {self.probability}, {self.values} levels"

    def suits(self, picture: Port, network: Network, classes: int | None) -> bool:
        ports = _ports(network)
        if ports is None:
            return False
        count = ports[0].sides[2]
        if classes is not None and count is not None:
            softmax = count == classes + 1
        else:
            softmax = count not in (*_RT_CLASSES, _BY_COCO_ID)
        if self.probability == "softmax":
            return softmax
        return not softmax and (self.values == "unit") == (count in _RT_CLASSES)

    def classes(self, network: Network) -> int | None:
        ports = _ports(network)
        count = ports[0].sides[2] if ports else None
        return count if count is None or self.probability == "sigmoid" else count - 1

    def look(self, network: Network, picture: Port, pixels: Pixels, values: Values) -> Candidates:
        height, width = view_size(picture, *self._size(pixels))
        view, fit = squashed(pixels, height, width)
        outputs = [as_floats(each) for each in network.run(_feeds(network, picture, tensor(picture, view, values)))]
        ports = _ports(network)
        assert ports is not None
        logits, boxes = (outputs[network.outputs.index(port)][0] for port in ports)
        if self.probability == "softmax":
            powers = np.exp(logits - logits.max(axis=1, keepdims=True))
            chances = (powers / powers.sum(axis=1, keepdims=True))[:, :-1]
        else:
            chances = 1 / (1 + np.exp(-logits))
        best = chances.argmax(axis=1)
        scores = np.take_along_axis(chances, best[:, None], axis=1)[:, 0]
        return Candidates(_placed(boxes, fit), scores.astype(np.float32), best, settled=True)

    def _size(self, pixels: Pixels) -> tuple[int, int]:
        if self.values == "unit":
            return _RT_SIDE, _RT_SIDE
        height, width = pixels.shape[:2]
        scale = min(_SHORTER / min(height, width), _LONGER / max(height, width))
        return max(1, round(height * scale)), max(1, round(width * scale))


def _placed(boxes: Floats, fit: Fit) -> Floats:
    size = np.array((fit.width, fit.height) * 2, np.float32)
    return np.asarray(np.clip(corners(boxes) * size, 0, size), np.float32)


def _feeds(network: Network, picture: Port, image: Array) -> dict[str, Array]:
    """The picture, and, if an export has that input, a mask that marks all of it as valid."""
    feeds = {picture.name: image}
    sides = image.shape[1:3] if channels_last(picture) else image.shape[2:4]
    for port in network.inputs:
        if port is not picture and len(port.sides) == 3:
            height, width = (own or side for own, side in zip(port.sides[1:], sides, strict=True))
            feeds[port.name] = np.ones((1, height, width), port.type)
    return feeds


def _ports(network: Network) -> tuple[Port, Port] | None:
    """The logits and the boxes; only outputs with names of other kinds may be beside them."""
    threes = [port for port in network.outputs if len(port.sides) == 3]
    boxes = [port for port in threes if port.sides[2] == 4 and "logit" not in port.name]
    logits = [port for port in threes if port not in boxes and "hidden" not in port.name]
    logits = [port for port in logits if "logit" in port.name] or logits
    return (logits[0], boxes[0]) if len(logits) == 1 and len(boxes) == 1 else None
