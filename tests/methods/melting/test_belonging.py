from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from anamorph.methods.melting.eligibility import HELD, LAID, MIRRORED, PARTS, RIDING, SHOWN, MeltRules, Unit, eligible
from anamorph.model import Scene, Thing
from anamorph.model.scene import DRAWING, MEDIUM
from tests.edits.studios import block, thing_of

SIZE = (480, 640)
# What belongs together, apart from what is never melted.
RULES = MeltRules(max_contact=0.5, max_at_once=1, apart=False)


def named(id: str, label: str, left: int, top: int, right: int, bottom: int) -> Thing:
    return replace(thing_of(id, block(*SIZE, left, top, right, bottom)), label=label)


def units(*things: Thing, together: bool = True) -> tuple[Unit, ...]:
    return eligible(Scene("s", "s.jpg", 640, 480, things), replace(RULES, together=together)).units


def test_a_rider_and_a_mount_that_touch_go_together() -> None:
    horse, rider = named("h", "horse", 200, 200, 300, 280), named("p", "person", 230, 130, 270, 202)
    assert units(horse, rider) == (Unit(("h", "p")),)
    assert units(horse, rider, together=False) == (Unit(("h",)), Unit(("p",)))
    far = named("p", "person", 400, 130, 440, 202)
    assert units(horse, far) == (Unit(("h",)), Unit(("p",)))


def test_what_a_person_carries_goes_along_and_may_go_alone() -> None:
    person, bag = named("p", "person", 200, 100, 260, 300), named("b", "handbag", 258, 200, 300, 260)
    assert units(person, bag) == (Unit(("p",), ("b",)), Unit(("b",)))


def test_a_chair_does_not_go_without_who_sits_on_it() -> None:
    chair, person = named("c", "chair", 200, 250, 280, 350), named("p", "person", 210, 120, 270, 254)
    assert units(chair, person) == (Unit(("c",), ("p",)), Unit(("p",)))


def test_touching_halves_of_one_class_are_one_thing_and_neighbours_are_not() -> None:
    left, right = named("a", "pizza", 200, 200, 260, 280), named("b", "pizza", 260, 200, 320, 280)
    assert units(left, right) == (Unit(("a", "b")),)
    leaning = named("b", "pizza", 260, 245, 320, 300)
    assert units(left, leaning) == (Unit(("a", "b")),)
    drawn = Scene("s", "s.png", 640, 480, (left, leaning), origin={MEDIUM: DRAWING})
    assert eligible(drawn, MeltRules(max_contact=0.5)).units == (Unit(("a",)), Unit(("b",)))
    beside = named("b", "pizza", 262, 276, 322, 356)
    assert units(left, beside) == (Unit(("a",)), Unit(("b",)))


def test_other_classes_that_touch_are_free() -> None:
    cup, fork = named("a", "cup", 200, 200, 260, 280), named("b", "bottle", 260, 200, 320, 280)
    assert units(cup, fork) == (Unit(("a",)), Unit(("b",)))


def wedge(id: str, left: int, *, mirrored: bool = False) -> Thing:
    """A person with an arm stretched out to one side."""
    shape = block(*SIZE, left + 30, 200, left + 60, 300) | block(*SIZE, left, 220, left + 30, 235)
    part = shape[:, left : left + 60]
    shape[:, left : left + 60] = part[:, ::-1] if mirrored else part
    return replace(thing_of(id, np.ascontiguousarray(shape)), label="person")


@pytest.mark.parametrize(
    ("gone", "stays", "reason"),
    [
        (named("a", "horse", 200, 200, 260, 250), named("p", "person", 215, 150, 235, 203), RIDING),
        (named("a", "cell phone", 258, 200, 300, 240), named("p", "person", 200, 100, 260, 300), HELD),
        (named("a", "pizza", 200, 200, 260, 280), named("b", "pizza", 262, 270, 322, 350), PARTS),
        (named("a", "cat", 250, 250, 320, 300), named("b", "bed", 100, 200, 600, 420), LAID),
        (named("a", "broccoli", 250, 250, 300, 300), named("b", "bowl", 220, 230, 420, 420), LAID),
        (named("a", "dog", 250, 250, 300, 300), named("b", "tv", 200, 200, 420, 360), SHOWN),
        (wedge("a", 100), wedge("b", 400, mirrored=True), MIRRORED),
        (wedge("a", 100), wedge("b", 400), None),
        # A cup beside somebody is free, and so is one on a table.
        (named("a", "cup", 300, 200, 340, 250), named("p", "person", 200, 100, 260, 300), None),
        (named("a", "cup", 300, 250, 340, 300), named("b", "dining table", 100, 200, 600, 420), None),
    ],
)
def test_what_is_tied_to_its_surroundings_stays_on_a_photo(gone: Thing, stays: Thing, reason: str | None) -> None:
    photo = Scene("s", "s.jpg", 640, 480, (gone, stays))
    rules = MeltRules(max_contact=0.5, min_area=0.001, max_at_once=0.04)
    assert eligible(photo, rules).left_out.get("a") == reason
    assert "a" not in eligible(replace(photo, origin={MEDIUM: DRAWING}), rules).left_out
