"""Files that several tests of the scene sources need."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from anamorph.model import Pixels

SavePhoto = Callable[..., Path]


@pytest.fixture
def save_photo() -> SavePhoto:
    """Write a small photo, making the folders it needs; gives its path."""

    def save(path: Path, width: int = 8, height: int = 6, **options: Any) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pattern(width, height)).save(path, **options)
        return path

    return save


@pytest.fixture
def real_photos(shared: Path) -> Path:
    """The folder of real COCO photos."""
    return shared / "photos"


@pytest.fixture
def huge_png() -> bytes:
    """A PNG of a few bytes that claims to be 60,000 x 60,000."""
    return png(60_000, 60_000, 8, 2, (b"IDAT", b""))


@pytest.fixture
def make_png() -> Callable[..., bytes]:
    """Makes a PNG from its header's numbers and its further chunks."""
    return png


@pytest.fixture
def make_tiff() -> Callable[..., bytes]:
    """Makes an uncompressed grey TIFF from its bytes."""
    return grey_tiff


def pattern(width: int, height: int) -> Pixels:
    """A picture no two pixels of which are alike."""
    rows, columns = np.mgrid[:height, :width]
    return np.stack([rows * 20 % 256, columns * 20 % 256, (rows * width + columns) % 256], axis=2).astype(np.uint8)


def chunk(name: bytes, content: bytes) -> bytes:
    """One chunk of a PNG."""
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(width: int, height: int, bits: int, colour: int, *chunks: tuple[bytes, bytes]) -> bytes:
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(chunk(name, content) for name, content in chunks)


def grey_tiff(values: bytes, width: int, bits: int, photometric: int, order: str = "<", height: int = 1) -> bytes:
    """An uncompressed TIFF of one row."""
    tags = [
        (256, width),
        (257, height),
        (258, bits),
        (259, 1),
        (262, photometric),
        (273, 8),
        (277, 1),
        (278, 1),
        (279, len(values)),
    ]
    padded = values + b"\0" * (len(values) % 2)
    directory = struct.pack(f"{order}H", len(tags))
    for tag, value in tags:
        directory += struct.pack(f"{order}HHIHH", tag, 3, 1, value, 0)
    start = {"<": b"II*\0", ">": b"MM\0*"}[order] + struct.pack(f"{order}I", 8 + len(padded))
    return start + padded + directory + struct.pack(f"{order}I", 0)
