"""Pictures as points: what a network says of a whole picture, as a vector of length one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anamorph.detectors.detection import Floats
from anamorph.detectors.fitting import Values, squashed, tensor
from anamorph.detectors.networks.network import Network, Port, as_floats, open_network, picture_port, view_size
from anamorph.errors import UsageError
from anamorph.model import Pixels

_SIDE = 224
_LEAST = 16


@dataclass(frozen=True, slots=True)
class Embedder:
    """Turns pictures into vectors; several threads may use it."""

    network: Network
    picture: Port
    values: Values

    def embed(self, pixels: Pixels) -> Floats:
        view, _ = squashed(pixels, *view_size(self.picture, _SIDE, _SIDE))
        (output, *_) = self.network.run({self.picture.name: tensor(self.picture, view, self.values)})
        found = as_floats(output)[0]
        # A map of features is averaged over the picture.
        vector = found.mean(axis=(1, 2)) if found.ndim == 3 and found.shape[1] > 1 else found.ravel()
        if vector.min() >= 0 and abs(float(vector.sum()) - 1) < 0.05:
            # Probabilities: distances between their roots (Hellinger) see more than the one sure class.
            vector = np.sqrt(vector)
        length = float(np.linalg.norm(vector))
        return np.asarray(vector / length if length else vector, np.float32)


def open_embedder(file: Path, values: Values = "imagenet") -> Embedder:
    """The network in a file, if its first output is one vector, or one map of features, for a picture."""
    network = open_network(file)
    sides = network.outputs[0].sides
    if len(sides) not in (2, 4) or sides[0] not in (1, None) or (sides[1] is not None and sides[1] < _LEAST):
        raise UsageError(
            f"{file}: its first output is {network.outputs[0]}; expected one vector for a picture, such as [1, 1000]."
        )
    return Embedder(network, picture_port(network), values)
