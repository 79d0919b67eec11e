from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anamorph.errors import BadPicture
from anamorph.model import Box, Mask, Picture, Thing
from anamorph.pixels.shapes import covered, melting_kernel, thing_shape, touched, widened
from tests.edits.studios import block, scenes, shape_of, thing_of


@given(scenes(), st.data())
def test_a_cover_takes_exactly_its_own_pixels(picture: Picture, data: st.DataObject) -> None:
    height, width = picture.pixels.shape[:2]
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    cover = rng.random((height, width)) < data.draw(st.sampled_from([0.0, 0.02, 0.5, 1.0]))
    left = {thing.id: thing for thing in covered(picture.things, cover)}
    for thing in picture.things:
        rest = thing_shape(thing, height, width) & ~cover
        assert (thing.id in left) == bool(rest.any())
        if thing.id in left and thing.mask is not None:
            assert (shape_of(left[thing.id]) == rest).all()


@given(st.integers(0, 30), st.sampled_from([1, 3, 5, 9]))
def test_widening_reaches_half_a_kernel_to_all_sides(left: int, kernel: int) -> None:
    reach = kernel // 2
    wide = widened(block(40, 60, left + 5, 10, left + 8, 12), kernel)
    assert (wide == block(40, 60, left + 5 - reach, 10 - reach, left + 8 + reach, 12 + reach)).all()


@pytest.mark.parametrize(("height", "width", "kernel"), [(480, 640, 17), (640, 427, 15), (10, 10, 1), (3000, 4000, 99)])
def test_the_kernel_is_a_thirty_fifth_of_the_pictures_side(height: int, width: int, kernel: int) -> None:
    assert melting_kernel(height, width) == kernel


def test_a_box_off_the_canvas_touches_nothing() -> None:
    left, top, right, bottom = touched(Box(100, 5, 10, 10), 40, 60)
    assert right - left <= 0 or bottom - top <= 0


def test_a_mask_of_another_size_is_refused() -> None:
    thing = thing_of("a", block(10, 10, 1, 1, 3, 3))
    with pytest.raises(BadPicture, match=r"The mask of 'a' is 10 x 10, but the picture is 60 x 40\."):
        thing_shape(thing, 40, 60)
    assert isinstance(thing.mask, Mask) and isinstance(thing, Thing)
