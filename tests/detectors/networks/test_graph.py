from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from anamorph.detectors import open_detector
from anamorph.detectors.networks.network import open_network
from anamorph.errors import UsageError
from tests.detectors.tiny_networks import picture, write_network
from tests.inpainters.tiny_onnx import _bytes, _number

_TEXT = """
node { name: "image_tensor" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "positive" op: "Relu" input: "image_tensor" attr { key: "T" value { type: DT_FLOAT } } }
"""


def _node(name: str, kind: str, attribute: str, *inputs: str) -> bytes:
    value = _bytes(1, attribute) + _bytes(2, _number(6, 1))
    return _bytes(1, _bytes(1, name) + _bytes(2, kind) + b"".join(_bytes(3, i) for i in inputs) + _bytes(5, value))


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """A graph that gives what it sees, without what is below 0."""
    file = tmp_path / "graph.pb"
    file.write_bytes(_node("image_tensor", "Placeholder", "dtype") + _node("positive", "Relu", "T", "image_tensor"))
    file.with_suffix(".pbtxt").write_text(_TEXT)
    return file


def test_a_frozen_graph_runs_in_several_threads(graph: Path) -> None:
    network = open_network(graph)
    assert [str(port) for port in network.outputs] == ["positive float32 [1, 3, 300, 300]"]
    seen = np.random.default_rng(0).normal(size=(4, 1, 3, 300, 300)).astype(np.float32)
    with ThreadPoolExecutor(2) as pool:
        for given, (made,) in zip(seen, pool.map(lambda one: network.run({"image_tensor": one}), seen), strict=True):
            assert (made == np.maximum(given, 0)).all()


def test_a_graph_that_finds_nothing_is_told_with_its_shapes(graph: Path) -> None:
    with pytest.raises(UsageError, match=r"Outputs: positive float32 \[1, 3, 300, 300\]\. Choose a layout"):
        open_detector(graph)


def test_a_broken_graph_is_named(graph: Path) -> None:
    graph.write_bytes(b"no graph")
    with pytest.raises(UsageError, match=r"graph\.pb: cannot be loaded as a frozen graph"):
        open_detector(graph)


def test_rows_of_ssd_have_shares_of_the_picture_and_cocos_ids(tmp_path: Path) -> None:
    rows = [[[(0, 18, 0.75, 0.375, 0.25, 0.625, 0.75), (0, 1, 0.5, 0.5, -0.1, 1.2, 0.5), (-1, 0, 0, 0, 0, 0, 0)]]]
    detector = open_detector(write_network(tmp_path / "n.onnx", (1, 3, 32, 32), {"detection_out": rows}))
    assert (detector.layout, detector.values, detector.has_masks) == ("ssd-rows", "bytes", False)
    dog, person = detector.find(picture(128, 64), 0.1)
    assert (dog.label, dog.box.x, dog.box.y, dog.box.width, dog.box.height) == ("dog", 48, 16, 32, 32)
    assert (person.label, person.box.x, person.box.y, person.box.right, person.box.bottom) == ("person", 64, 0, 128, 32)
