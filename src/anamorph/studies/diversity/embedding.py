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
    output: int = 0

    def embed(self, pixels: Pixels) -> Floats:
        view, _ = squashed(pixels, *view_size(self.picture, _SIDE, _SIDE))
        outputs = self.network.run({self.picture.name: tensor(self.picture, view, self.values)})
        found = as_floats(outputs[self.output])[0]
        # A map of features is averaged over the picture.
        vector = found.mean(axis=(1, 2)) if found.ndim == 3 and found.shape[1] > 1 else found.ravel()
        if vector.min() >= 0 and abs(float(vector.sum()) - 1) < 0.05:
            # Probabilities: distances between their roots (Hellinger) see more than the one sure class.
            vector = np.sqrt(vector)
        length = float(np.linalg.norm(vector))
        return np.asarray(vector / length if length else vector, np.float32)


def open_embedder(file: Path, values: Values = "imagenet") -> Embedder:
    """The network in a file; its first output that is one vector, or one map of features, for a picture is used."""
    network = open_network(file)
    fitting = (place for place, output in enumerate(network.outputs) if _is_embedding(output))
    place = next(fitting, None)
    if place is None:
        found = ", ".join(map(str, network.outputs))
        raise UsageError(f"{file}: it gives {found}; expected one vector for a picture, such as [1, 1000].")
    return Embedder(network, picture_port(network), values, place)


def _is_embedding(output: Port) -> bool:
    sides = output.sides
    return len(sides) in (2, 4) and sides[0] in (1, None) and (sides[1] is None or sides[1] >= _LEAST)
