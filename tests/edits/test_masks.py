from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from anamorph.edits.masks import (
    mask_area,
    mask_box,
    mask_from_pixels,
    mask_from_polygons,
    mask_from_runs,
    mask_pixels,
)

shapes = st.tuples(st.integers(1, 30), st.integers(1, 30)).flatmap(lambda size: arrays.arrays(np.bool_, size))


@given(shapes)
def test_a_mask_comes_back_as_it_was(shape: npt.NDArray[np.bool_]) -> None:
    mask = mask_from_pixels(shape)
    assert (mask_pixels(mask) == shape).all()
    assert mask_area(mask) == shape.sum()


@given(shapes.filter(lambda shape: bool(shape.any())))
def test_the_box_is_tight(shape: npt.NDArray[np.bool_]) -> None:
    box = mask_box(mask_from_pixels(shape))
    ys, xs = np.nonzero(shape)
    assert (box.x, box.y, box.right, box.bottom) == (xs.min(), ys.min(), xs.max() + 1, ys.max() + 1)


def test_polygons_and_runs_become_the_same_kind_of_mask() -> None:
    square = mask_from_polygons([[2, 1, 6, 1, 6, 4, 2, 4]], height=8, width=10)
    assert mask_area(square) == 12
    runs = mask_from_runs([3, 2, 75], height=8, width=10)
    assert mask_pixels(runs)[3:5, 0].all() and mask_area(runs) == 2
