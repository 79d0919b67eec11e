from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anamorph.edits.melt import Melt, melting_hole
from anamorph.errors import BadPicture
from anamorph.model import Box, Picture, Thing
from anamorph.model.protocols import EditOptions
from anamorph.pixels.shapes import melting_kernel
from tests.edits.studios import FakeStudio, block, is_truthful, same, scenes, shape_of, stored, thing_of


@given(scenes(), st.data())
def test_the_melted_leave_and_only_the_hole_changes(picture: Picture, data: st.DataObject) -> None:
    ids = data.draw(st.lists(st.sampled_from([t.id for t in picture.things]), min_size=1, unique=True))
    edit = Melt(tuple(ids), "flat", spare=data.draw(st.booleans()))
    melted = edit.apply(picture)
    (_, hole) = picture.studio.holes[-1]  # type: ignore[union-attr]
    assert not {thing.id for thing in melted.things} & set(ids)
    assert (melted.pixels[~hole] == picture.pixels[~hole]).all()
    assert (melted.pixels[hole] == 7).all()
    for thing in picture.things:
        if thing.id in ids and thing.mask is not None:
            assert hole[shape_of(thing)].all()
    for thing in melted.things:
        if thing.mask is not None:
            assert not (shape_of(thing) & hole).any()
    assert is_truthful(melted)
    assert same(stored(edit).apply(picture), melted)


def test_the_hole_is_the_union_widened_by_the_papers_kernel() -> None:
    height, width = 480, 640
    things = [
        thing_of("a", block(height, width, 100, 100, 140, 150)),
        thing_of("b", block(height, width, 300, 200, 310, 210)),
    ]
    hole = melting_hole(things, (), height, width)
    # sqrt(480 * 640) / 35 = 15.8, so a square of 17 pixels: eight to each side.
    assert melting_kernel(height, width) == 17
    assert (hole == (block(height, width, 92, 92, 148, 158) | block(height, width, 292, 192, 318, 218))).all()


def test_all_objects_are_melted_with_one_inpainting_of_the_given_pixels() -> None:
    studio = FakeStudio()
    shapes = {"a": block(40, 60, 2, 2, 10, 10), "b": block(40, 60, 30, 20, 40, 30)}
    picture = Picture(np.zeros((40, 60, 3), np.uint8), tuple(thing_of(*item) for item in shapes.items()), studio)
    assert Melt(("a", "b"), "flat").apply(picture).things == ()
    assert len(studio.holes) == 1


@given(scenes(), st.data())
def test_what_it_takes_away_is_gone_from_the_picture_and_nothing_else_is_named(
    picture: Picture, data: st.DataObject
) -> None:
    ids = data.draw(st.lists(st.sampled_from([t.id for t in picture.things]), min_size=1, unique=True))
    edit = Melt(tuple(ids), "flat")
    takes_away = EditOptions.takes_away.of(edit)
    assert takes_away is not None and tuple(takes_away()) == tuple(ids)
    assert not {thing.id for thing in edit.apply(picture).things} & set(takes_away())
    # It changes nothing but the places that it outlines.
    outlined = [change.before for change in edit.outlines({thing.id: thing for thing in picture.things})]
    assert outlined == [thing.box for id in ids for thing in picture.things if thing.id == id]
    assert EditOptions.reach.of(edit) == "place"


def test_a_neighbour_is_spared_on_request_but_the_ground_is_not() -> None:
    height, width = 200, 200
    book = thing_of("book", block(height, width, 80, 80, 120, 120))
    bed = thing_of("bed", block(height, width, 10, 60, 190, 190))
    lamp = thing_of("lamp", block(height, width, 60, 80, 80, 120))
    hole = melting_hole([book], [bed, lamp], height, width)
    assert hole[shape_of(book)].all()
    assert not hole[shape_of(lamp)].any()
    # The bed's mask runs through the book: it is the ground that the book lies on.
    assert hole[100, 121] and not hole[100, 79]
    assert melting_hole([book], (), height, width)[100, 79]


def test_an_object_that_is_not_there_is_named_with_those_that_are() -> None:
    picture = Picture(np.zeros((8, 8, 3), np.uint8), (Thing("7", "cup", Box(1, 1, 2, 2)),), FakeStudio())
    with pytest.raises(BadPicture, match=r"The picture has no object '8'; it has: 7\."):
        Melt(("8",)).apply(picture)


def test_a_picture_without_a_studio_says_so() -> None:
    picture = Picture(np.zeros((8, 8, 3), np.uint8), (Thing("7", "cup", Box(1, 1, 2, 2)),))
    with pytest.raises(BadPicture, match="the image has no studio"):
        Melt(("7",)).apply(picture)


def test_melting_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one object"):
        Melt(())


def test_a_shadow_goes_with_its_object_but_takes_nothing_from_others() -> None:
    height, width = 200, 300
    pixels = np.full((height, width, 3), 150, np.uint8)
    shadow = block(height, width, 115, 120, 185, 136)
    pixels[shadow] = 60
    car = thing_of("car", block(height, width, 120, 60, 180, 120))
    cone = thing_of("cone", block(height, width, 170, 122, 185, 136))
    picture = Picture(pixels, (car, cone), FakeStudio())
    plain, whole = (Melt(("car",), "flat", shadows=shadows).made_up(picture).ground for shadows in (False, True))
    seen = shadow & ~shape_of(cone) & ~block(height, width, 160, 0, 200, 200)
    assert whole[seen].all() and not plain[seen].all()
    assert not (whole & ~plain & shape_of(cone)).any()
