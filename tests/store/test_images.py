from __future__ import annotations

import threading
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings

from anamorph.errors import BadPicture
from anamorph.model import Pixels
from anamorph.store.images import ImageFolder, ImageFormat
from tests.edits.pictures import pixel_arrays


@settings(max_examples=30)
@given(pixel_arrays)
def test_png_gives_back_the_very_pixels_and_jpeg_the_size(
    tmp_path_factory: pytest.TempPathFactory, pixels: Pixels
) -> None:
    folder = ImageFolder(tmp_path_factory.getbasetemp() / "images")
    png = folder.pixels(folder.write(ImageFormat("png").encode(pixels), ".png"))
    assert (png == pixels).all()
    jpeg = folder.pixels(folder.write(ImageFormat("jpeg").encode(pixels), ".jpg"))
    assert jpeg.shape == pixels.shape


def test_full_colour_is_kept_on_request() -> None:
    stripes = np.zeros((64, 64, 3), dtype=np.uint8)
    stripes[:, ::2, 0] = 255
    stripes[:, 1::2, 2] = 255

    def error(format: ImageFormat) -> float:
        back = cv2.imdecode(np.frombuffer(format.encode(stripes), dtype=np.uint8), cv2.IMREAD_COLOR_RGB)
        return float(np.abs(np.asarray(back).astype(int) - stripes).mean())

    assert error(ImageFormat(subsampling="4:4:4")) < 10 < error(ImageFormat())
    assert error(ImageFormat("png")) == 0


def test_the_same_pixels_have_the_same_name_and_are_written_once(tmp_path: Path) -> None:
    folder = ImageFolder(tmp_path)
    content = ImageFormat().encode(np.zeros((4, 4, 3), dtype=np.uint8))
    name = folder.write(content, ".jpg")
    before = folder.path(name).stat().st_mtime_ns
    assert folder.write(content, ".jpg") == name
    assert folder.path(name).stat().st_mtime_ns == before
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == [name]


def test_many_threads_may_write_the_same_image(tmp_path: Path) -> None:
    folder = ImageFolder(tmp_path)
    content = b"x" * 100_000
    threads = [threading.Thread(target=folder.write, args=(content, ".png")) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (file,) = (p for p in tmp_path.rglob("*") if p.is_file())
    assert file.read_bytes() == content


def test_a_stored_image_that_is_gone_or_broken_is_named(tmp_path: Path) -> None:
    folder = ImageFolder(tmp_path)
    with pytest.raises(BadPicture, match="No such file"):
        folder.pixels("ab" * 16 + ".jpg")
    name = folder.write(b"no image", ".jpg")
    with pytest.raises(BadPicture, match="cannot be decoded"):
        folder.pixels(name)


def test_an_image_that_jpeg_cannot_hold_is_told() -> None:
    with pytest.raises(BadPicture, match=r"An image of 70000 x 1 cannot be written as jpeg"):
        ImageFormat().encode(np.zeros((1, 70_000, 3), dtype=np.uint8))
