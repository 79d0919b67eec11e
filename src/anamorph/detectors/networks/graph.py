"""Frozen graphs of TensorFlow, run by OpenCV; the text graph that OpenCV needs has the same name and ends in .pbtxt."""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from anamorph.detectors.networks.network import Array, Port
from anamorph.errors import UsageError

# Neither file says for which size the graph was laid out; it is that of TensorFlow's small SSDs.
_SIDE = 300
_opening = threading.Lock()


def open_graph(file: Path) -> GraphNetwork:
    """The network in a file; one for each file, which several threads may share."""
    status = file.stat()
    with _opening:
        return _opened(file.absolute(), status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=8)
def _opened(file: Path, modified: int, size: int) -> GraphNetwork:
    return GraphNetwork(file)


class GraphNetwork:
    """A network in a .pb file; OpenCV's are not thread-safe, so each thread has its own."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._own = threading.local()
        self.inputs: tuple[Port, ...] = (Port("image_tensor", (1, 3, _SIDE, _SIDE), "float32"),)
        # The shapes of the outputs are known only after a run.
        trial = self.run({"image_tensor": np.zeros((1, 3, _SIDE, _SIDE), np.float32)})
        self.outputs = tuple(
            Port(name, tuple(each.shape), each.dtype.name)
            for name, each in zip(self._net().getUnconnectedOutLayersNames(), trial, strict=True)
        )

    def metadata(self) -> Mapping[str, str]:
        return {}

    def run(self, feeds: Mapping[str, Array]) -> Sequence[Array]:
        net = self._net()
        try:
            net.setInput(feeds["image_tensor"])
            return [np.array(each) for each in net.forward(net.getUnconnectedOutLayersNames())]
        except cv2.error as problem:
            raise UsageError(f"{self.file}: the network does not run ({_reason(problem)}).") from problem

    def _net(self) -> Any:
        found = getattr(self._own, "net", None)
        if found is None:
            found = self._own.net = _net_of(self.file)
        return found


def _net_of(file: Path) -> Any:
    text = file.with_suffix(".pbtxt")
    if not text.is_file():
        raise UsageError(f"{file}: a frozen graph needs its text graph {text.name} beside it, which is not there.")
    try:
        return cv2.dnn.readNetFromTensorflow(str(file), str(text))
    except cv2.error as problem:
        raise UsageError(f"{file}: cannot be loaded as a frozen graph ({_reason(problem)}).") from problem


def _reason(problem: cv2.error) -> str:
    return (str(problem).splitlines() or ["no reason given"])[0][:200]
