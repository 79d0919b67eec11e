from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st
from PIL import Image, ImageEnhance

from anamorph.edits.saturation import Saturation
from anamorph.model import Picture, Pixels
from tests.edits.pictures import pixel_arrays
from tests.edits.studios import stored


@given(pixel_arrays)
def test_factor_one_changes_nothing(pixels: Pixels) -> None:
    assert (Saturation(1).apply(Picture(pixels)).pixels == pixels).all()


@given(pixel_arrays, st.floats(0, 2))
def test_it_agrees_with_pillow_to_a_grey_level_or_two(pixels: Pixels, factor: float) -> None:
    ours = stored(Saturation(factor)).apply(Picture(pixels)).pixels.astype(int)
    theirs = np.asarray(ImageEnhance.Color(Image.fromarray(pixels)).enhance(factor)).astype(int)
    # One grey level of difference in the fixed point, and rounding here where Pillow cuts off.
    assert np.abs(ours - theirs).max() <= 1.5 + abs(1 - factor)


@given(pixel_arrays)
def test_factor_zero_is_grey(pixels: Pixels) -> None:
    grey = Saturation(0).apply(Picture(pixels)).pixels
    assert (grey == grey[..., :1]).all()
