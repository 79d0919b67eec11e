"""Classifiers: one number for each class, of the picture as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anamorph.detectors.detection import Candidates, Floats
from anamorph.detectors.fitting import Values, squashed, tensor
from anamorph.detectors.networks.network import Network, Port, as_floats, view_size
from anamorph.model import Pixels

_SIDE = 224
# Tolerance for probabilities that were rounded to float16.
_ALMOST = 1e-3


@dataclass(frozen=True, slots=True)
class ClassifierLayout:
    """Numbers from 0 to 1 are probabilities; others are logits, of independent or (softmax) of exclusive classes."""

    locates: ClassVar[bool] = False
    softmax: bool = False
    values: Values = "imagenet"

    @property
    def form(self) -> str:
        note = ", exclusive classes; never chosen automatically" if self.softmax else ""
        return f"an output [1, classes]{note}"

    def suits(self, picture: Port, network: Network, classes: int | None) -> bool:
        if self.softmax or len(network.outputs) != 1:
            return False
        first, *others = network.outputs[0].sides
        return first in (1, None) and len(others) in (1, 3) and all(side == 1 for side in others[1:])

    def classes(self, network: Network) -> int | None:
        return network.outputs[0].sides[1]

    def look(self, network: Network, picture: Port, pixels: Pixels, values: Values) -> Candidates:
        view, fit = squashed(pixels, *view_size(picture, _SIDE, _SIDE))
        (output, *_) = network.run({picture.name: tensor(picture, view, values)})
        numbers: Floats = as_floats(output).ravel()
        if numbers.min(initial=0) < -_ALMOST or numbers.max(initial=0) > 1 + _ALMOST:
            numbers = _softmax(numbers) if self.softmax else _sigmoid(numbers)
        whole = np.array([0, 0, fit.width, fit.height], np.float32)
        boxes = np.broadcast_to(whole, (len(numbers), 4))
        return Candidates(boxes, np.clip(numbers, 0, 1), np.arange(len(numbers)), settled=True)


def _sigmoid(logits: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-logits)), np.float32)


def _softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max())
    return np.asarray(powers / powers.sum(), np.float32)
