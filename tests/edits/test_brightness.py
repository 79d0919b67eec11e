from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

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
