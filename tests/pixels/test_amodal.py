from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anamorph.edits.relayout import Relayout
from anamorph.edits.repaint import Repaint
from anamorph.errors import BadPicture, BadRecord
from anamorph.model import AmodalMask, Box, CompletionRules, Hole, Picture, Thing, decode, encode
from anamorph.pixels.amodal import completed_mask, completing_hole, with_amodal_masks
from anamorph.pixels.layouts import Move
from anamorph.pixels.masks import mask_from_pixels, mask_pixels
from anamorph.pixels.shapes import melting_kernel, widened
from tests.edits.studios import FakeStudio, block, is_truthful, same, shape_of, stored, thing_of

HEIGHT, WIDTH = 70, 100
# A dog of 40 x 20 pixels, of which a cat hides the right quarter.
ALL, SEEN, CAT = (
    block(HEIGHT, WIDTH, 20, 20, 60, 40),
    block(HEIGHT, WIDTH, 20, 20, 50, 40),
    block(HEIGHT, WIDTH, 50, 10, 65, 50),
)
dog, cat = thing_of("dog", SEEN, "dog"), thing_of("cat", CAT, "cat")
AMODAL = AmodalMask("dog", mask_from_pixels(ALL), ("cat",), "flat")


def found(left: int, top: int, right: int, bottom: int, label: str = "dog", score: float | None = 0.9) -> Thing:
    return replace(thing_of("found", block(HEIGHT, WIDTH, left, top, right, bottom), label), score=score)


def completed(*things: Thing) -> Hole | None:
    mask = completed_mask(dog, [cat], things, HEIGHT, WIDTH, CompletionRules(max_made_up=0.3))
    return None if mask is None else mask_pixels(mask)


def test_an_object_grows_into_what_stood_before_it() -> None:
    whole = completed(found(20, 20, 60, 40))
    assert whole is not None and (whole == ALL).all()


def test_an_object_that_does_not_grow_was_whole() -> None:
    whole = completed(found(20, 20, 50, 40))
    assert whole is not None and (whole == SEEN).all()


def test_a_coarse_outline_adds_no_ground_and_takes_no_pixel() -> None:
    whole = completed(found(19, 19, 60, 39))
    assert whole is not None and (whole & SEEN == SEEN).all()
    assert not (whole & ~SEEN & ~widened(CAT, 5)).any()


@pytest.mark.parametrize(
    "things",
    [
        (),
        (found(20, 20, 60, 40, "cat"),),
        (found(20, 20, 60, 40, score=0.3),),
        (found(24, 20, 60, 40),),
        (found(5, 15, 60, 40),),
        (found(20, 10, 65, 50),),
        (Thing("found", "dog", Box(20, 20, 40, 20), None, 0.9),),
    ],
    ids=["nothing", "another class", "unsure", "lost a part", "strayed", "mostly made up", "no mask"],
)
def test_what_is_not_clearly_the_same_object_is_not_believed(things: tuple[Thing, ...]) -> None:
    assert completed(*things) is None


def test_the_likest_of_several_is_taken_and_a_segmenter_without_scores_is_believed() -> None:
    whole = completed(found(60, 45, 90, 65), found(20, 20, 60, 40, " DOG ", score=None))
    assert whole is not None and (whole == ALL).all()


corners = st.tuples(st.integers(0, 60), st.integers(0, 40), st.integers(1, 40), st.integers(1, 30))


@given(corners, corners, corners)
def test_a_completed_object_keeps_what_was_seen_and_grows_nowhere_else(
    own: tuple[int, ...], before: tuple[int, ...], seen: tuple[int, ...]
) -> None:
    shapes = [block(HEIGHT, WIDTH, x, y, x + width, y + height) for x, y, width, height in (own, before, seen)]
    visible = shapes[0] & ~shapes[1]
    if not visible.any():
        return
    thing, other = thing_of("a", visible), thing_of("b", shapes[1])
    anything = CompletionRules(0, 0, 1, 1)
    mask = completed_mask(thing, [other], [thing_of("f", shapes[2])], HEIGHT, WIDTH, anything)
    if mask is None:
        assert not (shapes[2] & visible).any()
        return
    whole = mask_pixels(mask)
    assert (whole & visible == visible).all()
    assert not (whole & ~visible & ~(widened(shapes[1], 5) & shapes[2])).any()


