"""Where two pictures of a case differ."""

from __future__ import annotations

import numpy as np
import pytest

from anamorph.edits.blur import Blur
from anamorph.edits.insert import Insert
from anamorph.edits.melt import Melt
from anamorph.edits.relayout import Relayout
from anamorph.model import Box, Edit, Thing, encode
from anamorph.pixels.layouts import Move
from anamorph.studies.review.outlines import Outline, planned_difference, seen_difference

THINGS = {"1": Thing("1", "dog", Box(10, 20, 30, 40)), "2": Thing("2", "cat", Box(0, 0, 5, 5))}


def planned(source: list[Edit], follow_up: list[Edit]) -> tuple[tuple[Outline, ...], tuple[Outline, ...]] | None:
    found = planned_difference(encode(source), encode(follow_up), THINGS)
    return None if found is None else (found.source, found.follow_up)


def test_what_was_removed_is_outlined_where_it_was_and_what_was_inserted_where_it_is() -> None:
    was, is_gone = Outline(10, 20, 30, 40, "removed"), Outline(10, 20, 30, 40, "removed", gone=True)
    assert planned([], [Melt(("1",))]) == ((was,), (is_gone,))
    not_yet, here = Outline(1, 2, 3, 4, "inserted", gone=True), Outline(1, 2, 3, 4, "inserted")
    assert planned([], [Insert("c", Box(1, 2, 3, 4))]) == ((not_yet,), (here,))


def test_what_was_moved_is_outlined_in_both_places() -> None:
    found = planned([], [Relayout((Move("1", right=100, down=-5, scale=0.5), Move("2")))])
    assert found == ((Outline(10, 20, 30, 40, "moved"),), (Outline(117.5, 25, 15, 20, "moved"),))
    turned = planned([], [Relayout((Move("1", degrees=90),))])
    assert turned is not None
    place = turned[1][0]
    assert (place.x, place.y, place.width, place.height) == pytest.approx((5, 25, 40, 30))


def test_only_what_differs_from_the_source_is_outlined() -> None:
    both = planned([Melt(("2",))], [Melt(("2",)), Melt(("1",))])
    assert both is not None
    assert [outline.x for outline in both[0]] == [10]
    swapped = planned([Melt(("2",))], [Melt(("1",))])
    assert swapped is not None
    assert [(outline.x, outline.gone) for outline in swapped[0]] == [(10, False), (0, True)]


def test_an_edit_of_the_whole_picture_has_no_place() -> None:
    assert planned([], [Blur(2)]) is None
    assert planned([], [Melt(("1",)), Blur(2)]) is None
    assert planned([], []) is None
    assert planned([], [Melt(("unknown",))]) is None
    assert planned_difference([], [{"kind": "of my own", "objects": ["1"]}], THINGS) is None


def test_pixels_that_differ_are_boxed() -> None:
    before = np.zeros((100, 200, 3), np.uint8)
    after = before.copy()
    after[10:30, 20:60] = 200
    after[70:90, 150:190, 1] = 90
    found = seen_difference(before, after)
    assert found.source == found.follow_up
    assert sorted((box.x, box.y, box.width, box.height) for box in found.source) == [
        (20, 10, 40, 20),
        (150, 70, 40, 20),
    ]
    assert found.note == ""


def test_pictures_without_a_place_to_outline_say_why() -> None:
    before = np.zeros((100, 200, 3), np.uint8)
    assert seen_difference(before, before.copy()).note == "The pictures look the same."
    assert seen_difference(before, before + np.uint8(10)).note == "The pictures look the same."
    assert seen_difference(before, before + np.uint8(100)).note == "The whole picture changed."
    assert seen_difference(before, before[:50]).note == "The pictures differ in size."
    after = before.copy()
    after[::20], after[:, ::20] = 100, 100
    assert seen_difference(before, after).note == "The whole picture changed."
    after = before.copy()
    after[0, 0] = 255
    assert seen_difference(before, after).note == "The pictures differ a little all over."
