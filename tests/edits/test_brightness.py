from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anamorph.edits.brightness import Brightness
from anamorph.model import Picture, Pixels
from tests.edits.pictures import pixel_arrays


@given(pixel_arrays, st.floats(0, 10))
def test_every_channel_is_multiplied_and_clipped(pixels: Pixels, factor: float) -> None:
    changed = Brightness(factor).apply(Picture(pixels)).pixels
    assert (changed == np.clip(np.rint(pixels * factor), 0, 255)).all()


@given(pixel_arrays)
def test_factor_one_changes_nothing_and_zero_is_black(pixels: Pixels) -> None:
    assert (Brightness(1).apply(Picture(pixels)).pixels == pixels).all()
    assert not Brightness(0).apply(Picture(pixels)).pixels.any()


@pytest.mark.parametrize("factor", [0.07, 0.14, 0.3, 0.5, 0.8, 1.3, 2.5, 10])
def test_halves_are_rounded_as_exactly_as_the_rest(factor: float) -> None:
    """OpenCV scales in single precision, which takes 0.3 times 95 for more than 28.5."""
    every = np.arange(256, dtype=np.uint8).repeat(12).reshape(32, 32, 3)
    changed = Brightness(factor).apply(Picture(every)).pixels
    assert (changed == np.clip(np.rint(every.astype(float) * factor), 0, 255)).all()
