from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
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


@pytest.mark.parametrize("factor", [0.15, 0.3, 0.8, 1.0, 1.5, 10])
def test_what_would_be_darker_than_black_is_black(factor: float) -> None:
    every = np.arange(256, dtype=np.uint8).repeat(12).reshape(32, 32, 3)
    changed = Contrast(factor).apply(Picture(every)).pixels
    assert (changed == np.clip(np.rint(128 + (every.astype(float) - 128) * factor), 0, 255)).all()
