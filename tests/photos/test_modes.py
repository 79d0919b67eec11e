from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anamorph.errors import BadPicture
from anamorph.photos.decoding import read_pixels


def test_a_greyscale_jpeg_becomes_grey_rgb(tmp_path: Path) -> None:
    path = tmp_path / "grey.jpg"
    Image.new("L", (16, 16), 77).save(path)
    pixels = read_pixels(path)
    assert pixels.shape == (16, 16, 3)
    assert np.array_equal(pixels, np.full((16, 16, 3), 77, dtype=np.uint8))


@pytest.mark.parametrize(
    ("ink", "colour"),
    [
        ((0, 0, 0, 0), (255, 255, 255)),
        ((0, 255, 255, 0), (255, 0, 0)),
        ((255, 0, 0, 0), (0, 255, 255)),
        ((0, 0, 0, 255), (0, 0, 0)),
    ],
)
def test_a_cmyk_jpeg_keeps_its_colours(tmp_path: Path, ink: tuple[int, ...], colour: tuple[int, ...]) -> None:
    path = tmp_path / "print.jpg"
    Image.new("CMYK", (16, 16), ink).save(path, quality=100)
    assert np.abs(read_pixels(path).astype(int) - colour).max() <= 2


def test_transparent_palette_entries_lie_on_white(tmp_path: Path) -> None:
    path = tmp_path / "palette.png"
    image = Image.new("P", (3, 1))
    image.putpalette([200, 0, 0, 0, 200, 0, 0, 0, 200])
    image.putdata([0, 1, 2])
    image.save(path, transparency=bytes([0, 128, 255]))
    red, green, blue = read_pixels(path)[0].tolist()
    assert red == [255, 255, 255]
    assert np.abs(np.array(green) - [127, 227, 127]).max() <= 1
    assert blue == [0, 0, 200]


def test_grey_with_alpha_lies_on_white(tmp_path: Path) -> None:
    path = tmp_path / "la.png"
    image = Image.new("LA", (3, 1))
    image.putdata([(0, 0), (0, 128), (50, 255)])
    image.save(path)
    assert read_pixels(path)[0].tolist() == [[255] * 3, [127] * 3, [50] * 3]


@pytest.mark.parametrize("format_", ["PNG", "WEBP", "TIFF"])
def test_colour_with_alpha_lies_on_white(tmp_path: Path, format_: str) -> None:
    path = tmp_path / "rgba"
    image = Image.new("RGBA", (2, 1))
    image.putdata([(9, 8, 7, 0), (9, 8, 7, 255)])
    image.save(path, format_, **({"lossless": True} if format_ == "WEBP" else {}))
    assert read_pixels(path)[0].tolist() == [[255, 255, 255], [9, 8, 7]]


def test_a_colour_that_stands_for_transparent_lies_on_white(tmp_path: Path) -> None:
    path = tmp_path / "key.png"
    image = Image.new("RGB", (2, 1), (1, 2, 3))
    image.putpixel((1, 0), (4, 5, 6))
    image.save(path, transparency=(1, 2, 3))
    assert read_pixels(path)[0].tolist() == [[255, 255, 255], [4, 5, 6]]


def test_sixteen_bit_grey_is_scaled_and_not_cut_off(tmp_path: Path) -> None:
    values = np.array([[0, 257, 32896, 65535]], dtype=np.uint16)
    for suffix in ("png", "tif"):
        path = tmp_path / f"deep.{suffix}"
        Image.fromarray(values).save(path)
        assert read_pixels(path)[0, :, 0].tolist() == [0, 1, 128, 255]


