from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from anamorph.edits.shear import Shear
from anamorph.model import Box, Picture, Pixels, Thing
from anamorph.pixels.masks import mask_area, mask_pixels
from anamorph.pixels.warps import warp_box
from tests.edits.pictures import picture_with_a_block, pixel_arrays


@given(pixel_arrays)
def test_factor_zero_changes_nothing(pixels: Pixels) -> None:
    assert (Shear(0).apply(Picture(pixels)).pixels == pixels).all()


def test_the_mask_follows_the_pixels_of_its_object() -> None:
    sheared = Shear(0.3).apply(picture_with_a_block())
    white = sheared.pixels[..., 0] > 250
    (thing,) = sheared.things
    assert thing.mask is not None
    shape = mask_pixels(thing.mask)
    assert (white & ~shape).sum() == 0
    assert abs(mask_area(thing.mask) - 400) <= 20
    assert abs(thing.box.width - (20 + 0.3 * 20)) <= 2


def test_an_object_without_a_mask_keeps_a_box_around_where_it_went() -> None:
    picture = Picture(picture_with_a_block().pixels, (Thing("1", "block", Box(30, 20, 20, 20)),))
    (thing,) = Shear(0.5).apply(picture).things
    assert thing.box == Box(30 - 0.5 * 10, 20, 20 + 0.5 * 20, 20)


def test_an_object_that_leaves_the_canvas_is_no_longer_there() -> None:
    picture = Picture(np.zeros((100, 20, 3), dtype=np.uint8), (Thing("1", "cup", Box(0, 0, 4, 4)),))
    assert Shear(1).apply(picture).things == ()


whole = st.integers(0, 50)


@given(st.builds(Box, whole, whole, st.integers(1, 30), st.integers(1, 30)), st.floats(-1, 1))
def test_a_warped_box_stays_on_the_canvas(box: Box, factor: float) -> None:
    warped = warp_box(box, np.array([[1.0, factor, -factor * 30], [0.0, 1.0, 0.0]]), 80, 60)
    if warped is not None:
        assert 0 <= warped.x < warped.right <= 80 and 0 <= warped.y < warped.bottom <= 60
