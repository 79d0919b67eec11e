from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, strategies as st

from anamorph.methods.melting.eligibility import (
    COMPANY,
    CROWD,
    FIXTURE,
    LAID,
    LARGE,
    LARGEST,
    SMALL,
    MeltRules,
    Unit,
    eligible,
)
from anamorph.model import Box, Picture, Scene, Thing
from anamorph.model.scene import DRAWING, MEDIUM
from anamorph.pixels.shapes import melting_kernel, thing_shape, widened
from tests.edits.studios import block, scenes, thing_of

SIZE = (480, 640)


def scene_of(*things: Thing, height: int = 480, width: int = 640) -> Scene:
    return Scene("s", "s.jpg", width, height, things)


def cup(id: str, left: int, top: int, right: int, bottom: int) -> Thing:
    return thing_of(id, block(*SIZE, left, top, right, bottom))


def test_objects_that_stand_apart_are_units_of_their_own() -> None:
    found = eligible(scene_of(cup("a", 50, 50, 100, 100), cup("b", 300, 300, 350, 350)), MeltRules())
    assert found.units == (Unit(("a",)), Unit(("b",))) and not found.left_out


def test_contents_go_with_the_bowl_but_may_go_alone() -> None:
    # The broccoli covers too little of the bowl for the bowl to have to follow it.
    bowl, broccoli = cup("bowl", 100, 100, 280, 250), cup("broccoli", 200, 180, 240, 210)
    rules = MeltRules(0.2, 0.001, 0.2, together=False, max_at_once=1, apart=False)
    found = eligible(scene_of(bowl, broccoli), rules)
    assert found.units == (Unit(("bowl",), ("broccoli",)), Unit(("broccoli",)))
    assert found.closed(frozenset({"broccoli"})) and found.closed(frozenset({"bowl", "broccoli"}))
    assert not found.closed(frozenset({"bowl"})) and not found.closed(frozenset({"cup"}))


def test_rider_and_horse_are_one_unit() -> None:
    horse, rider = cup("horse", 200, 200, 300, 280), cup("rider", 230, 150, 270, 230)
    found = eligible(scene_of(horse, rider), MeltRules(max_at_once=1))
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
    found = eligible(scene_of(plate, pea), MeltRules(together=False, max_at_once=1, apart=False))
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


def by_the_book(scene: Scene, rules: MeltRules, *, keep_largest: bool) -> tuple[tuple[Unit, ...], dict[str, str]]:
    """The same rules with whole canvases, every pair and every path: slow, and plain to read."""
    canvas, kernel = scene.height * scene.width, melting_kernel(scene.height, scene.width)
    shapes = {thing.id: thing_shape(thing, scene.height, scene.width) for thing in scene.things}
    holes = {id: widened(shape, kernel) for id, shape in shapes.items()}
    crowds = {thing.id for thing in scene.things if thing.crowd}

    def goes_along(one: Thing, other: Thing) -> bool:
        whole = holes[one.id].sum() if other.crowd else shapes[other.id].sum()
        return bool((holes[one.id] & shapes[other.id]).sum() > rules.max_contact * whole) and other is not one

    def reach(start: Thing) -> set[str]:
        found, waiting = {start.id}, [start]
        while waiting:
            one = waiting.pop()
            for other in scene.things if not one.crowd else ():
                if other.id not in found and goes_along(one, other):
                    found.add(other.id)
                    waiting.append(other)
        return found

    reached = {thing.id: reach(thing) for thing in scene.things}
    largest = max((t.id for t in scene.things if not t.crowd), key=lambda id: shapes[id].sum(), default=None)
    left_out: dict[str, str] = dict.fromkeys(sorted(crowds), CROWD)
    units: list[Unit] = []
    seen: set[str] = set()
    for thing in scene.things:
        if thing.crowd or thing.id in seen:
            continue
        own = reached[thing.id]
        together = tuple(t.id for t in scene.things if t.id in own and thing.id in reached[t.id])
        seen.update(together)
        unit = Unit(together, tuple(t.id for t in scene.things if t.id in own and t.id not in together))
        hole, alone = (np.logical_or.reduce([holes[id] for id in ids]).sum() for ids in (unit.all, together))
        reason = None
        if not any(shapes[id].sum() >= rules.min_area * canvas for id in together):
            reason = SMALL
        elif crowds & own:
            reason = COMPANY
        elif keep_largest and largest in own:
            reason = LARGEST if largest in together else COMPANY
        elif hole > rules.max_area * canvas:
            reason = LARGE if alone > rules.max_area * canvas else COMPANY
        if reason is None:
            units.append(unit)
        else:
            left_out.update(dict.fromkeys(together, reason))
    return tuple(units), left_out


