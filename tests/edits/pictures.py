"""Pictures that the tests of edits share."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from anamorph.model import Picture, Pixels, Thing
from anamorph.pixels.masks import mask_box, mask_from_pixels

sizes = st.tuples(st.integers(1, 40), st.integers(1, 40), st.just(3))
pixel_arrays: st.SearchStrategy[Pixels] = sizes.flatmap(lambda size: arrays.arrays(np.uint8, size))


def picture_with_a_block(height: int = 60, width: int = 80) -> Picture:
    """A grey picture with one white block that is its only object."""
    pixels = np.full((height, width, 3), 90, dtype=np.uint8)
    pixels[20:40, 30:50] = 255
    shape = np.zeros((height, width), dtype=np.uint8)
    shape[20:40, 30:50] = 1
    mask = mask_from_pixels(shape)
    return Picture(pixels, (Thing("1", "block", mask_box(mask), mask),))
