from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anamorph.edits.relayout import Relayout
from anamorph.edits.repaint import Repaint
from anamorph.errors import BadPicture
from anamorph.model import Picture, Stuff
from anamorph.pixels.layouts import Move
from anamorph.pixels.masks import mask_from_pixels
from tests.edits.studios import FakeStudio, block, is_truthful, same, scenes, shape_of, stored, thing_of


def picture() -> Picture:
    table = thing_of("t", block(40, 60, 0, 20, 60, 40), "dining table")
    cup = thing_of("c", block(40, 60, 5, 5, 15, 15), "cup")
    return Picture(np.full((40, 60, 3), 9, np.uint8), (table, cup), FakeStudio())


def test_the_painter_gets_every_object_in_its_new_place_smaller_ones_on_top() -> None:
    source = picture()
    made = Repaint((Move("c", right=20, down=18),), "controlnet", "a photograph", 3).apply(source)
    assert isinstance(source.studio, FakeStudio)
    ((name, regions, prompt, seed),) = source.studio.painted
    assert (name, prompt, seed) == ("controlnet", "a photograph", 3)
    assert [region.label for region in regions] == ["dining table", "cup"]
    assert (regions[1].shape == block(40, 60, 25, 23, 35, 33)).all()
    assert not (regions[0].shape & regions[1].shape).any()
    assert made.pixels.shape == source.pixels.shape and not (made.pixels == 9).any()
    assert [thing.id for thing in made.things] == ["t", "c"]
    assert (shape_of(made.things[1]) == regions[1].shape).all()


def test_without_moves_the_scene_itself_is_painted() -> None:
    made = Repaint(()).apply(picture())
    assert made.things == picture().things


@given(scenes(), st.data())
def test_objects_are_where_a_layout_of_cutouts_has_them(scene: Picture, data: st.DataObject) -> None:
    thing = data.draw(st.sampled_from(scene.things))
    box = thing.box
    right = data.draw(st.integers(-int(box.x), int(scene.pixels.shape[1] - box.right)))
    moves = (Move(thing.id, right=right),)
    painted = Repaint(moves).apply(scene)
    assert is_truthful(painted) and same(Repaint(moves).apply(scene), painted)
    laid = Relayout(moves).apply(scene)
    by_id = {each.id: each for each in laid.things}
    assert {each.id for each in laid.things} <= {each.id for each in painted.things}
    moved = next((each for each in painted.things if each.id == thing.id), None)
    assert moved == by_id.get(thing.id)


def test_an_edit_survives_being_stored_and_bad_moves_are_named() -> None:
    stored(Repaint((Move("a", right=3),), sample=2, prompt="x"))
    with pytest.raises(ValueError, match="only one move for each object"):
        Repaint((Move("a"), Move("a")))
    with pytest.raises(BadPicture, match="no object 'x'"):
        Repaint((Move("x"),)).apply(picture())


def test_the_map_has_ground_below_the_objects_and_no_gap_where_one_was() -> None:
    source = picture()
    cup = shape_of(source.things[1])
    sky, grass = block(40, 60, 0, 0, 60, 12) & ~cup, block(40, 60, 0, 12, 50, 20) & ~cup
    stuff = (Stuff("sky", mask_from_pixels(sky)), Stuff("grass", mask_from_pixels(grass)))
    Repaint((Move("c", right=20),), stuff=stuff).apply(source)
    assert isinstance(source.studio, FakeStudio)
    ((_, regions, _, _),) = source.studio.painted
    assert [region.label for region in regions] == ["sky", "grass", "dining table", "cup"]
    above, below = regions[0].shape, regions[1].shape
    assert (above ^ below).all(), "the whole picture, each pixel once"
    assert above[sky].all() and below[grass].all()
    assert above[6, 10] and below[14, 10], "where the cup was, the ground around it goes on"
    stored(Repaint((Move("c", right=20),), stuff=stuff))


def test_ground_of_another_size_is_refused_and_empty_ground_is_none() -> None:
    small = Stuff("sky", mask_from_pixels(np.ones((4, 6), np.bool_)))
    with pytest.raises(BadPicture, match="'sky' has a mask of 6 x 4 on an image of 60 x 40"):
        Repaint((), stuff=(small,)).apply(picture())
    source = picture()
    Repaint((), stuff=(Stuff("sky", mask_from_pixels(np.zeros((40, 60), np.bool_))),)).apply(source)
    assert isinstance(source.studio, FakeStudio)
    assert [region.label for region in source.studio.painted[0][1]] == ["dining table", "cup"]