@given(st.lists(st.tuples(*[st.integers(0, 60)] * 4, st.booleans(), st.booleans()), max_size=12), st.booleans())
def test_windows_and_boxes_find_what_whole_canvases_and_all_pairs_find(
    drawn: list[tuple[int, int, int, int, bool, bool]], keep_largest: bool
) -> None:
    things = []
    for number, (x, y, width, height, masked, crowd) in enumerate(drawn):
        left, top, right, bottom = x, y, min(100, x + 1 + width // 2), min(70, y + 1 + height // 2)
        if bottom <= top:
            continue
        made = thing_of(str(number), block(70, 100, left, top, right, bottom))
        box = Box(left, top, right - left, bottom - top)
        things.append(Thing(made.id, made.label, box, made.mask if masked else None, crowd=crowd and number % 3 == 0))
    scene = scene_of(*things, height=70, width=100)
    rules = MeltRules(max_area=0.3, together=False).without_photo_rules()
    found = eligible(scene, rules, keep_largest=keep_largest)
    assert (found.units, dict(found.left_out)) == by_the_book(scene, rules, keep_largest=keep_largest)


def named(label: str, id: str, left: int, top: int, right: int, bottom: int) -> Thing:
    return replace(cup(id, left, top, right, bottom), label=label)


def test_what_the_edge_of_the_photo_cuts_off_may_go_like_anything_else() -> None:
    inside, cut = cup("inside", 300, 100, 420, 220), cup("cut", 0, 300, 120, 420)
    assert eligible(scene_of(inside, cut), MeltRules(max_at_once=0.1)).left_out == {}


def test_what_stands_in_a_fridge_or_lies_in_a_bag_stays() -> None:
    for holder in ("refrigerator", "suitcase", "sink"):
        cup_in_it, around = cup("cup", 300, 200, 340, 240), named(holder, "holder", 200, 100, 440, 400)
        found = eligible(scene_of(cup_in_it, around), MeltRules(max_contact=1))
        assert found.left_out["cup"] == LAID, holder


def test_a_vase_stays_since_its_flowers_would_stay_in_the_air() -> None:
    vase = named("vase", "vase", 300, 200, 340, 260)
    assert eligible(scene_of(vase), MeltRules()).left_out == {"vase": FIXTURE}


def test_what_is_built_in_stays_unless_it_is_asked_for() -> None:
    oven = named("oven", "oven", 300, 200, 350, 250)
    assert eligible(scene_of(oven), MeltRules()).left_out == {"oven": FIXTURE}
    assert eligible(scene_of(oven), MeltRules(fixtures=True)).units == (Unit(("oven",)),)


def test_a_drawing_has_none_of_the_rules_for_photos() -> None:
    oven, cut = named("oven", "oven", 300, 200, 380, 280), cup("cut", 0, 300, 120, 420)
    drawing = replace(scene_of(oven, cut), origin={MEDIUM: DRAWING})
    found = eligible(drawing, MeltRules())
    assert {unit.things for unit in found.units} == {("oven",), ("cut",)}
    assert found.small_enough(("oven", "cut"))


def test_several_holes_together_may_be_too_large() -> None:
    scene = scene_of(cup("a", 100, 100, 220, 220), cup("b", 300, 100, 420, 220))
    found = eligible(scene, MeltRules(max_at_once=0.1))
    assert len(found.units) == 2 and found.small_enough(("a",)) and not found.small_enough(("a", "b"))
