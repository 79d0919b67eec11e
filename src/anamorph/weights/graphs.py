"""ONNX graphs, rewritten to compute the same numbers faster on a CPU."""

from __future__ import annotations

import functools
import importlib
import platform
from collections.abc import Iterator
from typing import Any

import numpy as np

# The fields of ONNX's messages used here, by name, number, label and type; all others are kept.
_OPTIONAL, _REPEATED = 1, 3
_INT64, _INT32, _STRING, _MESSAGE, _BYTES = 3, 5, 9, 11, 12
_MESSAGES: dict[str, list[tuple[str, int, int, int | str]]] = {
    "Model": [("graph", 7, _OPTIONAL, "Graph")],
    "Graph": [("node", 1, _REPEATED, "Node"), ("initializer", 5, _REPEATED, "Tensor")],
    "Node": [
        ("input", 1, _REPEATED, _STRING),
        ("output", 2, _REPEATED, _STRING),
        ("op_type", 4, _OPTIONAL, _STRING),
        ("attribute", 5, _REPEATED, "Attribute"),
    ],
    "Attribute": [
        ("name", 1, _OPTIONAL, _STRING),
        ("i", 3, _OPTIONAL, _INT64),
        ("t", 5, _OPTIONAL, "Tensor"),
        ("ints", 8, _REPEATED, _INT64),
        ("type", 20, _OPTIONAL, _INT32),
    ],
    "Tensor": [
        ("dims", 1, _REPEATED, _INT64),
        ("data_type", 2, _OPTIONAL, _INT32),
        ("name", 8, _OPTIONAL, _STRING),
        ("raw_data", 9, _OPTIONAL, _BYTES),
    ],
}
_PACKAGE = "anamorph_onnx"
_FLOAT = 1
_INT_ATTRIBUTE, _INTS_ATTRIBUTE = 2, 7
# onnxruntime's blocked channel layout, which operators that do not support it undo.
_WITH_BLOCKS = ("x86_64", "AMD64")


def with_scaling_as_convolution(content: bytes) -> bytes:
    """A model whose activations are scaled by 1 x 1 convolutions instead of products, with identical numbers.

    MI-GAN scales and clips after each of its 65 activations. onnxruntime has convolutions and clipping in the blocked
    layout, but no product with a scalar: it reordered all pixels before and after each. Measured for MI-GAN on one
    core: 0.72 of the time, the same pixels. Unexpected patterns are left alone.
    """
    if platform.machine() not in _WITH_BLOCKS:
        return content
    # Comes with onnxruntime.
    messages: Any = importlib.import_module("google.protobuf.message")
    model = _message("Model")()
    try:
        model.ParseFromString(content)
    except messages.DecodeError:
        # Running it will report the error.
        return content
    graph = model.graph
    made_by = {name: node for node in graph.node for name in node.output}
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    for node, number, channels in list(_scalings(graph.node, made_by, tensors)):
        weights = graph.initializer.add()
        weights.name = f"{node.output[0]}_as_convolution"
        weights.dims.extend((channels, 1, 1, 1))
        weights.data_type = _FLOAT
        weights.raw_data = np.full(channels, number, "<f4").tobytes()
        node.op_type, node.input[1] = "Conv", weights.name
        group = node.attribute.add()
        group.name, group.i, group.type = "group", channels, _INT_ATTRIBUTE
        shape = node.attribute.add()
        shape.name, shape.type = "kernel_shape", _INTS_ATTRIBUTE
        shape.ints.extend((1, 1))
    return bytes(model.SerializeToString())


def _scalings(nodes: Any, made_by: dict[str, Any], tensors: dict[str, Any]) -> Iterator[tuple[Any, float, int]]:
    """The products of an activation with a scalar, the scalar, and the number of channels."""
    for node in nodes:
        if node.op_type != "Mul" or len(node.input) != 2 or len(node.attribute):
            continue
        activation, constant = (made_by.get(name) for name in node.input)
        if activation is None or activation.op_type != "LeakyRelu" or constant is None:
            continue
        number, channels = _number(constant), _channels(activation, made_by, tensors)
        if number is not None and channels is not None:
            yield node, number, channels


def _number(node: Any) -> float | None:
    """The value of a scalar constant."""
    if node.op_type != "Constant" or len(node.attribute) != 1:
        return None
    tensor = node.attribute[0].t
    if tensor.data_type != _FLOAT or len(tensor.raw_data) != 4 or any(side != 1 for side in tensor.dims):
        return None
    return float(np.frombuffer(tensor.raw_data, "<f4")[0])


def _channels(node: Any, made_by: dict[str, Any], tensors: dict[str, Any]) -> int | None:
    """The channels of an activation: those of the convolution before it, or before a sum with noise."""
    before = made_by.get(node.input[0])
    if before is not None and before.op_type == "Add":
        before = made_by.get(before.input[0])
    if before is None or before.op_type != "Conv":
        return None
    name = before.input[1]
    while name not in tensors:
        alias = made_by.get(name)
        if alias is None or alias.op_type != "Identity":
            return None
        name = alias.input[0]
    sides = tensors[name].dims
    return int(sides[0]) if len(sides) == 4 else None


@functools.cache
def _message(name: str) -> Any:
    """The class of one of ONNX's messages."""
    descriptor_pb2, descriptor_pool, message_factory = (
        importlib.import_module(f"google.protobuf.{each}")
        for each in ("descriptor_pb2", "descriptor_pool", "message_factory")
    )
    file = descriptor_pb2.FileDescriptorProto(name=f"{_PACKAGE}.proto", package=_PACKAGE, syntax="proto2")
    for message, fields in _MESSAGES.items():
        described = file.message_type.add(name=message)
        for field, number, label, kind in fields:
            if isinstance(kind, str):
                described.field.add(
                    name=field, number=number, label=label, type=_MESSAGE, type_name=f".{_PACKAGE}.{kind}"
                )
            else:
                described.field.add(name=field, number=number, label=label, type=kind)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))