def test_a_transparent_value_of_sixteen_bit_grey_lies_on_white(tmp_path: Path, make_png: Callable[..., bytes]) -> None:
    path = tmp_path / "deep.png"
    rows = b"\0" + struct.pack(">3H", 0, 1000, 65535)
    content = make_png(3, 1, 16, 0, (b"tRNS", struct.pack(">H", 1000)), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    path.write_bytes(content)
    assert read_pixels(path)[0, :, 1].tolist() == [0, 255, 255]


def test_sixteen_bit_colour_becomes_eight_bit_colour(tmp_path: Path, make_png: Callable[..., bytes]) -> None:
    path = tmp_path / "deep.png"
    rows = b"\0" + struct.pack(">6H", 65535, 0, 0, 0, 0x8080, 65535)
    path.write_bytes(make_png(2, 1, 16, 2, (b"IDAT", zlib.compress(rows)), (b"IEND", b"")))
    assert read_pixels(path)[0].tolist() == [[255, 0, 0], [0, 128, 255]]


def test_a_tiff_whose_zero_is_white_is_not_shown_as_a_negative(tmp_path: Path, make_tiff: Callable[..., bytes]) -> None:
    path = tmp_path / "negative.tif"
    path.write_bytes(make_tiff(struct.pack("<3H", 0, 32896, 65535), 3, bits=16, photometric=0))
    assert read_pixels(path)[0, :, 2].tolist() == [255, 127, 0]


def test_big_endian_sixteen_bit_grey_is_read_in_its_own_order(tmp_path: Path, make_tiff: Callable[..., bytes]) -> None:
    path = tmp_path / "big.tif"
    path.write_bytes(make_tiff(struct.pack(">3H", 0, 257, 65535), 3, bits=16, photometric=1, order=">"))
    assert read_pixels(path)[0, :, 0].tolist() == [0, 1, 255]


def test_twelve_bit_grey_reaches_white(tmp_path: Path, make_tiff: Callable[..., bytes]) -> None:
    path = tmp_path / "twelve.tif"
    path.write_bytes(make_tiff(bytes([0x00, 0x0F, 0xFF]), 2, bits=12, photometric=1))
    assert read_pixels(path)[0, :, 0].tolist() == [0, 255]


def test_a_picture_of_floating_point_numbers_is_refused_for_it_has_no_agreed_white(tmp_path: Path) -> None:
    path = tmp_path / "float.tif"
    Image.fromarray(np.zeros((2, 2), dtype=np.float32)).save(path)
    with pytest.raises(BadPicture, match=r"float\.tif has 32-bit or signed pixels"):
        read_pixels(path)


def test_one_bit_pictures_are_black_and_white(tmp_path: Path) -> None:
    path = tmp_path / "fax.png"
    image = Image.new("1", (2, 1))
    image.putpixel((1, 0), 1)
    image.save(path)
    assert read_pixels(path)[0].tolist() == [[0, 0, 0], [255, 255, 255]]


@pytest.mark.parametrize("format_", ["GIF", "WEBP", "PNG", "TIFF"])
def test_the_first_frame_stands_for_an_animation(tmp_path: Path, format_: str) -> None:
    path = tmp_path / "moving"
    frames = [Image.new("RGB", (4, 3), colour) for colour in ((255, 0, 0), (0, 0, 255))]
    lossless = {"lossless": True} if format_ == "WEBP" else {}
    frames[0].save(path, format_, save_all=True, append_images=frames[1:], **lossless)
    assert read_pixels(path)[0, 0].tolist() == [255, 0, 0]


@pytest.mark.parametrize("format_", ["BMP", "GIF", "PNG", "TIFF"])
def test_a_lossless_photo_comes_back_as_it_was_saved_and_may_be_written_to(tmp_path: Path, format_: str) -> None:
    path = tmp_path / "photo.any"
    grey = np.repeat(np.arange(28, dtype=np.uint8).reshape(4, 7, 1), 3, axis=2)
    Image.fromarray(grey).save(path, format_)
    pixels = read_pixels(path)
    assert np.array_equal(pixels, grey)
    assert pixels.flags.writeable and pixels.flags.c_contiguous and pixels.dtype == np.uint8
