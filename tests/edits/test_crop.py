from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anamorph.edits.crop import Crop
from anamorph.errors import BadPicture
from anamorph.model import Box, Picture, Thing
from tests.edits.studios import is_truthful, same, scenes, shape_of, stored


@given(scenes(), st.data())
def test_pixels_and_masks_are_cut_alike(picture: Picture, data: st.DataObject) -> None:
    height, width = picture.pixels.shape[:2]
    left, top = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    right, bottom = data.draw(st.integers(left + 1, width)), data.draw(st.integers(top + 1, height))
    edit = Crop(Box(left, top, right - left, bottom - top))
    cut = edit.apply(picture)
    assert (cut.pixels == picture.pixels[top:bottom, left:right]).all()
    now = {thing.id: thing for thing in cut.things}
    for thing in picture.things:
        if thing.mask is None:
            assert (thing.id in now) == (thing.box.overlap(edit.box) > 0)
            continue
        window = shape_of(thing)[top:bottom, left:right]
        assert (thing.id in now) == bool(window.any())
        if thing.id in now:
            assert (shape_of(now[thing.id]) == window).all()
    assert is_truthful(cut) and cut.studio is picture.studio
    assert same(stored(edit).apply(picture), cut)


@given(scenes())
def test_cropping_to_the_whole_changes_nothing(picture: Picture) -> None:
    height, width = picture.pixels.shape[:2]
    assert same(Crop(Box(0, 0, width, height)).apply(picture), picture)


def test_an_annotated_box_stays_finer_than_pixels_where_nothing_was_cut() -> None:
    thing = Thing("1", "cup", Box(4.25, 5.5, 3.5, 2.25))
    picture = Picture(np.zeros((20, 20, 3), np.uint8), (thing,))
    assert Crop(Box(2, 3, 10, 10)).apply(picture).things[0].box == Box(2.25, 2.5, 3.5, 2.25)
    assert Crop(Box(5, 3, 10, 10)).apply(picture).things[0].box == Box(0, 2.5, 2.75, 2.25)


@pytest.mark.parametrize("box", [Box(-1, 0, 5, 5), Box(0, 0, 21, 5), Box(18, 18, 4, 1), Box(30, 30, 2, 2)])
def test_a_box_off_the_picture_is_refused(box: Box) -> None:
    with pytest.raises(BadPicture, match="does not lie on the picture of 20 x 20"):
        Crop(box).apply(Picture(np.zeros((20, 20, 3), np.uint8)))
