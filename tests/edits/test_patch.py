from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anamorph.edits.blur import Blur
from anamorph.edits.patch import Patch
from anamorph.errors import BadRecord
from anamorph.model import Box, Picture, Thing, decode
from anamorph.model.protocols import EditOptions
from tests.edits.studios import is_truthful, same, scenes, shape_of, stored, thing_of


@given(scenes(), st.data())
def test_the_patch_hides_the_object_and_nothing_beyond_its_box(picture: Picture, data: st.DataObject) -> None:
    gone = data.draw(st.sampled_from(picture.things))
    area: Literal["box", "mask"] = data.draw(st.sampled_from(["box", "mask"]))
    edit = Patch((gone.id,), area, (1, 2, 3))
    patched = edit.apply(picture)
    changed = (patched.pixels != picture.pixels).any(axis=2)
    left, top = int(gone.box.x), int(gone.box.y)
    outside = np.ones(changed.shape, np.bool_)
    outside[top : int(gone.box.bottom), left : int(gone.box.right)] = False
    assert not (changed & outside).any()
    if gone.mask is not None:
        assert (patched.pixels[shape_of(gone)] == (1, 2, 3)).all()
        if area == "mask":
            assert not (changed & ~shape_of(gone)).any()
    assert gone.id not in {thing.id for thing in patched.things}
    assert is_truthful(patched) and same(stored(edit).apply(picture), patched)


def test_what_it_takes_away_is_what_it_covers() -> None:
    picture = Picture(
        np.zeros((10, 10, 3), np.uint8),
        tuple(Thing(id, "cup", Box(2 * place, 2 * place, 2, 2)) for place, id in enumerate("abc")),
    )
    edit = Patch(("a", "c"))
    takes_away = EditOptions.takes_away.of(edit)
    assert takes_away is not None and tuple(takes_away()) == ("a", "c")
    assert [thing.id for thing in edit.apply(picture).things] == ["b"]
    assert EditOptions.reach.of(edit) == "place"


def test_an_edit_that_removes_nothing_takes_nothing_away() -> None:
    assert EditOptions.takes_away.of(Blur(1.0)) is None and EditOptions.reach.of(Blur(1.0)) == "all"


def test_white_is_the_default_and_half_pixels_are_covered_whole() -> None:
    picture = Picture(np.zeros((10, 10, 3), np.uint8), (Thing("1", "cup", Box(2.5, 3.5, 2, 2)),))
    white = (Patch(("1",)).apply(picture).pixels == 255).all(axis=2)
    assert white.sum() == 9 and white[3:6, 2:5].all()


def test_what_lies_under_the_patch_loses_its_pixels_or_goes() -> None:
    shapes = [np.zeros((20, 20), np.bool_) for _ in range(3)]
    shapes[0][2:12, 2:12] = True
    shapes[1][4:6, 4:6] = True
    shapes[2][10:18, 10:18] = True
    things = tuple(thing_of(str(i), shape) for i, shape in enumerate(shapes))
    (rest,) = Patch(("0",)).apply(Picture(np.zeros((20, 20, 3), np.uint8), things)).things
    assert rest.id == "2" and (shape_of(rest) == (shapes[2] & ~shapes[0])).all()


def test_a_colour_beyond_255_is_refused_where_it_is_read() -> None:
    with pytest.raises(BadRecord, match="colour: must be at most 255, got 256"):
        decode(Patch, {"objects": ["1"], "colour": [256, 0, 0]})
