from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anamorph.edits.insert import Insert, resized
from anamorph.errors import BadPicture
from anamorph.model import Box, Picture, Pixels, Thing
from anamorph.pixels.blending import Blend
from anamorph.pixels.masks import mask_box
from tests.edits.studios import FakeStudio, block, is_truthful, same, scenes, shape_of, stored, thing_of

BLENDS: list[Blend] = ["paste", "feather", "poisson"]


def disc(side: int, colour: tuple[int, int, int] = (250, 10, 10)) -> Pixels:
    """A round cut-out that touches all four sides of its square."""
    rows, columns = np.indices((side, side)) - (side - 1) / 2
    inside = np.hypot(rows, columns) <= side / 2
    return np.dstack([np.full((side, side, 3), colour, np.uint8), np.where(inside, 255, 0).astype(np.uint8)])


STUDIO = FakeStudio(**{"ball-1": disc(24), "ball-2": disc(7, (0, 0, 255))})


@given(scenes(studio=STUDIO), st.sampled_from(BLENDS), st.sampled_from(["ball-1", "ball-2"]), st.data())
def test_the_new_object_fills_the_box_that_was_asked_for(
    picture: Picture, blend: Blend, cutout: str, data: st.DataObject
) -> None:
    height, width = picture.pixels.shape[:2]
    left, top = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    right, bottom = data.draw(st.integers(left + 1, width)), data.draw(st.integers(top + 1, height))
    box = Box(left, top, right - left, bottom - top)
    edit = Insert(cutout, box, blend)
    inserted = edit.apply(picture)
    new = inserted.things[-1]
    assert new.label == "ball" and new.box == box
    assert new.mask is not None and mask_box(new.mask) == box
    changed = (inserted.pixels != picture.pixels).any(axis=2)
    outside = ~block(height, width, left, top, right, bottom)
    assert not changed[outside].any()
    for thing in inserted.things[:-1]:
        before = next(each for each in picture.things if each.id == thing.id)
        if thing.mask is not None:
            assert (shape_of(thing) == (shape_of(before) & ~shape_of(new))).all()
    gone = {thing.id for thing in picture.things} - {thing.id for thing in inserted.things}
    assert all(shape_of(new)[shape_of(t)].all() for t in picture.things if t.id in gone and t.mask is not None)
    assert is_truthful(inserted) and same(stored(edit).apply(picture), inserted)


@pytest.mark.parametrize("blend", BLENDS)
def test_its_colours_are_its_own_in_the_middle_and_the_pictures_around_it(blend: Blend) -> None:
    picture = Picture(np.full((80, 80, 3), 200, np.uint8), (), STUDIO)
    pixels = Insert("ball-1", Box(20, 20, 40, 40), blend).apply(picture).pixels
    # Poisson blending takes a fifth of the surroundings' light; the others take none.
    assert np.abs(pixels[40, 40].astype(int) - (250, 10, 10)).max() <= (60 if blend == "poisson" else 0)
    assert (pixels[21, 21] == 200).all()


def test_paste_is_the_cutout_itself_at_its_own_size() -> None:
    picture = Picture(np.zeros((40, 40, 3), np.uint8), (), STUDIO)
    pasted = Insert("ball-1", Box(8, 9, 24, 24)).apply(picture)
    ball = disc(24)
    shape = ball[..., 3] > 0
    assert (pasted.pixels[9:33, 8:32][shape] == ball[..., :3][shape]).all()
    assert (shape_of(pasted.things[0])[9:33, 8:32] == shape).all()


def test_soft_edges_change_fewer_pixels_and_none_outside_the_shape() -> None:
    picture = Picture(np.full((120, 120, 3), 90, np.uint8), (), STUDIO)
    hard = Insert("ball-1", Box(10, 10, 100, 100), "paste").apply(picture)
    for blend in BLENDS[1:]:
        soft = Insert("ball-1", Box(10, 10, 100, 100), blend).apply(picture)
        assert soft.things == hard.things
        jump = np.abs(np.diff(soft.pixels[60].astype(int), axis=0)).max()
        assert jump < np.abs(np.diff(hard.pixels[60].astype(int), axis=0)).max()


@given(st.integers(1, 60), st.integers(1, 60))
def test_a_resized_shape_reaches_all_four_sides(width: int, height: int) -> None:
    spike = np.zeros((50, 50, 4), np.uint8)
    spike[:, 25] = spike[25, :] = 255
    spike[20:30, 20:30] = 255
    colour, alpha, shape = resized(spike, width, height)
    assert colour.shape == (height, width, 3) and alpha.shape == shape.shape == (height, width)
    assert shape[0].any() and shape[-1].any() and shape[:, 0].any() and shape[:, -1].any()


def test_the_photo_behind_a_cutout_does_not_shine_through_at_its_edge() -> None:
    rgba = disc(64, (255, 255, 255))
    rgba[..., :3][rgba[..., 3] == 0] = 0
    colour, alpha, _ = resized(rgba, 21, 21)
    assert (colour[alpha > 0.05] >= 253).all()


def test_a_thing_that_is_wholly_covered_is_gone() -> None:
    small = thing_of("small", block(60, 60, 28, 28, 32, 32))
    picture = Picture(np.zeros((60, 60, 3), np.uint8), (small, Thing("far", "cup", Box(1, 1, 3, 3))), STUDIO)
    assert [t.id for t in Insert("ball-1", Box(10, 10, 40, 40)).apply(picture).things] == ["far", "inserted-1-ball-1"]


def test_the_same_cutout_may_be_inserted_twice() -> None:
    picture = Picture(np.zeros((60, 60, 3), np.uint8), (), STUDIO)
    for x in (0, 20, 40):
        picture = Insert("ball-1", Box(x, 0, 15, 15)).apply(picture)
    assert len({thing.id for thing in picture.things}) == 3


def test_a_box_that_leaves_the_picture_is_refused() -> None:
    picture = Picture(np.zeros((60, 60, 3), np.uint8), (), STUDIO)
    with pytest.raises(BadPicture, match=r"The box 50, 0, 15 x 15 does not lie on the picture of 60 x 60\."):
        Insert("ball-1", Box(50, 0, 15, 15)).apply(picture)


def test_a_cutout_that_is_in_no_pool_is_named() -> None:
    picture = Picture(np.zeros((60, 60, 3), np.uint8), (), STUDIO)
    with pytest.raises(BadPicture, match="no cut-out 'ball-9'"):
        Insert("ball-9", Box(0, 0, 15, 15)).apply(picture)


@given(st.floats(0, 40), st.floats(0, 40), st.floats(1, 15), st.floats(1, 15))
def test_a_box_between_pixels_is_rounded_to_the_nearest(x: float, y: float, width: float, height: float) -> None:
    picture = Picture(np.zeros((60, 60, 3), np.uint8), (), STUDIO)
    box = Insert("ball-1", Box(x, y, width, height)).apply(picture).things[0].box
    assert max(abs(box.x - x), abs(box.y - y)) <= 0.5
    assert abs(box.right - (x + width)) <= 0.5 + (width < 1) and math.isclose(box.width, round(box.width))
