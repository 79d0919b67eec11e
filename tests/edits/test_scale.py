from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from anamorph.edits.scale import Scale
from anamorph.model import Box, Picture, Pixels, Thing
from tests.edits.pictures import picture_with_a_block, pixel_arrays
from tests.edits.studios import is_truthful, same, scenes, shape_of, stored


@given(pixel_arrays)
def test_factor_one_changes_nothing(pixels: Pixels) -> None:
    assert (Scale(1).apply(Picture(pixels)).pixels == pixels).all()


@given(scenes(), st.floats(0.05, 3))
def test_the_canvas_and_everything_on_it_is_scaled(picture: Picture, factor: float) -> None:
    height, width = picture.pixels.shape[:2]
    scaled = Scale(factor).apply(picture)
    assert scaled.pixels.shape == (max(1, round(height * factor)), max(1, round(width * factor)), 3)
    assert is_truthful(scaled)
    assert same(stored(Scale(factor)).apply(picture), scaled)


def test_the_mask_follows_the_pixels_of_its_object() -> None:
    for factor in (0.5, 0.8, 1.7):
        scaled = Scale(factor).apply(picture_with_a_block())
        (thing,) = scaled.things
        white = scaled.pixels[..., 0] > 172
        assert (white ^ shape_of(thing)).sum() <= 4 * 20 * factor
        assert abs(thing.box.area / (400 * factor**2) - 1) < 0.15


def test_an_object_without_a_mask_has_its_box_scaled() -> None:
    picture = Picture(np.zeros((40, 60, 3), np.uint8), (Thing("1", "cup", Box(10, 20, 12, 8)),))
    assert Scale(0.5).apply(picture).things[0].box == Box(5, 10, 6, 4)
