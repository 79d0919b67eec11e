from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anamorph.edits.rotate import Rotate
from anamorph.model import Box, Picture, Pixels, Thing
from tests.edits.pictures import picture_with_a_block, pixel_arrays
from tests.edits.studios import is_truthful, same, scenes, shape_of, stored


@given(pixel_arrays)
def test_no_angle_changes_nothing_and_half_a_turn_reverses(pixels: Pixels) -> None:
    assert (Rotate(0).apply(Picture(pixels)).pixels == pixels).all()
    assert (Rotate(180).apply(Picture(pixels)).pixels == pixels[::-1, ::-1]).all()


def test_a_positive_angle_turns_counter_clockwise() -> None:
    pixels = np.zeros((41, 41, 3), np.uint8)
    pixels[18:23, 35:40] = 255
    turned = Rotate(90).apply(Picture(pixels)).pixels
    assert turned[1:6, 18:23].min() > 200


@given(scenes(), st.floats(-180, 180))
def test_masks_and_boxes_stay_on_the_canvas(picture: Picture, degrees: float) -> None:
    turned = Rotate(degrees).apply(picture)
    assert turned.pixels.shape == picture.pixels.shape
    assert is_truthful(turned) and turned.studio is picture.studio
    assert same(stored(Rotate(degrees)).apply(picture), turned)


@pytest.mark.parametrize("degrees", [2, -7, 30, 90, 180])
def test_the_mask_follows_the_pixels_of_its_object(degrees: float) -> None:
    turned = Rotate(degrees).apply(picture_with_a_block(60, 60))
    (thing,) = turned.things
    assert ((turned.pixels[..., 0] > 172) ^ shape_of(thing)).sum() <= 40


def test_an_object_without_a_mask_keeps_a_box_around_where_it_went() -> None:
    picture = Picture(np.zeros((40, 60, 3), np.uint8), (Thing("1", "cup", Box(10, 5, 4, 6)),))
    box = Rotate(180).apply(picture).things[0].box
    assert (box.x, box.y, box.width, box.height) == pytest.approx((46, 29, 4, 6))
