from __future__ import annotations

import io
import struct

import pytest
from hypothesis import given, strategies as st

from anamorph.photos.orientation import exif_orientation, png_exif


def block(value: int, order: str = "<", type_: int = 3, before: int = 0) -> bytes:
    """An EXIF block with `before` other entries ahead of the orientation."""
    start = {"<": b"II*\0", ">": b"MM\0*"}[order] + struct.pack(f"{order}IH", 8, before + 1)
    for tag in range(before):
        start += struct.pack(f"{order}HHII", tag, 4, 1, 6)
    return (
        start
        + struct.pack(f"{order}HHI", 0x0112, type_, 1)
        + struct.pack(order + ("HH" if type_ == 3 else "I"), *_value(value, type_))
    )


def _value(value: int, type_: int) -> tuple[int, ...]:
    return (value, 0) if type_ == 3 else (value,)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("type_", [3, 4])
@pytest.mark.parametrize("prefix", [b"", b"Exif\0\0"])
def test_the_orientation_is_found_in_either_byte_order(order: str, type_: int, prefix: bytes) -> None:
    for value in range(1, 9):
        assert exif_orientation(prefix + block(value, order, type_, before=3)) == value


@pytest.mark.parametrize("value", [0, 9, 65535])
def test_an_orientation_that_does_not_exist_counts_as_upright(value: int) -> None:
    assert exif_orientation(block(value)) == 1


def test_a_block_cut_anywhere_counts_as_upright() -> None:
    whole = block(6)
    for length in range(len(whole) - 3):
        assert exif_orientation(whole[:length]) == 1


@given(st.binary(max_size=200), st.sampled_from([b"", b"II*\0", b"MM\0*", b"Exif\0\0II*\0\x08\0\0\0"]))
def test_any_bytes_have_an_orientation(content: bytes, prefix: bytes) -> None:
    assert 1 <= exif_orientation(prefix + content) <= 8


@given(st.binary(max_size=200))
def test_any_bytes_can_be_searched_for_a_png_block_and_the_position_is_kept(content: bytes) -> None:
    file = io.BytesIO(b"\x89PNG\r\n\x1a\n" + content)
    file.seek(5)
    assert isinstance(png_exif(file), bytes)
    assert file.tell() == 5
