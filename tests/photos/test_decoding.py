from __future__ import annotations

import io
import os
import struct
import threading
import warnings
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageFile

from anamorph.errors import BadPicture
from anamorph.model import Pixels, Scene
from anamorph.photos.decoding import (
    Limits,
    pixels_of,
    read_indices,
    read_pixels,
    read_size,
    same_size,
    scene_pixels,
    size_of,
)

WIDTH, HEIGHT = 7, 4

# What the EXIF standard says of each orientation: where the stored picture's row 0 and column 0 are to be seen.
SIDES = {
    1: ("top", "left"),
    2: ("top", "right"),
    3: ("bottom", "right"),
    4: ("bottom", "left"),
    5: ("left", "top"),
    6: ("right", "top"),
    7: ("right", "bottom"),
    8: ("left", "bottom"),
}


def pattern(width: int = WIDTH, height: int = HEIGHT) -> Pixels:
    rows, columns = np.mgrid[:height, :width]
    return np.stack([rows * 30, columns * 30, rows * width + columns], axis=2).astype(np.uint8)


def seen(stored: Pixels, orientation: int) -> Pixels:
    """The picture as the standard wants it seen, moved pixel by pixel."""
    height, width = stored.shape[:2]
    sideways = orientation >= 5
    result = np.zeros((width, height, 3) if sideways else (height, width, 3), dtype=np.uint8)
    for row in range(height):
        for column in range(width):
            place = {}
            for side, index, last in zip(SIDES[orientation], (row, column), (height - 1, width - 1), strict=True):
                axis = "y" if side in ("top", "bottom") else "x"
                place[axis] = index if side in ("top", "left") else last - index
            result[place["y"], place["x"]] = stored[row, column]
    return result


def exif(orientation: int) -> Image.Exif:
    block = Image.Exif()
    block[0x0112] = orientation
    return block


def encoded(image: Image.Image, format_: str, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, format_, **options)
    return file.getvalue()


# --- orientation ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("format_", ["PNG", "WEBP", "TIFF"])
def test_every_exif_orientation_is_undone_pixel_by_pixel(tmp_path: Path, format_: str, orientation: int) -> None:
    path = tmp_path / "photo"
    lossless = {"lossless": True, "exact": True} if format_ == "WEBP" else {}
    Image.fromarray(pattern()).save(path, format_, exif=exif(orientation), **lossless)
    expected = seen(pattern(), orientation)
    assert np.array_equal(read_pixels(path), expected)
    assert read_size(path) == (expected.shape[1], expected.shape[0])


@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_exif_orientation_of_a_jpeg_is_undone_pixel_by_pixel(tmp_path: Path, orientation: int) -> None:
    stored, turned = tmp_path / "stored.jpg", tmp_path / "turned.jpg"
    Image.fromarray(pattern()).save(stored, quality=95)
    Image.fromarray(pattern()).save(turned, quality=95, exif=exif(orientation))
    expected = seen(read_pixels(stored), orientation)
    assert np.array_equal(read_pixels(turned), expected)
    assert read_size(turned) == (expected.shape[1], expected.shape[0])


def test_compressed_tiffs_are_turned_as_well(tmp_path: Path) -> None:
    path = tmp_path / "photo.tif"
    Image.fromarray(pattern()).save(path, exif=exif(6), compression="tiff_lzw")
    assert np.array_equal(read_pixels(path), seen(pattern(), 6))
    assert read_size(path) == (HEIGHT, WIDTH)


def test_exif_behind_the_pixels_of_a_png_counts_in_the_size_too(tmp_path: Path) -> None:
    path = tmp_path / "late.png"
    plain = encoded(Image.fromarray(pattern()), "PNG")
    block = exif(6).tobytes().removeprefix(b"Exif\0\0")
    late = struct.pack(">I", len(block)) + b"eXIf" + block + struct.pack(">I", zlib.crc32(b"eXIf" + block))
    path.write_bytes(plain[:-12] + late + plain[-12:])
    assert np.array_equal(read_pixels(path), seen(pattern(), 6))
    assert read_size(path) == (HEIGHT, WIDTH)


@pytest.mark.parametrize(
    "block", [b"Exif\0\0", b"Exif\0\0II*\0\xff\xff\xff\xff", b"Exif\0\0II*\0\x08\0\0\0\x09\0\x12\x01"]
)
def test_a_photo_with_damaged_exif_is_taken_as_it_is_stored(tmp_path: Path, block: bytes) -> None:
    path = tmp_path / "photo.jpg"
    # Without the JFIF header Pillow would search the block for a resolution, and warn.
    content = encoded(Image.fromarray(pattern()), "JPEG")
    app1 = b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block
    path.write_bytes(content[:2] + app1 + content[20:])
    assert read_size(path) == (WIDTH, HEIGHT)
    assert read_pixels(path).shape == (HEIGHT, WIDTH, 3)


