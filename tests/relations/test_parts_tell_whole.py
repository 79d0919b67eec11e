from __future__ import annotations

import pytest

from anamorph.ledger import Covered
from anamorph.relations.parts_tell_whole import PartsTellWhole
from anamorph.relations.verdicts.ledger import KnownClass
from tests.relations.readings import read


def judged(whole: str, *pieces: str) -> tuple[str, tuple[tuple[str, str, tuple[int, ...]], ...]]:
    verdict = PartsTellWhole().judge([read(text) for text in (whole, *pieces)])
    return verdict.outcome, tuple((each.label, each.what, each.probes) for each in verdict.conflicts)


@pytest.mark.parametrize(
    ("whole", "left", "right"),
    [
        ("two dogs on a lawn", "a dog on a lawn", "a dog on the grass"),
        ("two dogs on a lawn", "two dogs on a lawn", "a lawn"),
        ("a man on a bench", "a man", "a bench and a cup of coffee"),
        ("a group of people", "three people", "a woman"),
        ("a couch in a room", "a sofa", "a window"),
        # A mug may be a cup.
        ("a cup on a table", "a mug", "a table"),
        ("two zebras standing in a field", "a zebra walking", "a zebra grazing in a field"),
    ],
)
def test_captions_that_can_all_be_true_hold(whole: str, left: str, right: str) -> None:
    assert judged(whole, left, right) == ("holds", ())


@pytest.mark.parametrize(
    ("whole", "left", "right", "conflict"),
    [
        ("a dog on a lawn", "a lawn", "a fence", ("dog", "lost", (0, 1, 2))),
        ("three dogs on a lawn", "a dog", "a dog", ("dog", "number", (0, 1, 2))),
        ("two dogs on a lawn", "a dog", "a fence", ("dog", "number", (0, 1, 2))),
        ("two dogs on a lawn", "three dogs", "a fence", ("dog", "number", (0, 1))),
        ("a man on a lawn", "a man", "a bear on a lawn", ("bear", "gained", (0, 2))),
        ("a man sitting on a bench", "a man standing", "a bench", ("person", "described", (0, 1))),
        ("a group of statues", "a lawn", "a fence", ("statue", "lost", (0, 1, 2))),
    ],
)
def test_captions_that_do_not_fit_are_suspected(
    whole: str, left: str, right: str, conflict: tuple[str, str, tuple[int, ...]]
) -> None:
    outcome, conflicts = judged(whole, left, right)
    assert outcome == "violated" and conflict in conflicts


def test_silence_is_an_omission_and_never_a_contradiction() -> None:
    verdict = PartsTellWhole().judge([read("a dog"), read("a lawn"), read("a fence")])
    assert verdict.grade == "omission" and verdict.categories == ("omission",)
    assert verdict.reason == "'dog' is named in the whole and in none of its pieces."


def test_each_caption_is_held_against_what_is_known_of_its_own_image() -> None:
    views = ((KnownClass("dog", 1, 1),), (KnownClass("dog", 1, 1),), (KnownClass("dog", 0, 0),))
    verdict = PartsTellWhole(views, "coco").judge([read("a dog"), read("a dog"), read("a dog and a cat")])
    found = {(each.label, each.what, each.probes, each.known) for each in verdict.conflicts}
    assert found == {("dog", "invented", (2,), True), ("cat", "invented", (2,), True)}


def test_captions_without_classes_hold_vacuously() -> None:
    assert PartsTellWhole().judge([read("a lawn"), read("a lawn"), read("a lawn")]).vacuous


def test_closed_questions_about_the_pieces_are_linked_as_pieces_that_cover_the_whole() -> None:
    assert PartsTellWhole().links(3) == (Covered(0, (1, 2)),)
