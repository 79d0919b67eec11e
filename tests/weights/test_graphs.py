from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anamorph.weights.graphs import _message, with_scaling_as_convolution


def tensor(parent: Any, name: str, array: Any) -> None:
    made = parent.add()
    made.name, made.data_type, made.raw_data = name, 1, array.astype("<f4").tobytes()
    made.dims.extend(array.shape)


def model_of(scale: float = 2**0.5, between: str = "LeakyRelu") -> bytes:
    """A convolution, an activation, a product with a number, and a bound: what MI-GAN has 65 times."""
    rng = np.random.default_rng(5)
    inner = _message("Model")()
    graph = inner.graph
    tensor(graph.initializer, "w", rng.normal(size=(8, 3, 3, 3)))
    for kind, inputs, output in [
        ("Conv", ["x", "w"], "c"),
        (between, ["c"], "a"),
        ("Constant", [], "k"),
        ("Mul", ["a", "k"], "m"),
        ("Relu", ["m"], "y"),
    ]:
        node = graph.node.add(op_type=kind)
        node.input.extend(inputs)
        node.output.append(output)
        if kind == "Constant":
            value = node.attribute.add(name="value", type=4)
            value.t.data_type, value.t.raw_data = 1, np.array(scale, "<f4").tobytes()
    return bytes(inner.SerializeToString()) + HEAD


def wire(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2, len(content)]) + content


def value_info(name: str, sides: tuple[int, ...]) -> bytes:
    shape = b"".join(wire(1, bytes([0x08, side])) for side in sides)
    return wire(1, name.encode()) + wire(2, wire(1, b"\x08\x01" + wire(2, shape)))


# What the graph has besides, which our messages do not know: its name, its input, its output; the versions.
GRAPH_REST = wire(2, b"g") + wire(11, value_info("x", (1, 3, 9, 9))) + wire(12, value_info("y", (1, 8, 7, 7)))
HEAD = wire(7, GRAPH_REST) + b"\x08\x08" + wire(8, b"\x10\x11")


def run(content: bytes, feeds: dict[str, Any]) -> Any:
    # Imported here: collecting the tests should not pay for it.
    import onnxruntime  # type: ignore[import-untyped]

    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, feeds)[0])


def kinds(content: bytes) -> list[str]:
    model = _message("Model")()
    model.ParseFromString(content)
    return [node.op_type for node in model.graph.node]


@pytest.fixture(autouse=True)
def _a_processor_with_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")


def test_a_product_becomes_a_convolution_with_the_same_numbers() -> None:
    plain = model_of()
    rewritten = with_scaling_as_convolution(plain)
    assert kinds(plain).count("Mul") == 1
    assert (kinds(rewritten).count("Mul"), kinds(rewritten).count("Conv")) == (0, 2)
    pixels = np.random.default_rng(6).normal(size=(1, 3, 9, 9)).astype(np.float32)
    assert np.array_equal(run(plain, {"x": pixels}), run(rewritten, {"x": pixels}))


def test_what_is_not_as_expected_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert kinds(with_scaling_as_convolution(model_of(between="Sigmoid"))) == kinds(model_of(between="Sigmoid"))
    assert with_scaling_as_convolution(b"\xff not a model") == b"\xff not a model"
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    assert with_scaling_as_convolution(model_of()) == model_of()


def test_migan_fills_as_its_own_graph_does(shared: Path) -> None:
    content = (shared / "models" / "migan_pipeline_v2.onnx").read_bytes()
    rewritten = with_scaling_as_convolution(content)
    assert kinds(content).count("Mul") - kinds(rewritten).count("Mul") == 65
    image = np.random.default_rng(7).integers(0, 256, (1, 3, 96, 128), np.uint8)
    mask = np.full((1, 1, 96, 128), 255, np.uint8)
    mask[..., 30:60, 40:80] = 0
    feeds = {"image": image, "mask": mask}
    assert np.array_equal(run(content, feeds), run(rewritten, feeds))
