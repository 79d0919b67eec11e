"""A network in LaMa's interface, small enough to be written by hand: ONNX files are protocol buffers."""

from __future__ import annotations

import struct
from pathlib import Path


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    content = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _node(kind: str, inputs: tuple[str, ...], output: str) -> bytes:
    return _bytes(1, b"".join(_bytes(1, name) for name in inputs) + _bytes(2, output) + _bytes(4, kind))


def _constant(name: str, value: float) -> bytes:
    return _bytes(5, _number(2, 1) + _bytes(9, struct.pack("<f", value)) + _bytes(8, name))


def _weights(name: str, shape: tuple[int, ...], values: tuple[float, ...]) -> bytes:
    sides = b"".join(_number(1, side) for side in shape)
    return _bytes(5, sides + _number(2, 1) + _bytes(9, struct.pack(f"<{len(values)}f", *values)) + _bytes(8, name))


def _floats(field: int, name: str, *shape: int | str) -> bytes:
    """A tensor of floats; a side that has a name may have any length."""
    sides = b"".join(_bytes(1, _bytes(2, side) if isinstance(side, str) else _number(1, side)) for side in shape)
    return _bytes(field, _bytes(1, name) + _bytes(2, _bytes(1, _number(1, 1) + _bytes(2, sides))))


def write_tiny_lama(
    path: Path, side: int = 64, level: float = 0.5, scale: float = 255.0, image: str = "image", opset: int = 13
) -> Path:
    """Writes a network that fills the hole with one level: (image * (1 - mask) + level * mask) * scale."""
    graph = (
        _node("Sub", ("one", "mask"), "keep")
        + _node("Mul", (image, "keep"), "kept")
        + _node("Mul", ("mask", "level"), "new")
        + _node("Add", ("kept", "new"), "mixed")
        + _node("Mul", ("mixed", "scale"), "output")
        + _bytes(2, "tiny")
        + _constant("one", 1.0)
        + _constant("level", level)
        + _constant("scale", scale)
        + _floats(11, image, 1, 3, side, side)
        + _floats(11, "mask", 1, 1, side, side)
        + _floats(12, "output", 1, 3, side, side)
    )
    return _written(path, graph, opset)


def write_tiny_lama_of_four_channels(path: Path, *sides: int | str, level: float = 0.5) -> Path:
    """Writes a network that sees image and mask as one, and adds one level where the mask is to what the image has."""
    rows = [(*(float(column == row) for column in range(3)), level) for row in range(3)]
    graph = (
        _node("Conv", ("input", "mixing"), "output")
        + _bytes(2, "tiny")
        + _weights("mixing", (3, 4, 1, 1), tuple(value for row in rows for value in row))
        + _floats(11, "input", 1, 4, *sides)
        + _floats(12, "output", 1, 3, *sides)
    )
    return _written(path, graph, 17)


def _written(path: Path, graph: bytes, opset: int) -> Path:
    path.write_bytes(_number(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, "") + _number(2, opset)))
    return path