# --- refusals -------------------------------------------------------------------------------------------------------

Read = Callable[..., object]


@pytest.fixture(params=[read_size, read_pixels], ids=["size", "pixels"])
def read(request: pytest.FixtureRequest) -> Read:
    return request.param  # type: ignore[no-any-return]


def test_a_missing_photo_is_refused_by_name(tmp_path: Path, read: Read) -> None:
    with pytest.raises(BadPicture, match=r"gone\.jpg does not exist\."):
        read(tmp_path / "gone.jpg")


def test_an_empty_file_is_refused_by_name(tmp_path: Path, read: Read) -> None:
    (tmp_path / "empty.jpg").touch()
    with pytest.raises(BadPicture, match=r"empty\.jpg is empty\."):
        read(tmp_path / "empty.jpg")


def test_a_file_that_is_no_picture_is_refused_with_the_formats_that_are(tmp_path: Path, read: Read) -> None:
    (tmp_path / "page.jpg").write_text("<html>")
    with pytest.raises(BadPicture, match=r"page\.jpg is not an image; it must be JPEG, PNG"):
        read(tmp_path / "page.jpg")


def test_a_format_that_would_run_another_program_is_not_a_picture(tmp_path: Path, read: Read) -> None:
    (tmp_path / "script.jpg").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n")
    with pytest.raises(BadPicture, match="is not an image"):
        read(tmp_path / "script.jpg")


def test_a_folder_is_refused(tmp_path: Path, read: Read) -> None:
    with pytest.raises(BadPicture, match="is a folder, not a regular file"):
        read(tmp_path)


def test_a_pipe_is_refused_without_being_opened(tmp_path: Path, read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.jpg")
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("the pipe was opened"))
    with pytest.raises(BadPicture, match=r"pipe\.jpg is a pipe, a socket or a device"):
        read(tmp_path / "pipe.jpg")


