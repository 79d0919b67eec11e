from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from anamorph.edits.relayout import Relayout
from anamorph.errors import BadPicture, BadRecord
from anamorph.model import Box, Picture, decode
from anamorph.pixels.layouts import Move, affine_of, kept_inside, laid_out, moved_box, moved_shape
from anamorph.pixels.masks import mask_box
from tests.edits.studios import FakeStudio, block, is_truthful, same, scenes, shape_of, stored, thing_of


def moves_of(object: str) -> st.SearchStrategy[Move]:
    shift = st.floats(-30, 30)
    return st.builds(Move, st.just(object), shift, shift, st.floats(-45, 45), st.floats(0.4, 1.6), st.booleans())


@st.composite
def layouts(draw: st.DrawFn) -> tuple[Picture, Relayout]:
    picture = draw(scenes())
    height, width = picture.pixels.shape[:2]
    chosen = draw(st.lists(st.sampled_from(picture.things), min_size=1, unique_by=lambda t: t.id))
    moves = [kept_inside(t.box, draw(moves_of(t.id)), width, height) for t in chosen]
    kept = tuple(move for move in moves if move is not None)
    assume(kept)
    return picture, Relayout(kept, "flat")


@given(layouts())
def test_masks_boxes_and_pixels_agree_after_a_layout(drawn: tuple[Picture, Relayout]) -> None:
    picture, edit = drawn
    moved = edit.apply(picture)
    assert is_truthful(moved) and moved.pixels.shape == picture.pixels.shape
    masks = [shape_of(thing) for thing in moved.things if thing.mask is not None]
    lifted = {move.object for move in edit.moves}
    own = [shape_of(thing) for thing in moved.things if thing.id in lifted and thing.mask is not None]
    if own:
        assert np.sum(own, axis=0).max() <= 1, "no pixel belongs to two objects that were laid out"
    (_, hole) = picture.studio.holes[-1]  # type: ignore[union-attr]
    touched = hole | (np.logical_or.reduce(own) if own else False)
    assert (moved.pixels[~touched] == picture.pixels[~touched]).all()
    assert len(masks) <= len(picture.things)
    assert same(stored(edit).apply(picture), moved)


@given(scenes())
def test_a_layout_that_moves_nothing_restores_the_objects_pixels(picture: Picture) -> None:
    lifted = [thing for thing in picture.things if thing.mask is not None]
    assume(lifted)
    still = Relayout(tuple(Move(thing.id) for thing in lifted), "flat").apply(picture)
    for thing in lifted:
        assert (still.pixels[shape_of(thing)] == picture.pixels[shape_of(thing)]).all()


@given(st.builds(Box, *[st.floats(0, 40)] * 2, *[st.floats(2, 20)] * 2), moves_of("a"))
def test_a_kept_move_never_leaves_the_canvas(box: Box, move: Move) -> None:
    kept = kept_inside(box, move, 64, 48)
    if kept is None:
        moved = moved_box(box, move)
        assert moved.width > 64 or moved.height > 48
        return
    moved = moved_box(box, kept)
    assert moved.x >= -1e-6 and moved.y >= -1e-6 and moved.right <= 64 + 1e-6 and moved.bottom <= 48 + 1e-6
    assert (kept.degrees, kept.scale, kept.mirror) == (move.degrees, move.scale, move.mirror)


@given(moves_of("a"), moves_of("a"), st.builds(Box, *[st.floats(0, 40)] * 2, *[st.floats(2, 20)] * 2))
def test_two_moves_joined_are_the_one_and_then_the_other(first: Move, second: Move, box: Box) -> None:
    one = affine_of(first, box)
    centre = Box(box.x + first.right, box.y + first.down, box.width, box.height)
    other = affine_of(second, centre)
    joined = affine_of(first.then(second), box)
    for point in ([box.x, box.y, 1.0], [box.right, box.bottom, 1.0], [box.x, box.bottom, 1.0]):
        there = one @ np.array(point)
        assert other @ np.array([*there, 1.0]) == pytest.approx(joined @ np.array(point), abs=1e-6)


def test_a_shift_moves_every_pixel_by_exactly_so_much() -> None:
    thing = thing_of("a", block(40, 60, 10, 12, 20, 18))
    moved = moved_shape(thing, Move("a", right=7, down=-5), 60, 40)
    assert (moved == block(40, 60, 17, 7, 27, 13)).all()


