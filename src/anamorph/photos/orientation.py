"""The orientation of a photo, from its EXIF block alone.

Pillow's reader is not used: for a PNG without EXIF it decodes the whole image to look for one after the pixels, and it
warns process-wide about damaged blocks.
"""

from __future__ import annotations

import struct
from typing import BinaryIO

import numpy as np

from anamorph.model import Pixels

_ORIENTATION = 0x0112
_SHORT, _LONG = 3, 4
_MOST_EXIF_BYTES = 1 << 20


def exif_orientation(exif: bytes) -> int:
    """The orientation, 1 to 8, in an EXIF block; 1 (upright) if absent, odd or damaged."""
    block = exif.removeprefix(b"Exif\x00\x00")
    order = {b"II*\x00": "<", b"MM\x00*": ">"}.get(block[:4])
    if order is None:
        return 1
    try:
        (start,) = struct.unpack_from(f"{order}I", block, 4)
        (entries,) = struct.unpack_from(f"{order}H", block, start)
        for entry in range(entries):
            at = start + 2 + 12 * entry
            tag, type_ = struct.unpack_from(f"{order}HH", block, at)
            if tag == _ORIENTATION and type_ in (_SHORT, _LONG):
                (value,) = struct.unpack_from(order + ("H" if type_ == _SHORT else "I"), block, at + 8)
                return value if 1 <= value <= 8 else 1
    except struct.error:
        return 1
    return 1


def png_exif(file: BinaryIO) -> bytes:
    """The EXIF block of a PNG, anywhere in the file, whose position is kept."""
    position = file.tell()
    try:
        file.seek(8)
        while len(head := file.read(8)) == 8:
            length, name = struct.unpack(">I4s", head)
            if name == b"eXIf":
                return file.read(min(length, _MOST_EXIF_BYTES))
            if name == b"IEND":
                break
            file.seek(length + 4, 1)
        return b""
    finally:
        file.seek(position)


def turns_sideways(orientation: int) -> bool:
    """Whether turning the photo upright swaps its width and height."""
    return orientation >= 5


def upright(pixels: Pixels, orientation: int) -> Pixels:
    """The photo turned upright."""
    if turns_sideways(orientation):
        pixels = pixels.swapaxes(0, 1)
    if orientation in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    if orientation in (3, 4, 7, 8):
        pixels = pixels[::-1]
    return np.ascontiguousarray(pixels)
