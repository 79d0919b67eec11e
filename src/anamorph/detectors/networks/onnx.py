"""ONNX networks, run by onnxruntime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anamorph.detectors.networks.network import Array, Port, number_type
from anamorph.errors import UsageError
from anamorph.weights.sessions import Device, session


class OnnxNetwork:
    """A network in an ONNX file; its session is shared by everybody who opens the same file."""

    def __init__(self, file: Path, device: Device = "cpu") -> None:
        self.file = file
        self._session = session(file, device)
        self.inputs = tuple(_port(each) for each in self._session.get_inputs())
        self.outputs = tuple(_port(each) for each in self._session.get_outputs())

    def metadata(self) -> Mapping[str, str]:
        return dict(self._session.get_modelmeta().custom_metadata_map)

    def run(self, feeds: Mapping[str, Array]) -> Sequence[Array]:
        try:
            outputs: Sequence[Array] = self._session.run(None, dict(feeds))
        except Exception as problem:
            reason = str(problem).splitlines()[0][:200]
            raise UsageError(f"{self.file}: the network does not run ({reason}).") from problem
        return outputs


def _port(each: Any) -> Port:
    sides = tuple(side if isinstance(side, int) and side > 0 else None for side in each.shape)
    return Port(each.name, sides, number_type(each.type))
