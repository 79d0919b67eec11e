"""Calls that arrive while a network is busy, run together.

For devices that are faster with several pictures at once. A processor core is not: of YOLO11n-seg and YOLOX-nano with a
free first side, a picture took 1.00 to 1.10 times as long in batches of 2 to 8 as alone, with the same outputs.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anamorph.detectors.networks.network import Array, Network, Port

MOST_TOGETHER = 16


@dataclass(slots=True, eq=False)
class _Call:
    """One thread's request, and the answer once it is there."""

    feeds: Mapping[str, Array]
    outputs: Sequence[Array] | None = None
    problem: Exception | None = None

    @property
    def done(self) -> bool:
        return self.outputs is not None or self.problem is not None

    @property
    def form(self) -> tuple[tuple[str, tuple[int, ...], str], ...]:
        """Only calls of one form can run together."""
        return tuple((name, array.shape, str(array.dtype)) for name, array in sorted(self.feeds.items()))


class GatheringNetwork:
    """A network with a free first side: one thread runs all waiting requests, and none waits for a fuller batch."""

    def __init__(self, network: Network) -> None:
        self.file: Path = network.file
        self.inputs: tuple[Port, ...] = network.inputs
        self.outputs: tuple[Port, ...] = network.outputs
        self._network = network
        self._waiting: deque[_Call] = deque()
        self._lock = threading.Lock()
        self._running = threading.Lock()
        self._together = True

    def metadata(self) -> Mapping[str, str]:
        return self._network.metadata()

    def run(self, feeds: Mapping[str, Array]) -> Sequence[Array]:
        call = _Call(feeds)
        with self._lock:
            self._waiting.append(call)
        while not call.done:
            with self._running:
                if not call.done:
                    self._run_some()
        if call.problem is not None:
            raise call.problem
        assert call.outputs is not None
        return call.outputs

    def _run_some(self) -> None:
        """Run the calls that wait longest, as far as they fit together."""
        with self._lock:
            form, most = self._waiting[0].form, MOST_TOGETHER if self._together else 1
            calls = [call for call in self._waiting if call.form == form][:most]
            for call in calls:
                self._waiting.remove(call)
        if len(calls) > 1 and not self._run_together(calls):
            # Some graphs have a free first side and work with a single picture only.
            self._together = False
        for call in calls:
            if not call.done:
                _run_alone(self._network, call)

    def _run_together(self, calls: Sequence[_Call]) -> bool:
        feeds = {name: np.concatenate([call.feeds[name] for call in calls]) for name in calls[0].feeds}
        try:
            outputs = self._network.run(feeds)
        except Exception:  # noqa: BLE001  each call alone shows which one is to blame
            return False
        if any(len(output) != len(calls) for output in outputs):
            return False
        for place, call in enumerate(calls):
            call.outputs = [output[place : place + 1] for output in outputs]
        return True


def can_gather(network: Network) -> bool:
    """Whether all that goes in and comes out has a free first side."""
    return all(port.sides and port.sides[0] is None for port in (*network.inputs, *network.outputs))


def _run_alone(network: Network, call: _Call) -> None:
    try:
        call.outputs = network.run(call.feeds)
    except Exception as problem:  # noqa: BLE001  it is raised in the thread that asked
        call.problem = problem
