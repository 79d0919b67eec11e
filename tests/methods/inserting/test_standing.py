from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from anamorph.methods.inserting.overlaps import PlacementRules, overlap_interval
from anamorph.methods.inserting.standing import Stage, _suiting, rests
from anamorph.model import Box, Footing, Hole, Scene, Thing
from anamorph.model.scene import DRAWING, MEDIUM
from anamorph.pixels.masks import mask_box, mask_from_pixels

WIDTH, HEIGHT = 640, 480
RULES = PlacementRules()
ALL = (0, 1, 2, 3)


def thing(label: str, x: float, y: float, width: float, height: float, *, crowd: bool = False) -> Thing:
    shape = np.zeros((HEIGHT, WIDTH), np.bool_)
    shape[int(y) : int(y + height), int(x) : int(x + width)] = True
    return Thing(f"{label}-{x:g}", label, Box(x, y, width, height), mask_from_pixels(shape), crowd=crowd)


def scene(*things: Thing, ground: Hole | None = None) -> Scene:
    """A drawing, so that any box is a whole object."""
    footings = () if ground is None else tuple(Footing(each.id, mask_from_pixels(ground)) for each in things)
    return Scene("s", "s.jpg", WIDTH, HEIGHT, things, footings=footings, origin={MEDIUM: DRAWING})


def photo(*things: Thing, ground: Hole | None = None) -> Scene:
    return replace(scene(*things, ground=ground), origin={})


def person(x: int, foot: int, height: int) -> Thing:
    """Somebody who stands upright, with a head and both feet."""
    rows, columns = np.indices((HEIGHT, WIDTH))
    across, up = (columns - x) / height, (foot - rows) / height
    head = np.hypot(across, up - 0.93) <= 0.065
    body = np.hypot(across / 0.15, (up - 0.62) / 0.25) <= 1
    legs = np.hypot((np.abs(across) - 0.08) / 0.05, (up - 0.22) / 0.23) <= 1
    shape = head | body | legs
    mask = mask_from_pixels(shape)
    return Thing(f"person-{x}", "person", mask_box(mask), mask)


def below(row: int) -> Hole:
    ground = np.zeros((HEIGHT, WIDTH), np.bool_)
    ground[row:] = True
    return ground


# A hundred pixels per metre at row 370.
WALKER = thing("person", 300, 200, 70, 170)

CORNER = np.zeros((HEIGHT, WIDTH), np.bool_)
CORNER[200:260, 100:600] = CORNER[200:470, 100:200] = True
AROUND_THE_CORNER = Thing("couch", "couch", Box(100, 200, 500, 270), mask_from_pixels(CORNER))


def places(
    its: Scene, label: str, cutout: tuple[int, int], wanted: tuple[int, ...] = ALL, seed: int = 1
) -> dict[int, Box]:
    return Stage(its).places(label, cutout, wanted, RULES, Random(seed))


def test_a_new_object_has_the_size_of_its_class_at_the_feet_of_the_others() -> None:
    for seed in range(20):
        for box in places(scene(WALKER, ground=below(330)), "dog", (120, 90), seed=seed).values():
            metres = 1.7 / 170 * box.height / (1 + (box.bottom - 370) / (1.5 * 100))
            assert 0.6 * 0.72 <= metres <= 0.6 * 1.35


def test_every_overlap_is_what_its_interval_says_and_all_have_one_size() -> None:
    found = places(scene(WALKER, ground=below(330)), "dog", (120, 90))
    assert set(found) == set(ALL) and len({(box.width, box.height) for box in found.values()}) == 1
    shares = [found[index].overlap(WALKER.box) / WALKER.box.area for index in ALL]
    assert shares[0] == 0
    for index in ALL[1:]:
        low, high = overlap_interval(index, RULES)
        assert low < shares[index] <= high


@given(st.integers(0, 10_000), st.integers(20, 560), st.integers(60, 250))
def test_feet_are_on_ground_that_looks_like_that_of_an_object_there(seed: int, x: int, edge: int) -> None:
    ground = below(340)
    ground[:, :edge] = False
    its = scene(thing("person", x, 200, 60, 170), ground=ground)
    for box in places(its, "dog", (120, 90), (0,), seed).values():
        middle = slice(int(box.x + 0.15 * box.width), int(box.x + 0.85 * box.width))
        assert ground[int(box.bottom) - 2 : int(box.bottom) + 2, middle].mean() >= 0.75


def test_nothing_is_covered_that_is_nearer() -> None:
    near = thing("bicycle", 380, 340, 150, 105)
    for seed in range(20):
        for box in places(scene(WALKER, near, ground=below(330)), "dog", (120, 90), seed=seed).values():
            assert not box.overlap(near.box) or box.bottom >= near.box.bottom - 5


def test_ground_beyond_a_gap_is_not_the_same_ground() -> None:
    ground = below(340)
    ground[:, 400:560] = False
    found = [places(scene(WALKER, ground=ground), "dog", (120, 90), (0,), seed) for seed in range(20)]
    assert any(found) and all(box.right < 440 for boxes in found for box in boxes.values())


