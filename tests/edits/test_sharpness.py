from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st
from PIL import Image, ImageEnhance

from anamorph.edits.sharpness import Sharpness
from anamorph.model import Picture, Pixels
from tests.edits.pictures import pixel_arrays
from tests.edits.studios import stored


@given(pixel_arrays)
def test_factor_one_changes_nothing(pixels: Pixels) -> None:
    assert (Sharpness(1).apply(Picture(pixels)).pixels == pixels).all()


@given(pixel_arrays, st.floats(0, 2))
def test_it_agrees_with_pillow_to_a_grey_level_or_two(pixels: Pixels, factor: float) -> None:
    ours = stored(Sharpness(factor)).apply(Picture(pixels)).pixels.astype(int)
    theirs = np.asarray(ImageEnhance.Sharpness(Image.fromarray(pixels)).enhance(factor)).astype(int)
    # One grey level of difference in the fixed point, and rounding here where Pillow cuts off.
    assert np.abs(ours - theirs).max() <= 1.5 + abs(1 - factor)


def test_the_border_and_a_picture_without_an_inside_stay() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (9, 9, 3), dtype=np.uint8)
    smooth = Sharpness(0).apply(Picture(pixels)).pixels
    assert (smooth[0] == pixels[0]).all() and (smooth[:, -1] == pixels[:, -1]).all()
    assert (smooth[1:-1, 1:-1] != pixels[1:-1, 1:-1]).any()
    assert (Sharpness(0).apply(Picture(pixels[:2])).pixels == pixels[:2]).all()
