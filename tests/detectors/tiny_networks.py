"""Networks that give fixed outputs, whatever they see: their outputs are constants in a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.inpainters.tiny_onnx import _bytes, _node, _number

_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}
Side = int | str


def _port(field: int, name: str, type_: str, sides: Sequence[Side]) -> bytes:
    shape = b"".join(_bytes(1, _number(1, side) if isinstance(side, int) else _bytes(2, side)) for side in sides)
    return _bytes(field, _bytes(1, name) + _bytes(2, _bytes(1, _number(1, _TYPES[type_]) + _bytes(2, shape))))


def _constant(name: str, content: npt.NDArray[Any]) -> bytes:
    sides = b"".join(_number(1, side) for side in content.shape)
    return _bytes(5, sides + _number(2, _TYPES[content.dtype.name]) + _bytes(8, name) + _bytes(9, content.tobytes()))


def write_network(
    path: Path,
    picture: Sequence[Side],
    outputs: Mapping[str, npt.ArrayLike],
    *,
    type_: str = "float32",
    names: str | None = None,
    free: Mapping[str, Sequence[Side]] | None = None,
    mask: Sequence[Side] | None = None,
) -> Path:
    """Writes a network with the input `images` (and perhaps `pixel_mask`); `free` replaces the declared sides."""
    contents = {name: np.asarray(value, np.float32) for name, value in outputs.items()}
    graph = b"".join(_node("Identity", (f"{name}_constant",), name) for name in contents) + _bytes(2, "tiny")
    graph += b"".join(_constant(f"{name}_constant", content) for name, content in contents.items())
    graph += _port(11, "images", type_, picture)
    if mask is not None:
        graph += _port(11, "pixel_mask", "int64", mask)
    for name, content in contents.items():
        graph += _port(12, name, "float32", (free or {}).get(name, content.shape))
    metadata = b"" if names is None else _bytes(14, _bytes(1, "names") + _bytes(2, names))
    path.write_bytes(_number(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, "") + _number(2, 13)) + metadata)
    return path


def picture(width: int, height: int) -> npt.NDArray[np.uint8]:
    """Noise of one size."""
    return np.random.default_rng(width * 1000 + height).integers(0, 256, (height, width, 3), dtype=np.uint8)


def write_flattening(path: Path, side: int = 8) -> Path:
    """Writes a network that gives what it sees, as one vector."""
    graph = _node("Flatten", ("images",), "out") + _bytes(2, "tiny")
    graph += _port(11, "images", "float32", (1, 3, side, side)) + _port(12, "out", "float32", (1, 3 * side * side))
    path.write_bytes(_number(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, "") + _number(2, 13)))
    return path
