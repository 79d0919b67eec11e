from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from anamorph.model import Answer, Box, Scene, Thing

whole = st.integers(0, 40)
boxes = st.builds(Box, whole, whole, whole, whole)


@given(boxes, boxes)
def test_the_overlap_of_two_boxes_is_the_pixels_that_both_cover(one: Box, other: Box) -> None:
    def cells(box: Box) -> set[tuple[int, int]]:
        xs, ys = range(int(box.x), int(box.right)), range(int(box.y), int(box.bottom))
        return {(x, y) for x in xs for y in ys}

    assert one.overlap(other) == other.overlap(one) == len(cells(one) & cells(other))


def test_a_thing_is_found_by_its_id() -> None:
    scene = Scene("s", "s.jpg", 10, 10, (Thing("7", "dog", Box(0, 0, 1, 1)),))
    assert scene.thing("7").label == "dog"
    with pytest.raises(KeyError):
        scene.thing("8")


def test_an_answer_is_either_a_text_or_labels() -> None:
    with pytest.raises(ValueError, match="either text or labels"):
        Answer()
    with pytest.raises(ValueError, match="either text or labels"):
        Answer("a cat", {"cat": 1.0})


def test_a_blank_text_is_empty_but_an_empty_label_set_is_not() -> None:
    assert Answer(" \n").empty
    assert not Answer(labels={}).empty
