from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anamorph.edits.insert import Insert, resized, shape_of_alpha
from anamorph.methods.metaic.hiding import Hiding, SceneMasks
from anamorph.model import Box, Hole, Picture, Pixels, Scene, Thing
from anamorph.pixels.masks import mask_area, mask_box, mask_from_pixels
from tests.edits.studios import FakeStudio

WIDTH, HEIGHT = 40, 30


def blob(seed: int, height: int, width: int) -> Hole:
    """A shape that is thin in places and reaches all four sides."""
    shape = np.random.default_rng(seed).random((height, width)) < 0.3
    shape[0, 0] = shape[-1, -1] = True
    return shape


def scene_with(seed: int) -> Scene:
    pixels = np.zeros((HEIGHT, WIDTH), np.bool_)
    pixels[5:25, 8:32] = blob(seed, 20, 24)
    mask = mask_from_pixels(pixels)
    return Scene(
        "s", "s.png", WIDTH, HEIGHT, (Thing("1", "plant", mask_box(mask), mask), Thing("2", "cat", Box(0, 0, 9, 9)))
    )


def rgba_of(seed: int, height: int, width: int) -> Pixels:
    alpha = blob(seed + 1, height, width).astype(np.uint8) * 255
    return np.dstack([np.full((height, width, 3), 90, np.uint8), alpha])


@given(st.integers(0, 50), st.integers(0, 25), st.integers(0, 15), st.integers(4, 15), st.integers(4, 15))
def test_it_hides_what_the_inserted_picture_lacks(seed: int, x: int, y: int, width: int, height: int) -> None:
    scene, rgba, box = scene_with(seed), rgba_of(seed, 12, 10), Box(x, y, width, height)
    after = Insert("dog", box).apply(
        Picture(np.zeros((HEIGHT, WIDTH, 3), np.uint8), scene.things, FakeStudio(dog=rgba))
    )
    plant, seen = scene.things[0], {thing.id: thing for thing in after.things}
    assert plant.mask is not None
    now = seen.get("1")
    left = mask_area(now.mask) if now is not None and now.mask is not None else 0
    lost = 1 - left / mask_area(plant.mask)
    for most in (0.05, 0.2, 0.45):
        hides = Hiding(SceneMasks(scene), lambda: rgba[..., 3], most)
        assert hides(box) == (lost > most + 1e-12)


@given(st.integers(0, 50), st.integers(1, 30), st.integers(1, 30))
def test_the_shape_is_that_of_the_whole_cutout(seed: int, width: int, height: int) -> None:
    rgba = rgba_of(seed, 13, 17)
    assert (shape_of_alpha(rgba[..., 3], width, height) == resized(rgba, width, height)[2]).all()


def test_a_cutout_is_not_read_where_boxes_settle_it() -> None:
    def unread() -> Pixels:
        raise AssertionError("read")

    hides = Hiding(SceneMasks(scene_with(1)), unread, 0.45)
    assert not hides(Box(0, 0, 8, 5))
    with pytest.raises(AssertionError, match="read"):
        hides(Box(8, 5, 24, 20))
