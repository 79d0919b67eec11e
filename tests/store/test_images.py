from __future__ import annotations

import threading
from pathlib import Path

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


def test_jpeg_keeps_a_smooth_colour_picture_almost_as_it_is() -> None:
    ramp = np.linspace(0, 255, 64, dtype=np.uint8)
    pixels = np.stack(
        [np.tile(ramp, (64, 1)), np.tile(ramp[:, None], (1, 64)), np.full((64, 64), 40, np.uint8)], axis=2
    )
    folder = ImageFolder(Path("unused"))
    del folder
    import cv2

    content = np.frombuffer(ImageFormat().encode(pixels), dtype=np.uint8)
    back = np.asarray(cv2.imdecode(content, cv2.IMREAD_COLOR_RGB))
    assert np.abs(back.astype(int) - pixels).max() <= 6


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
        folder.pixels("ab.jpg")
    name = folder.write(b"no image", ".jpg")
    with pytest.raises(BadPicture, match="cannot be decoded"):
        folder.pixels(name)