def test_table_things_lie_with_table_things_and_not_on_the_ground() -> None:
    table, cup = thing("dining table", 60, 240, 500, 230), thing("cup", 300, 240, 70, 80)
    its = scene(table, cup, ground=below(300))
    assert places(its, "bowl", (150, 80)) and not places(its, "boat", (120, 90))
    assert not places(scene(WALKER, ground=below(330)), "bowl", (150, 80))


def test_a_cutout_is_not_enlarged_beyond_the_limit_nor_made_too_small_to_be_named() -> None:
    its = scene(WALKER, ground=below(330))
    assert not places(its, "horse", (60, 50)) and places(its, "horse", (260, 210), (0,))
    assert places(its, "dog", (300, 300), (0,))
    assert not Stage(its).places("dog", (300, 300), (0,), PlacementRules(least_area=0.2), Random(1))


def test_what_flies_is_put_into_the_sky() -> None:
    sky = ~below(200)
    its = replace(scene(WALKER, ground=below(330)), footings=(Footing("", mask_from_pixels(sky)),))
    for seed in range(10):
        (box,) = places(its, "kite", (120, 100), seed=seed).values()
        assert box.bottom <= 205 and not box.overlap(WALKER.box)
    assert not places(scene(WALKER, ground=below(330)), "kite", (120, 100))


def test_without_pixels_an_object_stays_near_the_one_that_it_stands_beside() -> None:
    its = scene(thing("person", 20, 200, 70, 170))
    found = [places(its, "dog", (120, 90), (0,), seed) for seed in range(20)]
    assert any(found) and all(box.x < 460 for boxes in found for box in boxes.values())


@pytest.mark.parametrize(
    ("its", "others", "expected"),
    [
        (WALKER, (), True),
        # Somebody behind a table, on a horse, cut by the lower border, sitting, or in a crowd is no measure.
        (WALKER, (thing("dining table", 250, 330, 200, 120),), False),
        (WALKER, (thing("horse", 260, 260, 200, 160),), False),
        (thing("person", 300, 300, 70, 180), (), False),
        (thing("person", 300, 200, 130, 170), (), False),
        (thing("person", 300, 200, 70, 170, crowd=True), (), False),
        # A cup on a table is where it belongs; a television may hang.
        (thing("cup", 300, 240, 60, 70), (thing("dining table", 60, 240, 500, 230),), True),
        (thing("tv", 300, 240, 160, 90), (), False),
        # The box of a couch around a corner is below the feet, the couch is not; without its mask, nobody knows.
        (WALKER, (AROUND_THE_CORNER,), True),
        (WALKER, (replace(AROUND_THE_CORNER, mask=None),), False),
        (thing("toilet", 300, 240, 100, 110), (), True),
        (thing("toilet", 300, 240, 160, 80), (), False),
        (thing("stop sign", 300, 240, 60, 60), (), False),
    ],
)
def test_which_objects_show_where_the_ground_is(its: Thing, others: tuple[Thing, ...], expected: bool) -> None:
    assert rests(its, scene(its, *others)) == expected


def test_a_class_that_nobody_knows_gets_the_size_of_the_paper() -> None:
    strange = thing("gizmo", 300, 200, 90, 120)
    boxes = places(scene(strange, ground=below(300)), "widget", (120, 90), (0,))
    assert 0.7 * strange.box.area <= boxes[0].area <= 1.6 * strange.box.area


def test_places_follow_from_the_randomness() -> None:
    its = scene(WALKER, ground=below(330))
    assert places(its, "dog", (120, 90), seed=3) == places(its, "dog", (120, 90), seed=3)
    assert len({str(places(its, "dog", (120, 90), seed=seed)) for seed in range(5)}) > 1


def test_the_height_of_the_camera_follows_from_objects_at_different_distances() -> None:
    # Scales of 100 and 50 pixels per metre, 100 rows apart: the camera is two metres up.
    far = thing("person", 500, 185, 35, 85)
    assert Stage(scene(WALKER, far)).eyes == pytest.approx(2.0)
    assert Stage(scene(WALKER)).eyes == 1.5


def test_things_lie_on_what_a_table_shows_of_itself_beside_others_on_it() -> None:
    # The table hides the ground under the cup, so that nobody found any there.
    table, cup = thing("dining table", 60, 240, 500, 230), thing("cup", 300, 240, 70, 80)
    its = replace(scene(table, cup), footings=(Footing("", mask_from_pixels(~below(5))),))
    (anchor,) = Stage(its).anchors
    assert (anchor.thing.id, anchor.rest, anchor.carrier) == (cup.id, "surface", "dining table")
    found = [places(its, "bowl", (150, 80), seed=seed) for seed in range(20)]
    assert any(found)
    for box in (box for boxes in found for box in boxes.values()):
        assert 285 <= box.bottom <= 350 and box.x >= 45 and box.right <= 575


