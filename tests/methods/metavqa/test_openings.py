from __future__ import annotations

from random import Random

from hypothesis import given, strategies as st

from anamorph.edits.crop import cut_things
from anamorph.methods.metavqa.openings import Axis, free_spot, pieces, standing_alone
from anamorph.model import Box, Thing

WIDTH, HEIGHT = 120, 90


def thing(id: str, x: float, y: float, width: float, height: float, crowd: bool = False) -> Thing:
    return Thing(id, "cat", Box(x, y, width, height), crowd=crowd)


@st.composite
def layouts(draw: st.DrawFn) -> list[Thing]:
    things = []
    for index in range(draw(st.integers(0, 6))):
        x, y = draw(st.floats(0, WIDTH - 1)), draw(st.floats(0, HEIGHT - 1))
        width, height = draw(st.floats(0.5, WIDTH - x)), draw(st.floats(0.5, HEIGHT - y))
        size = (min(width, WIDTH / 4), min(height, HEIGHT / 4))
        things.append(thing(str(index), x, y, *size, crowd=draw(st.integers(0, 4)) == 0))
    return things


@given(layouts(), st.sampled_from(("x", "y")), st.floats(0, 5), st.integers(1, 40))
def test_pieces_tile_the_photo_cut_no_box_and_have_an_object_each(
    things: list[Thing], axis: Axis, gap: float, side: int
) -> None:
    found = pieces(things, WIDTH, HEIGHT, axis, gap, side)
    assert sum(piece.area for piece in found) == WIDTH * HEIGHT
    if len(found) == 1:
        return
    for piece in found:
        assert (piece.width if axis == "x" else piece.height) >= side
        assert all(float(number).is_integer() for number in (piece.x, piece.y, piece.width, piece.height))
        inside = [each for each in things if each.box.overlap(piece) > 0]
        assert any(not each.crowd for each in inside)
        for each in inside:
            assert piece.x <= each.box.x and each.box.right <= piece.right
            assert piece.y <= each.box.y and each.box.bottom <= piece.bottom
        corners = map(int, (piece.x, piece.y, piece.right, piece.bottom))
        assert len(cut_things(things, *corners)) == len(inside)


def test_cuts_are_made_in_the_middle_of_uncovered_ground() -> None:
    things = [thing("a", 10, 0, 10, 10), thing("b", 40, 50, 20, 10), thing("c", 90, 20, 20, 5)]
    assert pieces(things, WIDTH, HEIGHT, "x", 1, 1) == [Box(0, 0, 30, 90), Box(30, 0, 45, 90), Box(75, 0, 45, 90)]
    assert pieces(things, WIDTH, HEIGHT, "y", 1, 1) == [Box(0, 0, 120, 15), Box(0, 15, 120, 23), Box(0, 38, 120, 52)]


def test_boxes_that_share_ground_are_never_parted() -> None:
    things = [thing("a", 10, 0, 40, 10), thing("b", 30, 50, 40, 10)]
    assert len(pieces(things, WIDTH, HEIGHT, "x", 1, 1)) == 1
    assert len(pieces(things, WIDTH, HEIGHT, "y", 1, 1)) == 2


def test_a_gap_without_a_whole_pixel_in_it_is_not_cut() -> None:
    things = [thing("a", 10, 0, 10.2, 10), thing("b", 20.7, 0, 20, 10)]
    assert len(pieces(things, WIDTH, HEIGHT, "x", 0, 1)) == 1


def test_a_crowd_is_covered_ground_but_no_object() -> None:
    crowd = thing("c", 60, 0, 20, 20, crowd=True)
    assert len(pieces([thing("a", 10, 0, 10, 10), crowd], WIDTH, HEIGHT, "x", 1, 1)) == 1
    three = pieces([thing("a", 10, 0, 10, 10), crowd, thing("b", 100, 0, 10, 10)], WIDTH, HEIGHT, "x", 1, 1)
    assert len(three) == 2


@given(layouts(), st.integers(1, 60), st.integers(1, 60), st.integers(0, 99))
def test_a_free_spot_overlaps_nothing_and_is_found_where_there_is_one(
    things: list[Thing], width: int, height: int, seed: int
) -> None:
    boxes = [each.box for each in things]
    spot = free_spot(boxes, (width, height), WIDTH, HEIGHT, Random(seed))
    if spot is not None:
        assert spot.x >= 0 and spot.right <= WIDTH and spot.y >= 0 and spot.bottom <= HEIGHT
        assert (spot.width, spot.height) == (width, height)
        assert not any(spot.overlap(box) for box in boxes)
    else:
        tried = (Box(x, y, width, height) for x in range(WIDTH - width + 1) for y in range(HEIGHT - height + 1))
        assert all(any(place.overlap(box) for box in boxes) for place in tried)


def test_the_one_spot_that_just_fits_is_found_and_none_beside_it() -> None:
    box = Box(10, 0, 19, 20)
    assert {free_spot([box], (10, 20), 29, 20, Random(seed)) for seed in range(20)} == {Box(0, 0, 10, 20)}
    assert free_spot([box], (11, 20), 29, 20, Random(0)) is None
    below = Box(0, 7.5, 20, 12.5)
    assert {free_spot([below], (20, 7), 20, 20, Random(seed)) for seed in range(20)} == {Box(0, 0, 20, 7)}
    assert free_spot([below], (20, 8), 20, 20, Random(0)) is None


def test_a_box_that_is_larger_than_the_photo_has_no_spot() -> None:
    assert free_spot([], (WIDTH + 1, 5), WIDTH, HEIGHT, Random(0)) is None


@given(layouts(), st.floats(0, 10))
def test_what_stands_alone_overlaps_nothing_and_is_no_crowd(things: list[Thing], margin: float) -> None:
    alone = standing_alone(things, margin)
    for each in alone:
        assert not each.crowd
        assert not any(each.box.overlap(other.box) for other in things if other is not each)
    assert set(map(id, standing_alone(things, margin + 1))) <= set(map(id, alone))


def test_a_neighbour_within_the_margin_is_company() -> None:
    things = [thing("a", 0, 0, 10, 10), thing("b", 13, 0, 10, 10)]
    assert [each.id for each in standing_alone(things, 2)] == ["a", "b"]
    assert standing_alone(things, 4) == []
