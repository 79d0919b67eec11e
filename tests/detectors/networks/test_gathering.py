from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from anamorph.detectors.networks import network as networks
from anamorph.detectors.networks.gathering import MOST_TOGETHER, GatheringNetwork, can_gather
from anamorph.detectors.networks.network import Array, Network, Port
from anamorph.detectors.networks.onnx import OnnxNetwork
from anamorph.errors import UsageError


class Doubler:
    """Doubles what it gets; its first call waits until others are there, and it can refuse more than one at a time."""

    file = Path("doubler.onnx")
    inputs: tuple[Port, ...] = (Port("x", (None, 2), "float32"),)
    outputs: tuple[Port, ...] = (Port("y", (None, 2), "float32"),)

    def __init__(self, one_by_one: bool = False) -> None:
        self.sizes: list[int] = []
        self.one_by_one = one_by_one
        self.first_may_end = threading.Event()

    def metadata(self) -> Mapping[str, str]:
        return {"names": "x"}

    def run(self, feeds: Mapping[str, Array]) -> Sequence[Array]:
        x = feeds["x"]
        self.sizes.append(len(x))
        if len(self.sizes) == 1:
            assert self.first_may_end.wait(60)
        if self.one_by_one and len(x) > 1:
            raise UsageError("one by one")
        if (x < 0).any():
            raise UsageError("below zero")
        return [2 * x]


def all_at_once(network: GatheringNetwork, doubler: Doubler, inputs: Sequence[Array]) -> list[Array | str]:
    """What the network gives to as many threads, all of which ask before the first call is over."""

    def asked(x: Array) -> Array | str:
        try:
            (y,) = network.run({"x": x})
        except UsageError as problem:
            return str(problem)
        return y

    with ThreadPoolExecutor(len(inputs)) as pool:
        futures = [pool.submit(asked, inputs[0])]
        while not doubler.sizes:
            pass
        futures += [pool.submit(asked, x) for x in inputs[1:]]
        while len(network._waiting) < len(inputs) - 1:
            pass
        doubler.first_may_end.set()
        return [future.result(60) for future in futures]


def numbers(count: int) -> list[Array]:
    return [np.full((1, 2), place, np.float32) for place in range(count)]


def test_calls_that_arrive_while_it_is_busy_run_together_and_everybody_gets_the_own_answer() -> None:
    doubler = Doubler()
    network = GatheringNetwork(doubler)
    inputs = numbers(6)
    given = all_at_once(network, doubler, inputs)
    assert [np.array_equal(y, 2 * x) for x, y in zip(inputs, given, strict=True)] == [True] * 6
    assert doubler.sizes == [1, 5] and network.metadata() == {"names": "x"}


def test_pictures_of_other_sizes_and_more_than_a_few_run_apart() -> None:
    doubler = Doubler()
    inputs = [*numbers(MOST_TOGETHER + 3), np.ones((1, 3), np.float32)]
    given = all_at_once(GatheringNetwork(doubler), doubler, inputs)
    assert [np.array_equal(y, 2 * x) for x, y in zip(inputs, given, strict=True)] == [True] * len(inputs)
    assert sorted(doubler.sizes) == [1, 1, 2, MOST_TOGETHER]


def test_a_graph_that_takes_only_one_at_a_time_is_asked_one_by_one_from_then_on() -> None:
    doubler = Doubler(one_by_one=True)
    inputs = numbers(4)
    given = all_at_once(GatheringNetwork(doubler), doubler, inputs)
    assert [np.array_equal(y, 2 * x) for x, y in zip(inputs, given, strict=True)] == [True] * 4
    assert doubler.sizes == [1, 3, 1, 1, 1]


def test_a_picture_that_fails_fails_alone() -> None:
    doubler = Doubler()
    inputs = [*numbers(3), np.full((1, 2), -1, np.float32)]
    given = all_at_once(GatheringNetwork(doubler), doubler, inputs)
    assert given[-1] == "below zero"
    assert [np.array_equal(y, 2 * x) for x, y in zip(inputs[:-1], given[:-1], strict=True)] == [True] * 3


def test_a_real_network_gives_the_same_together_as_alone(shared: Path) -> None:
    alone = OnnxNetwork(shared / "models" / "easy-vqa" / "easy_vqa.onnx")
    assert can_gather(alone)
    network = GatheringNetwork(alone)
    rng = np.random.default_rng(1)
    feeds = [
        {"image": rng.random((1, 64, 64, 3), np.float32) - 0.5, "question": rng.random((1, 27), np.float32)}
        for _ in range(12)
    ]
    with ThreadPoolExecutor(12) as pool:
        together = list(pool.map(network.run, feeds))
    for each, given in zip(feeds, together, strict=True):
        for one, other in zip(alone.run(each), given, strict=True):
            assert one.shape == other.shape
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_only_a_free_first_side_gathers_and_only_away_from_the_processor(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = shared / "models" / "easy-vqa" / "easy_vqa.onnx"
    assert not can_gather(OnnxNetwork(shared / "models" / "yolox_nano.onnx"))
    assert isinstance(networks.open_network(file), OnnxNetwork)
    monkeypatch.setattr("anamorph.detectors.networks.onnx.session", lambda file, device: session_of(file))
    opened: Network = networks.open_network(file, "cuda")
    assert isinstance(opened, GatheringNetwork)


def session_of(file: Path) -> object:
    from anamorph.weights.sessions import session

    return session(file)
