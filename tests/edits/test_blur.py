from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given

from anamorph.edits.blur import Blur
from anamorph.model import Picture, Pixels
from tests.edits.pictures import picture_with_a_block, pixel_arrays


@given(pixel_arrays)
def test_the_size_stays_and_no_value_leaves_the_range_that_was_there(pixels: Pixels) -> None:
    blurred = Blur(2).apply(Picture(pixels)).pixels
    assert blurred.shape == pixels.shape and blurred.dtype == np.uint8
    assert blurred.min() >= pixels.min() and blurred.max() <= pixels.max()


def test_edges_get_softer_and_objects_stay_where_they_are() -> None:
    picture = picture_with_a_block()
    blurred = Blur(2).apply(picture)
    assert np.abs(np.diff(blurred.pixels.astype(int), axis=1)).max() < 165
    assert blurred.things == picture.things


def test_sigma_zero_changes_nothing() -> None:
    picture = picture_with_a_block()
    assert (Blur(0).apply(picture).pixels == picture.pixels).all()


@pytest.mark.parametrize("sigma", [0.1, 0.3, 0.5, 0.8, 1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 7.0, 40.0])
def test_a_smaller_window_leaves_every_value_as_it_is(sigma: float) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (90, 121, 3), dtype=np.uint8)
    assert (Blur(sigma).apply(Picture(pixels)).pixels == cv2.GaussianBlur(pixels, (0, 0), sigma)).all()