def test_a_device_is_refused(read: Read) -> None:
    with pytest.raises(BadPicture, match="/dev/zero is a pipe, a socket or a device"):
        read(Path("/dev/zero"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_photo_without_permission_is_refused(tmp_path: Path, read: Read) -> None:
    (tmp_path / "secret.png").touch(mode=0)
    with pytest.raises(BadPicture, match="permission denied"):
        read(tmp_path / "secret.png")


@pytest.mark.parametrize("format_", ["JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF"])
def test_a_truncated_photo_is_refused_by_name(tmp_path: Path, format_: str) -> None:
    path = tmp_path / "half"
    noise = np.random.default_rng(1).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    content = encoded(Image.fromarray(noise), format_)
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(BadPicture, match="half is damaged or cut short"):
        read_pixels(path)


@pytest.mark.parametrize("format_", ["JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF"])
def test_damage_anywhere_gives_a_photo_or_a_bad_picture_and_nothing_else(format_: str) -> None:
    random = np.random.default_rng(2)
    content = bytearray(encoded(Image.fromarray(pattern(16, 16)), format_))
    for _ in range(200):
        damaged = bytearray(content)
        for position in random.integers(0, len(damaged), size=3):
            damaged[position] = random.integers(0, 256)
        del damaged[random.integers(len(damaged) // 2, len(damaged) + 1) :]
        try:
            assert pixels_of(bytes(damaged), "damaged", Limits(megapixels=1)).ndim == 3
        except BadPicture as problem:
            assert "damaged" in str(problem)


def test_a_photo_with_too_many_pixels_is_refused_before_it_is_decoded(
    tmp_path: Path, read: Read, huge_png: bytes
) -> None:
    (tmp_path / "bomb.png").write_bytes(huge_png)
    with pytest.raises(BadPicture, match=r"bomb\.png is 60000 x 60000, more than the limit of 100 megapixels"):
        read(tmp_path / "bomb.png")


@pytest.mark.parametrize("format_", ["JPEG", "GIF", "BMP", "TIFF", "WEBP"])
def test_every_format_is_measured_before_it_is_decoded(
    tmp_path: Path, read: Read, format_: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "wide"
    small = Image.new("RGB", (1200, 900))
    small.save(path, format_)
    monkeypatch.setattr(ImageFile.ImageFile, "load", lambda _: pytest.fail("the photo was decoded"))
    with pytest.raises(BadPicture, match="wide is 1200 x 900, more than the limit of 1 megapixels"):
        read(path, Limits(megapixels=1))


def test_a_photo_between_pillows_limit_and_ours_is_no_reason_to_warn(
    tmp_path: Path, make_png: Callable[..., bytes]
) -> None:
    path = tmp_path / "large.png"
    path.write_bytes(make_png(9_900, 10_000, 1, 0, (b"IDAT", b"")))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert read_size(path) == (9_900, 10_000)
    assert not caught


def test_a_tiff_above_pillows_limit_is_refused_rather_than_decoded_with_a_warning(
    tmp_path: Path, read: Read, make_tiff: Callable[..., bytes]
) -> None:
    path = tmp_path / "large.tif"
    path.write_bytes(make_tiff(bytes(4), 9_400, bits=8, photometric=1, height=10_000))
    with pytest.raises(BadPicture, match=r"large\.tif is 9400 x 10000, more than the limit of 89\.4785 megapixels"):
        read(path)


def test_reading_leaves_pillows_settings_and_the_warning_filters_alone(tmp_path: Path, huge_png: bytes) -> None:
    before = (Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES, list(warnings.filters))
    (tmp_path / "bomb.png").write_bytes(huge_png)
    with pytest.raises(BadPicture):
        read_pixels(tmp_path / "bomb.png")
    assert (Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES, list(warnings.filters)) == before


def test_a_file_with_too_many_bytes_is_refused(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "long.jpg"
    with path.open("wb") as file:
        file.truncate(256_000_001)
    with pytest.raises(BadPicture, match=r"long\.jpg has 256,000,001 bytes, more than the limit of 256,000,000"):
        read(path)


def test_bytes_are_held_to_the_same_limits(huge_png: bytes) -> None:
    with pytest.raises(BadPicture, match="the embedded one is 60000 x 60000"):
        size_of(huge_png, "the embedded one")
    with pytest.raises(BadPicture, match="the embedded one has 1,000,001 bytes"):
        pixels_of(bytes(1_000_001), "the embedded one", Limits(megabytes=1))
    with pytest.raises(BadPicture, match="the embedded one is empty"):
        size_of(b"", "the embedded one")


def test_a_name_with_odd_characters_stays_on_one_line(tmp_path: Path) -> None:
    with pytest.raises(BadPicture) as caught:
        read_size(tmp_path / "two\nlines\udcff.jpg")
    assert str(caught.value).isprintable()


def test_reading_a_size_does_not_decode(tmp_path: Path) -> None:
    path = tmp_path / "photo.png"
    content = encoded(Image.fromarray(pattern(64, 64)), "PNG")
    path.write_bytes(content[: content.index(b"IDAT") + 4])
    assert read_size(path) == (64, 64)
    with pytest.raises(BadPicture):
        read_pixels(path)


def test_many_threads_read_what_one_thread_reads(tmp_path: Path) -> None:
    paths = []
    for index, format_ in enumerate(["JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF"] * 4):
        paths.append(tmp_path / f"{index}.{format_}")
        Image.fromarray(pattern(40 + index, 30)).save(paths[-1], format_)
    alone = [read_pixels(path) for path in paths]
    gate = threading.Barrier(8)

    def read_all(_: int) -> list[Pixels]:
        gate.wait()
        return [read_pixels(path) for path in paths]

    with ThreadPoolExecutor(8) as pool:
        for together in pool.map(read_all, range(8)):
            assert all(np.array_equal(one, other) for one, other in zip(alone, together, strict=True))


# --- scenes and maps ------------------------------------------------------------------------------------------------


def test_a_photo_that_changed_since_the_scan_is_refused(tmp_path: Path) -> None:
    Image.fromarray(pattern()).save(tmp_path / "a.png")
    scene = Scene("a", "a.png", WIDTH, HEIGHT)
    assert np.array_equal(scene_pixels(tmp_path, scene), pattern())
    with pytest.raises(BadPicture, match=r"a\.png is 7 x 4 now, but was 8 x 4 when scanned"):
        same_size(pattern(), Scene("a", "a.png", 8, 4))


def test_the_values_of_a_palette_picture_are_its_indices(tmp_path: Path) -> None:
    image = Image.new("P", (3, 1))
    image.putpalette([0, 0, 0, 128, 0, 0, 224, 224, 192])
    image.putdata([0, 1, 2])
    image.save(tmp_path / "map.png")
    assert read_indices(tmp_path / "map.png").tolist() == [[0, 1, 2]]


def test_a_map_in_colour_is_refused(tmp_path: Path) -> None:
    Image.new("RGB", (2, 2)).save(tmp_path / "map.png")
    with pytest.raises(BadPicture, match="a map of objects has one 8-bit channel"):
        read_indices(tmp_path / "map.png")