def test_mirroring_is_in_place_and_turns_left_to_right() -> None:
    shape = block(40, 60, 10, 12, 30, 18)
    shape[12:15, 20:30] = False
    thing = thing_of("a", shape)
    moved = moved_shape(thing, Move("a", mirror=True), 60, 40)
    assert (moved[12:18, 10:30] == shape[12:18, 10:30][:, ::-1]).all() and moved.sum() == shape.sum()


@pytest.mark.parametrize("scale", [0.5, 0.7, 1.3, 2.0])
def test_scaling_keeps_the_centre_and_multiplies_the_area(scale: float) -> None:
    thing = thing_of("a", block(100, 100, 30, 40, 70, 60))
    moved = thing_of("b", moved_shape(thing, Move("a", scale=scale), 100, 100))
    assert moved.box.area == pytest.approx(800 * scale**2, rel=0.1)
    assert moved.box.x + moved.box.width / 2 == pytest.approx(50, abs=0.6)


def test_a_positive_angle_turns_counter_clockwise() -> None:
    shape = block(60, 60, 20, 20, 40, 40)
    shape[20:40, 20:38] = False
    shape[20, 20] = shape[39, 20] = True
    thing = thing_of("a", shape)
    turned = moved_shape(thing, Move("a", degrees=90), 60, 60)
    rows, _ = np.nonzero(turned)
    assert np.bincount(rows).argmax() <= 22, "the right edge is on top now"


def test_smaller_objects_are_laid_on_top_and_what_they_hide_is_known() -> None:
    large = thing_of("large", block(40, 60, 0, 0, 20, 20))
    small = thing_of("small", block(40, 60, 40, 5, 45, 10))
    pixels = np.zeros((40, 60, 3), np.uint8)
    pixels[:20, :20] = 100
    pixels[5:10, 40:45] = 200
    moves = (Move("small", right=-35), Move("large"))
    layout = laid_out((large, small), moves, 60, 40)
    assert list(layout.full) == ["large", "small"]
    assert layout.hidden_share("large") == pytest.approx(25 / 400) and layout.hidden_share("small") == 0
    moved = Relayout(moves, "flat").apply(Picture(pixels, (large, small), FakeStudio()))
    assert (moved.pixels[5:10, 5:10] == 200).all() and (moved.pixels[0:5, 0:20] == 100).all()
    assert [thing.id for thing in moved.things] == ["large", "small"]
    assert shape_of(moved.things[0]).sum() == 375


def test_an_object_that_was_not_lifted_is_covered_by_what_is_laid_over_it() -> None:
    rest = thing_of("rest", block(40, 60, 40, 0, 60, 40))
    mover = thing_of("mover", block(40, 60, 0, 0, 10, 10))
    moved = Relayout((Move("mover", right=45, down=5),), "flat").apply(
        Picture(np.zeros((40, 60, 3), np.uint8), (rest, mover), FakeStudio())
    )
    assert shape_of(moved.things[0]).sum() == 20 * 40 - 100
    assert moved.things[1].mask is not None and mask_box(moved.things[1].mask) == Box(45, 5, 10, 10)


def test_a_label_map_gains_no_labels_by_turning() -> None:
    thing = thing_of("a", block(80, 80, 20, 25, 60, 50))
    assert set(np.unique(moved_shape(thing, Move("a", degrees=13, scale=0.9), 80, 80))) == {False, True}


def test_a_move_off_the_picture_is_refused() -> None:
    picture = Picture(np.zeros((40, 60, 3), np.uint8), (thing_of("a", block(40, 60, 0, 0, 10, 10)),), FakeStudio())
    with pytest.raises(BadPicture, match=r"The object 'a' would leave the picture of 60 x 40\."):
        Relayout((Move("a", right=-3),), "flat").apply(picture)


def test_two_moves_of_one_object_are_refused_where_they_are_read() -> None:
    with pytest.raises(BadRecord, match="only one for each object"):
        decode(Relayout, {"moves": [{"object": "a"}, {"object": "a", "right": 3}]})
    with pytest.raises(ValueError, match="cannot follow"):
        Move("a").then(Move("b"))
