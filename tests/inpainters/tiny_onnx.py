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


def _floats(field: int, name: str, *shape: int) -> bytes:
    sides = b"".join(_bytes(1, _number(1, side)) for side in shape)
    return _bytes(field, _bytes(1, name) + _bytes(2, _bytes(1, _number(1, 1) + _bytes(2, sides))))


def write_tiny_lama(path: Path, side: int = 64, level: float = 0.5, scale: float = 255.0, image: str = "image") -> Path:
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
    opset = _bytes(8, _bytes(1, "") + _number(2, 13))
    path.write_bytes(_number(1, 8) + _bytes(7, graph) + opset)
    return path
