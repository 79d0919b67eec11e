from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anamorph.methods.melting.eligibility import COMPANY, CROWD, LARGE, LARGEST, SMALL, MeltRules, Unit, eligible
from anamorph.model import Box, Picture, Scene, Thing
from anamorph.pixels.shapes import melting_kernel, thing_shape, widened
from tests.edits.studios import block, scenes, thing_of

SIZE = (480, 640)


def scene_of(*things: Thing, height: int = 480, width: int = 640) -> Scene:
    return Scene("s", "s.jpg", width, height, things)


def cup(id: str, left: int, top: int, right: int, bottom: int) -> Thing:
    return thing_of(id, block(*SIZE, left, top, right, bottom))


def test_objects_that_stand_apart_are_units_of_their_own() -> None:
    found = eligible(scene_of(cup("a", 50, 50, 120, 120), cup("b", 300, 300, 380, 380)), MeltRules())
    assert found.units == (Unit(("a",)), Unit(("b",))) and not found.left_out


def test_contents_go_with_the_bowl_but_may_go_alone() -> None:
    # The broccoli covers too little of the bowl for the bowl to have to follow it.
    bowl, broccoli = cup("bowl", 100, 100, 280, 250), cup("broccoli", 200, 180, 240, 210)
    rules = MeltRules(max_area=0.2, max_contact=0.2, min_area=0.001)
    found = eligible(scene_of(bowl, broccoli), rules)
    assert found.units == (Unit(("bowl",), ("broccoli",)), Unit(("broccoli",)))
    assert found.closed(frozenset({"broccoli"})) and found.closed(frozenset({"bowl", "broccoli"}))
    assert not found.closed(frozenset({"bowl"})) and not found.closed(frozenset({"cup"}))


def test_rider_and_horse_are_one_unit() -> None:
    horse, rider = cup("horse", 200, 200, 300, 280), cup("rider", 230, 150, 270, 230)
    found = eligible(scene_of(horse, rider), MeltRules())
    assert found.units == (Unit(("horse", "rider")),)
    assert not found.closed(frozenset({"horse"})) and found.closed(frozenset({"horse", "rider"}))


def test_what_is_left_out_is_told_by_reason() -> None:
    crowd = Thing("crowd", "person", Box(500, 0, 140, 200), crowd=True)
    found = eligible(
        scene_of(
            cup("wall", 0, 0, 300, 480),
            cup("speck", 400, 400, 410, 410),
            crowd,
            cup("fan", 520, 40, 600, 140),
            cup("cup", 400, 250, 450, 300),
        ),
        MeltRules(),
    )
    assert found.left_out == {"crowd": CROWD, "wall": LARGE, "speck": SMALL, "fan": COMPANY}
    assert found.units == (Unit(("cup",)),)
    assert found.counts() == {CROWD: 1, LARGE: 1, SMALL: 1, COMPANY: 1}


def test_a_unit_that_is_too_large_together_is_left_out() -> None:
    sofa, dog = cup("sofa", 50, 200, 350, 300), cup("dog", 60, 150, 160, 290)
    found = eligible(scene_of(sofa, dog), MeltRules(max_area=0.12))
    assert found.left_out == {"sofa": LARGE, "dog": LARGE} and not found.units


def test_the_largest_object_stays_on_request_with_whatever_needs_it() -> None:
    large, small, far = cup("large", 100, 100, 200, 200), cup("small", 170, 170, 235, 235), cup("far", 400, 20, 460, 70)
    scene = scene_of(large, small, far)
    found = eligible(scene, MeltRules(max_contact=0.2), keep_largest=True)
    assert found.left_out["large"] == LARGEST
    assert Unit(("far",)) in found.units and all("large" not in unit.all for unit in found.units)


def test_a_small_object_is_not_chosen_but_goes_along() -> None:
    plate, pea = cup("plate", 100, 100, 250, 200), cup("pea", 150, 150, 160, 160)
    found = eligible(scene_of(plate, pea), MeltRules())
    assert found.left_out == {"pea": SMALL} and found.units == (Unit(("plate",), ("pea",)),)
    assert not found.closed(frozenset({"pea"}))


@given(scenes(most=5), st.sampled_from([0.12, 0.5, 1.0]), st.sampled_from([0.0, 0.1, 0.5]), st.booleans())
def test_every_object_is_in_one_unit_or_left_out_and_units_keep_their_promise(
    picture: Picture, max_area: float, max_contact: float, keep_largest: bool
) -> None:
    height, width = picture.pixels.shape[:2]
    scene = scene_of(*picture.things, height=height, width=width)
    rules = MeltRules(max_area=max_area, min_area=0.01, max_contact=max_contact)
    found = eligible(scene, rules, keep_largest=keep_largest)
    members = [id for unit in found.units for id in unit.things]
    assert sorted([*members, *found.left_out]) == sorted(thing.id for thing in scene.things)
    kernel = melting_kernel(height, width)
    shapes = {thing.id: thing_shape(thing, height, width) for thing in scene.things}
    for unit in found.units:
        hole = widened(np.logical_or.reduce([shapes[id] for id in unit.all]), kernel)
        assert hole.mean() <= max_area
        for id, shape in shapes.items():
            if id not in unit.all:
                alone = [widened(shapes[each], kernel) & shape for each in unit.all]
                assert all(part.sum() <= max_contact * shape.sum() for part in alone)
        assert found.closed(frozenset(unit.all))