def test_between_things_on_a_table_all_rows_of_it_are_level() -> None:
    table, far = thing("dining table", 60, 140, 500, 330), thing("cup", 120, 150, 40, 50)
    stage = Stage(scene(table, far, thing("cup", 300, 300, 80, 90)))
    on_it = [anchor for anchor in stage.anchors if anchor.carrier is not None]
    assert len(on_it) == 2
    for anchor in on_it:
        assert anchor.footing is not None
        # Running sums over both axes: the ground of each row in columns that hold no cup.
        rows = np.diff(anchor.footing[:, 500] - anchor.footing[:, 400])
        # Nearer than the nearer cup, the table may end.
        assert np.flatnonzero(rows).tolist() == list(range(200 - 24, 390 + 24))


def test_on_a_bed_lies_only_what_needs_no_firm_ground() -> None:
    bed, book = thing("bed", 60, 240, 500, 230), thing("book", 300, 260, 90, 60)
    stage = Stage(scene(bed, book))
    assert stage.suits("laptop") and not stage.suits("cup") and Stage(scene(thing("cup", 9, 9, 60, 70))).suits("cup")


def test_nothing_is_put_before_the_pole_of_a_near_sign() -> None:
    # The sign has 200 pixels per metre, the person 100.
    sign = thing("stop sign", 380, 60, 150, 150)
    for seed in range(30):
        for box in places(scene(WALKER, sign, ground=below(330)), "dog", (120, 90), seed=seed).values():
            assert box.right <= sign.box.x or box.x >= sign.box.right
    far = thing("stop sign", 430, 150, 50, 50)
    found = [places(scene(WALKER, far, ground=below(330)), "dog", (120, 90), (0,), seed) for seed in range(60)]
    assert any(box.x < far.box.right and far.box.x < box.right for boxes in found for box in boxes.values())


def test_vehicles_stand_beside_vehicles() -> None:
    assert not Stage(scene(WALKER, ground=below(330))).suits("car")
    assert Stage(scene(WALKER, thing("bus", 60, 100, 200, 250), ground=below(330))).suits("car")


def test_what_hangs_on_a_wall_shows_no_table() -> None:
    assert not rests(thing("spoon", 52, 102, 48, 90), scene()) and rests(thing("spoon", 52, 102, 90, 48), scene())


def test_a_place_is_as_large_as_the_object_must_be_to_be_recognised() -> None:
    stage = Stage(scene(WALKER, ground=below(330)))
    (box,) = stage.places("dog", (120, 90), (0,), RULES, Random(1), least_side=0.1).values()
    assert max(box.width, box.height) >= 64
    assert not stage.places("dog", (120, 90), (0,), RULES, Random(1), least_side=0.5)


def standing(*things: Thing) -> list[str]:
    return [anchor.thing.id for anchor in Stage(photo(*things, ground=below(200))).anchors]


def test_on_a_photo_only_whole_upright_objects_of_a_narrow_size_show_a_scale() -> None:
    walker = person(300, 370, 170)
    assert standing(walker) == [walker.id]
    assert places(photo(walker, ground=below(330)), "dog", (120, 90), (0,))
    # A dog, a giraffe or a plant is of any size, and a box is nobody's shape.
    assert not standing(thing("dog", 300, 250, 120, 90)) and not standing(WALKER)
    # Somebody on a skateboard, and somebody in water.
    assert not standing(walker, thing("skateboard", 270, 366, 60, 14))
    assert not standing(walker, thing("boat", 20, 200, 100, 60))


def test_two_scales_that_disagree_are_none() -> None:
    assert len(standing(person(300, 370, 170), person(450, 372, 180))) == 2
    # A child, or a doll, in the same row.
    assert not standing(person(300, 370, 170), person(450, 372, 125))


def test_where_the_camera_looks_down_nothing_is_inserted() -> None:
    # Scales of 150 pixels per metre leave the horizon above the photo.
    assert not standing(person(300, 200, 255)) and standing(person(300, 470, 255))


def test_from_a_bridge_sizes_are_foreshortened_and_nothing_is_inserted() -> None:
    # Scales of 100 and 80 pixels per metre, 100 rows apart: the camera is five metres up.
    assert not standing(person(300, 370, 170), person(450, 270, 136))
    # 100 and 50 pixels per metre: two metres.
    assert standing(person(300, 370, 170), person(450, 270, 85))


def test_a_ledge_that_ends_before_the_feet_is_no_ground() -> None:
    walker, ledge = person(300, 370, 170), below(340)
    ledge[370:] = False
    assert not places(photo(walker, ground=ledge), "dog", (120, 90), (0,))


def test_a_class_without_a_size_is_not_inserted_into_a_photo() -> None:
    assert not Stage(photo(person(300, 370, 170), ground=below(330))).suits("widget")


def test_a_bottle_stands_beside_what_is_seen_from_the_side() -> None:
    stage = Stage(scene(thing("cup", 300, 240, 60, 70)))
    upright, flat = thing("cup", 300, 240, 60, 70), thing("fork", 300, 240, 90, 20)
    anchor = stage.anchors[0]
    for seen, expected in ((upright, True), (flat, False)):
        assert _suiting("bottle", drawn=False)(replace(anchor, thing=seen)) == expected
        assert _suiting("orange", drawn=False)(replace(anchor, thing=seen))
