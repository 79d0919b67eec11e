"""Networks from files behind one interface: their inputs, their outputs, and `run`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from anamorph.errors import UsageError
from anamorph.weights.sessions import Device

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output of a network; sides that are free are None."""

    name: str
    sides: tuple[int | None, ...]
    type: str

    def __str__(self) -> str:
        sides = ", ".join("?" if side is None else str(side) for side in self.sides)
        return f"{self.name} {self.type} [{sides}]"


class Network(Protocol):
    """A network that several threads may run; outputs keep their order, and quantised ones are floats again."""

    file: Path
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]

    def metadata(self) -> Mapping[str, str]: ...

    def run(self, feeds: Mapping[str, Array]) -> Sequence[Array]: ...


def open_network(file: Path, device: Device = "cpu") -> Network:
    """The network in a file, by the ending of its name."""
    ending = file.suffix.lower()
    if ending == ".onnx":
        from anamorph.detectors.networks.gathering import GatheringNetwork, can_gather
        from anamorph.detectors.networks.onnx import OnnxNetwork

        network = OnnxNetwork(file, device)
        return GatheringNetwork(network) if device != "cpu" and can_gather(network) else network
    if ending == ".tflite":
        from anamorph.detectors.networks.tflite import open_tflite

        return open_tflite(file)
    if ending == ".pb":
        from anamorph.detectors.networks.graph import open_graph

        return open_graph(file)
    raise UsageError(f"{file}: the name of a detector's file must end in .onnx, .tflite or .pb.")


def picture_port(network: Network) -> Port:
    """The input that takes the picture: the one with four sides."""
    ports = [port for port in network.inputs if len(port.sides) == 4]
    if len(ports) != 1:
        seen = "; ".join(map(str, network.inputs))
        raise UsageError(f"{network.file}: expected one input with four sides for the picture, got {seen}.")
    return ports[0]


def channels_last(port: Port) -> bool:
    """Whether an input is [1, height, width, 3] rather than [1, 3, height, width]."""
    return port.sides[3] == 3 and port.sides[1] != 3


def view_size(port: Port, height: int, width: int) -> tuple[int, int]:
    """Height and width that an input requires; the given ones if it takes any size."""
    sides = port.sides[1:3] if channels_last(port) else port.sides[2:4]
    return sides[0] or height, sides[1] or width


def number_type(name: str) -> str:
    """The name of numpy's type for what a network calls tensor(float), float32, uint8 ..."""
    inner = name.removeprefix("tensor(").removesuffix(")")
    return {"float": "float32", "double": "float64"}.get(inner, inner)


def is_float(port: Port) -> bool:
    return port.type.startswith("float")


def as_floats(output: Array) -> npt.NDArray[np.float32]:
    return np.asarray(output, np.float32)
