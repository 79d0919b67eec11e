"""JPEGs are decoded by a faster library than Pillow, to the same pixels, and judged as Pillow judges them."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anamorph.errors import BadPicture
from anamorph.model import Pixels
from anamorph.photos.decoding import pixels_of


def noisy(width: int, height: int) -> Pixels:
    rng = np.random.default_rng(width * height)
    coarse = Image.fromarray(rng.integers(0, 256, (9, 11, 3), dtype=np.uint8))
    return np.array(coarse.resize((width, height), Image.Resampling.BICUBIC))


@pytest.mark.parametrize("subsampling", [0, 1, 2])
@pytest.mark.parametrize("progressive", [False, True])
@pytest.mark.parametrize("size", [(64, 48), (63, 47), (1, 1), (17, 200)])
def test_a_jpeg_has_the_pixels_that_pillow_sees(size: tuple[int, int], progressive: bool, subsampling: int) -> None:
    stream = io.BytesIO()
    Image.fromarray(noisy(*size)).save(stream, "JPEG", quality=90, subsampling=subsampling, progressive=progressive)
    with Image.open(io.BytesIO(stream.getvalue())) as image:
        assert np.array_equal(pixels_of(stream.getvalue(), "a.jpg"), np.array(image))


@pytest.mark.parametrize("mode", ["L", "CMYK"])
def test_a_jpeg_of_other_channels_is_left_to_pillow(mode: str) -> None:
    stream = io.BytesIO()
    Image.fromarray(noisy(40, 30)).convert(mode).save(stream, "JPEG", quality=95)
    with Image.open(io.BytesIO(stream.getvalue())) as image:
        assert np.array_equal(pixels_of(stream.getvalue(), "a.jpg"), np.array(image.convert("RGB")))


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_jpeg_that_is_cut_short_is_refused_by_name(share: float) -> None:
    stream = io.BytesIO()
    Image.fromarray(noisy(200, 150)).save(stream, "JPEG", quality=95)
    whole = stream.getvalue()
    with pytest.raises(BadPicture, match=r"holiday\.jpg is damaged or cut short"):
        pixels_of(whole[: int(len(whole) * share)], "holiday.jpg")


def test_real_photos_have_the_pixels_that_pillow_sees(shared: Path) -> None:
    for path in sorted((shared / "photos" / "images").iterdir())[:12]:
        with Image.open(path) as image:
            assert np.array_equal(pixels_of(path.read_bytes(), path.name), np.array(image.convert("RGB")))
