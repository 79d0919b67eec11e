from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays

from anamorph.pixels.masks import (
    mask_area,
    mask_box,
    mask_common,
    mask_complement,
    mask_from_pixels,
    mask_from_polygons,
    mask_from_runs,
    mask_in_window,
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


@given(st.tuples(st.integers(1, 30), st.integers(1, 30)), st.integers(0, 999), st.floats(0, 1), st.floats(0, 1))
def test_masks_are_joined_and_turned_about_without_decoding(
    size: tuple[int, int], seed: int, one: float, other: float
) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.random(size) < one, rng.random(size) < other
    assert mask_common(mask_from_pixels(first), mask_from_pixels(second)) == mask_from_pixels(first & second)
    assert mask_complement(mask_from_pixels(first)) == mask_from_pixels(~first)


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 9999), st.floats(0, 1))
def test_a_shape_in_a_window_is_the_mask_of_its_canvas(height: int, width: int, seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    top, left = int(rng.integers(0, height)), int(rng.integers(0, width))
    canvas = np.zeros((height, width), np.bool_)
    part = canvas[top : int(rng.integers(top + 1, height + 1)), left : int(rng.integers(left + 1, width + 1))]
    part[:] = rng.random(part.shape) < share
    assert mask_in_window(part, left, top, height, width) == mask_from_pixels(canvas)


def test_large_runs_are_turned_about_too() -> None:
    shape = np.zeros((900, 1300), np.bool_)
    shape[300:500, 40:1200] = True
    assert mask_complement(mask_from_pixels(shape)) == mask_from_pixels(~shape)
    assert mask_complement(mask_complement(mask_from_pixels(shape))) == mask_from_pixels(shape)


def test_polygons_and_runs_become_the_same_kind_of_mask() -> None:
    square = mask_from_polygons([[2, 1, 6, 1, 6, 4, 2, 4]], height=8, width=10)
    assert mask_area(square) == 12
    runs = mask_from_runs([3, 2, 75], height=8, width=10)
    assert mask_pixels(runs)[3:5, 0].all() and mask_area(runs) == 2
