from __future__ import annotations

import numpy as np

from anamorph.detectors import Detection
from anamorph.model import Box
from anamorph.pixels.masks import mask_pixels
from anamorph.segmenters.selection.selection import Selection

ALL = Selection(min_area=0, nms_iou=0.8, most=100)


def masked(label: str, score: float, left: int, top: int, right: int, bottom: int) -> Detection:
    mask = np.zeros((20, 30), np.bool_)
    mask[top:bottom, left:right] = True
    return Detection(label, score, Box(left, top, right - left, bottom - top), mask)


def test_objects_are_counted_from_the_surest_of_each_class() -> None:
    found = [masked("dog", 0.5, 0, 0, 5, 5), masked("cat", 0.7, 8, 8, 12, 12), masked("dog", 0.9, 10, 10, 20, 20)]
    things = ALL.things(found, 20, 30)
    assert [(thing.id, thing.score) for thing in things] == [("dog-1", 0.9), ("cat-1", 0.7), ("dog-2", 0.5)]
    assert things[0].mask is not None and mask_pixels(things[0].mask).sum() == 100
    assert things[0].box == Box(10, 10, 10, 10)


def test_boxes_are_cut_off_at_the_edge_of_the_photo_and_lose_what_lies_beyond() -> None:
    found = [
        Detection("dog", 0.9, Box(-5, -5, 10, 10)),
        Detection("dog", 0.8, Box(25, 15, 50, 50)),
        Detection("cat", 0.7, Box(40, 0, 9, 9)),
    ]
    assert [thing.box for thing in ALL.things(found, 20, 30)] == [Box(0, 0, 5, 5), Box(25, 15, 5, 5)]


def test_small_objects_other_classes_and_doubles_are_left_out() -> None:
    found = [
        masked("dog", 0.9, 0, 0, 10, 10),
        masked("dog", 0.8, 0, 0, 10, 9),
        masked("cat", 0.7, 0, 0, 10, 9),
        masked("dog", 0.6, 20, 0, 22, 2),
    ]
    assert [thing.id for thing in ALL.things(found, 20, 30)] == ["dog-1", "cat-1", "dog-2"]
    assert [thing.id for thing in Selection(0.1, 0.8, 100).things(found, 20, 30)] == ["dog-1", "cat-1"]
    assert [thing.id for thing in Selection(0, 0.8, 100, ("cat",)).things(found, 20, 30)] == ["cat-1"]
    assert [thing.id for thing in Selection(0, 0.8, 1).things(found, 20, 30)] == ["dog-1"]
    assert len(Selection(0, 1, 100).things(found, 20, 30)) == 4
