from __future__ import annotations

from anamorph.relations.crop_keeps_inside import CropKeepsInside
from anamorph.relations.verdicts.ledger import KnownClass
from tests.relations.readings import read

RELATION = CropKeepsInside(("dog",), ("car",))


def conflicts(whole: str, crop: str) -> list[tuple[str, str, tuple[int, ...]]]:
    verdict = RELATION.judge([read(whole), read(crop)])
    return [(each.label, each.what, each.probes) for each in verdict.conflicts]


def test_what_is_inside_is_still_named() -> None:
    assert conflicts("a dog and a car", "a lawn") == [("dog", "lost", (0, 1))]
    assert conflicts("a dog and a car", "a puppy on a lawn") == []
    # What the photo's caption leaves out, a crop's may leave out.
    assert conflicts("a car", "a lawn") == []


def test_what_is_outside_is_no_longer_named() -> None:
    assert conflicts("a dog and a car", "a dog next to a car") == [("car", "gone", (1,))]


def test_nothing_is_claimed_of_what_is_in_neither_list_but_that_a_crop_has_no_more() -> None:
    assert conflicts("a cat and a dog", "a dog") == []
    assert conflicts("a dog and two cats", "a dog and three cats") == [("cat", "number", (0, 1))]


def test_what_is_outside_is_proved_by_exhaustive_annotations_and_so_known() -> None:
    views = ((KnownClass("car", 1, 1),), (KnownClass("car", 0, 0),))
    verdict = CropKeepsInside((), ("car",), views, "coco").judge([read("a car"), read("a car")])
    assert [(each.what, each.probes, each.known) for each in verdict.conflicts] == [("invented", (1,), True)]
