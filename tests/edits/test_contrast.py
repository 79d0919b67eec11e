from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageEnhance

from anamorph.edits.contrast import Contrast
from anamorph.model import Picture, Pixels
from tests.edits.pictures import pixel_arrays


@given(pixel_arrays)
def test_factor_one_changes_nothing_and_zero_is_flat(pixels: Pixels) -> None:
    assert (Contrast(1).apply(Picture(pixels)).pixels == pixels).all()
    flat = Contrast(0).apply(Picture(pixels)).pixels
    assert flat.min() == flat.max()


@given(pixel_arrays, st.floats(0, 2))
def test_it_agrees_with_pillow_to_a_grey_level_or_two(pixels: Pixels, factor: float) -> None:
    ours = Contrast(factor).apply(Picture(pixels)).pixels.astype(int)
    theirs = np.asarray(ImageEnhance.Contrast(Image.fromarray(pixels)).enhance(factor)).astype(int)
    # Pillow cuts fractions off where we round, and its mean grey may be one off.
    assert np.abs(ours - theirs).max() <= 2 + abs(1 - factor)
