from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
import pytest

from anamorph.weights.graphs import _message, with_fewer_passes


def tensor(parent: Any, name: str, array: Any) -> None:
    made = parent.add()
    made.name, made.data_type, made.raw_data = name, 1, array.astype("<f4").tobytes()
    made.dims.extend(array.shape)


def model_of(scale: float = 2**0.5, between: str = "LeakyRelu", bound: float = 256, *, twice: bool = False) -> bytes:
    """A convolution, an activation, a product with a number, and a bound: what MI-GAN has 65 times."""
    rng = np.random.default_rng(5)
    inner = _message("Model")()
    graph = inner.graph
    graph.output.add(name="y")
    tensor(graph.initializer, "w", rng.normal(size=(8, 3, 3, 3)))
    tensor(graph.initializer, "b", rng.normal(size=8))
    constants = {"k": scale, "low": -bound, "high": bound}
    for kind, inputs, output in [
        ("Conv", ["x", "w", "b"], "c"),
        (between, ["c"], "a"),
        *(("Constant", [], name) for name in constants),
        ("Mul", ["a", "k"], "m"),
        ("Clip", ["m", "low", "high"], "n"),
        ("Add", ["n", "c" if twice else "n"], "y"),
    ]:
        node = graph.node.add(op_type=kind)
        node.input.extend(inputs)
        node.output.append(output)
        if kind == "Constant":
            value = node.attribute.add(name="value", type=4)
            value.t.data_type, value.t.raw_data = 1, np.array(constants[output], "<f4").tobytes()
    # The output is in the rest, with its shape.
    del graph.output[:]
    return bytes(inner.SerializeToString()) + HEAD


def wire(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2, len(content)]) + content


def value_info(name: str, sides: tuple[int, ...]) -> bytes:
    shape = b"".join(wire(1, bytes([0x08, side])) for side in sides)
    return wire(1, name.encode()) + wire(2, wire(1, b"\x08\x01" + wire(2, shape)))


# What the graph has besides, which our messages do not know: its name, its input, its output; the versions.
GRAPH_REST = wire(2, b"g") + wire(11, value_info("x", (1, 3, 9, 9))) + wire(12, value_info("y", (1, 8, 7, 7)))
HEAD = wire(7, GRAPH_REST) + b"\x08\x08" + wire(8, b"\x10\x11")


def run(content: bytes, pixels: Any) -> Any:
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"x": pixels})[0])


def kinds(content: bytes) -> list[str]:
    model = _message("Model")()
    model.ParseFromString(content)
    return [node.op_type for node in model.graph.node]


PIXELS = np.random.default_rng(6).normal(size=(1, 3, 9, 9)).astype(np.float32)


def test_a_product_goes_into_the_weights_and_a_wide_bound_goes_away() -> None:
    plain = model_of()
    rewritten = with_fewer_passes(plain)
    assert [kind for kind in kinds(rewritten) if kind != "Constant"] == ["Conv", "LeakyRelu", "Add"]
    assert np.allclose(run(plain, PIXELS), run(rewritten, PIXELS), rtol=1e-5, atol=1e-5)


def test_a_narrow_bound_stays() -> None:
    plain = model_of(bound=0.5)
    rewritten = with_fewer_passes(plain)
    assert [kind for kind in kinds(rewritten) if kind != "Constant"] == ["Conv", "LeakyRelu", "Clip", "Add"]
    assert np.allclose(run(plain, PIXELS), run(rewritten, PIXELS), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("model", [model_of(between="Sigmoid"), model_of(scale=-1.5), model_of(twice=True)])
def test_what_is_not_as_expected_stays_as_it_is(model: bytes) -> None:
    assert kinds(with_fewer_passes(model)) == kinds(model)
    assert np.array_equal(run(model, PIXELS), run(with_fewer_passes(model), PIXELS))


def test_what_is_no_model_stays_as_it_is() -> None:
    assert with_fewer_passes(b"\xff not a model") == b"\xff not a model"


def test_migan_fills_as_its_own_graph_does(shared: Path) -> None:
    content = (shared / "models" / "migan_pipeline_v2.onnx").read_bytes()
    rewritten = with_fewer_passes(content)
    before, after = kinds(content), kinds(rewritten)
    # 65 products and bounds after activations, 14 products and pads for zeros between pixels.
    taken = {kind: before.count(kind) - after.count(kind) for kind in ("Mul", "Clip", "Pad", "Conv", "LeakyRelu")}
    assert taken == {"Mul": 65 + 14, "Clip": 65, "Pad": 14, "Conv": 0, "LeakyRelu": 0}
    image = np.random.default_rng(7).integers(0, 256, (1, 3, 96, 128), np.uint8)
    mask = np.full((1, 1, 96, 128), 255, np.uint8)
    mask[..., 30:60, 40:80] = 0
    feeds, made = {"image": image, "mask": mask}, []
    for each in (content, rewritten):
        session = onnxruntime.InferenceSession(each, providers=["CPUExecutionProvider"])
        made.append(np.asarray(session.run(None, feeds)[0]).astype(int))
    differs = np.abs(made[0] - made[1])
    assert differs.max() <= 1
    assert np.count_nonzero(differs) <= 0.001 * 3 * np.count_nonzero(mask == 0)