def test_the_hole_is_widened_but_never_takes_the_objects_own_pixels() -> None:
    hole = completing_hole(dog, [cat], HEIGHT, WIDTH)
    assert not (hole & SEEN).any() and (hole & CAT == CAT).all()
    assert (hole == widened(CAT, melting_kernel(HEIGHT, WIDTH)) & ~SEEN).all()


def photo() -> Picture:
    pixels = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    pixels[SEEN], pixels[CAT] = 100, 200
    return Picture(pixels, (dog, cat), FakeStudio())


def test_a_completed_object_moves_with_its_own_pixels_and_those_made_up_behind_the_other() -> None:
    picture = photo()
    edit = Relayout((Move("dog", down=25),), "flat", (AMODAL,))
    moved = edit.apply(picture)
    assert is_truthful(moved) and same(stored(edit).apply(picture), moved)
    there = moved.things[0]
    assert there.box == Box(20, 45, 40, 20) and shape_of(there).sum() == ALL.sum()
    assert (moved.pixels[45:65, 20:50] == 100).all()
    plate = FakeStudio().inpaint("flat", picture.pixels, completing_hole(dog, [cat], HEIGHT, WIDTH))
    assert (moved.pixels[45:65, 50:60] == plate[20:40, 50:60]).all()


def test_what_an_object_goes_away_behind_keeps_its_pixels() -> None:
    moved = Relayout((Move("dog", right=-15, down=28),), "flat", (AMODAL,)).apply(photo())
    assert (moved.pixels[10:48, 50:65] == 200).all() and moved.things[1] == cat
    without = Relayout((Move("dog", right=-15, down=28),), "flat").apply(photo())
    assert not (without.pixels[CAT] == 200).all()


def test_what_is_lifted_along_is_laid_back_in_its_place() -> None:
    picture = photo()
    edit = Relayout((Move("dog", right=-15, down=28), Move("cat")), "flat", (AMODAL,))
    moved = edit.apply(picture)
    assert (moved.pixels[10:48, 50:65] == 200).all()
    holes = [hole for _, hole in picture.studio.holes]  # type: ignore[union-attr]
    assert any((hole & (SEEN | CAT) == (SEEN | CAT)).all() for hole in holes), "the plate has neither"
    made_up = edit.made_up(picture)
    assert not (made_up.ground & shape_of(moved.things[0])).any() and not (made_up.ground & CAT).any()


def test_a_map_for_a_painter_has_the_completed_object() -> None:
    moved = Repaint((Move("dog", down=25),), "fake", wholes=(AMODAL,)).apply(photo())
    assert shape_of(moved.things[0]).sum() == ALL.sum()


def test_a_layout_without_completed_objects_is_written_as_before() -> None:
    assert encode(Relayout((Move("dog", down=25),), "flat")).keys() == {"kind", "moves", "inpainter"}
    assert "wholes" not in encode(Repaint((Move("dog", down=25),)))


def test_only_objects_that_are_laid_can_be_whole() -> None:
    with pytest.raises(BadRecord, match="wholes must be of objects that have a move"):
        decode(Relayout, {"moves": [{"object": "cat"}], "wholes": [encode(AMODAL)]})
    gone = replace(photo(), things=(dog,))
    with pytest.raises(BadPicture, match="The picture has no object 'cat'"):
        Relayout((Move("dog", down=25),), "flat", (AMODAL,)).apply(gone)


def test_other_objects_are_left_as_they_are() -> None:
    assert with_amodal_masks([dog, cat], [AMODAL]) == (replace(dog, mask=AMODAL.mask, box=Box(20, 20, 40, 20)), cat)
