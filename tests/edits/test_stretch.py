from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from anamorph.edits.stretch import Stretch
from anamorph.model import Box, Picture, Pixels, Thing
from tests.edits.pictures import pixel_arrays
from tests.edits.studios import is_truthful, same, scenes, stored


@given(pixel_arrays)
def test_factors_of_one_change_nothing(pixels: Pixels) -> None:
    assert (Stretch().apply(Picture(pixels)).pixels == pixels).all()


@given(scenes(), st.floats(0.05, 3), st.floats(0.05, 3))
def test_each_side_has_a_factor_of_its_own(picture: Picture, across: float, down: float) -> None:
    height, width = picture.pixels.shape[:2]
    stretched = Stretch(across, down).apply(picture)
    assert stretched.pixels.shape == (max(1, round(height * down)), max(1, round(width * across)), 3)
    assert is_truthful(stretched)
    assert same(stored(Stretch(across, down)).apply(picture), stretched)


def test_boxes_are_stretched_with_the_picture() -> None:
    picture = Picture(np.zeros((40, 60, 3), np.uint8), (Thing("1", "cup", Box(10, 20, 12, 8)),))
    assert Stretch(0.5, 2).apply(picture).things[0].box == Box(5, 40, 6, 16)


def test_smaller_stretches_go_from_nothing_to_itself_on_both_sides() -> None:
    (ladder,) = Stretch(0.5, 1).smaller()
    assert [each.across for each in ladder] == sorted((each.across for each in ladder), reverse=True)
    assert all(0.5 < each.across < 1 and each.down == 1 for each in ladder)
