from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from anamorph.methods.spolre.rearranging import LayoutRules, Rearranger
from anamorph.methods.spolre.support import freedom_of, horizon_of
from anamorph.model import Footing, Mask, Scene, Thing
from anamorph.model.scene import DRAWING, MEDIUM, SKY
from anamorph.pixels.layouts import Move, moved_box
from anamorph.pixels.masks import mask_from_pixels
from tests.edits.studios import block, thing_of

HEIGHT, WIDTH = 480, 640


def named(label: str, left: int, top: int, right: int, bottom: int) -> Thing:
    return replace(thing_of(f"{label} {left}", block(HEIGHT, WIDTH, left, top, right, bottom)), label=label)


# Ground everywhere, and sky.
EVERYWHERE = mask_from_pixels(np.ones((HEIGHT, WIDTH), np.bool_))


def moves_of(
    thing: Thing, *others: Thing, rules: LayoutRules | None = None, ground: Mask | None = EVERYWHERE
) -> list[Move]:
    footings = () if ground is None else (Footing(thing.id, ground), Footing(SKY, ground))
    scene = Scene("s", "s.jpg", WIDTH, HEIGHT, (thing, *others), footings=footings)
    rearranger, rng = Rearranger(scene, [thing], rules or LayoutRules()), Random(3)
    drawn = [rearranger.draw(rng) for _ in range(80)]
    return [move for each in drawn if each is not None for move in each.moved]


@pytest.mark.parametrize("label", ["person", "cup", "tv", "giraffe", "a class of your own"])
def test_the_foot_of_what_stands_stays_on_its_line_unless_its_size_fits_the_distance(label: str) -> None:
    thing = named(label, 300, 220, 360, 400)
    scene = Scene("s", "s.jpg", WIDTH, HEIGHT, (thing,))
    horizon, moves = horizon_of(scene), moves_of(thing, rules=LayoutRules(transformations=("translation", "scaling")))
    assert moves
    for move in moves:
        foot = moved_box(thing.box, move).bottom
        on_the_plane = horizon + move.scale * (400 - horizon)
        # Each of three steps is rounded to whole pixels.
        assert min(400, on_the_plane) - 4 <= foot <= max(400, on_the_plane) + 4


def test_what_is_built_in_only_changes_in_its_place() -> None:
    assert all(move.right == 0 for move in moves_of(named("sink", 300, 220, 360, 300)))


def test_letters_are_not_mirrored() -> None:
    assert not any(move.mirror for move in moves_of(named("stop sign", 300, 120, 360, 180)))
    assert any(move.mirror for move in moves_of(named("dog", 300, 220, 380, 280)))


def test_only_what_flies_leaves_its_height() -> None:
    plane, dog = named("airplane", 300, 220, 340, 240), named("dog", 300, 220, 380, 280)
    shifts = LayoutRules(transformations=("translation",))
    assert max(abs(move.down) for move in moves_of(plane, rules=shifts)) > 100
    assert max(abs(move.down) for move in moves_of(dog, rules=shifts)) < 5


def test_what_hangs_on_a_string_or_is_mirrored_in_water_stays_in_its_place() -> None:
    shifts = LayoutRules(transformations=("translation",))
    assert not moves_of(named("kite", 300, 220, 340, 240), rules=shifts)
    assert not moves_of(named("boat", 300, 220, 380, 280), rules=shifts)


def test_what_stands_goes_no_farther_than_its_shadow_is_long() -> None:
    shifts = LayoutRules(transformations=("translation",))
    assert max(abs(move.right) for move in moves_of(named("dog", 300, 220, 380, 280), rules=shifts)) <= 0.6 * 80


def test_a_bird_flies_only_with_its_wings_spread() -> None:
    scene = Scene("s", "s.jpg", WIDTH, HEIGHT)
    standing = named("bird", 300, 220, 340, 280)
    assert freedom_of(standing, scene, 180).up == 0
    wings = block(HEIGHT, WIDTH, 200, 200, 400, 220) | block(HEIGHT, WIDTH, 290, 200, 310, 290)
    gull, drawn = replace(thing_of("gull", wings), label="bird"), replace(scene, origin={MEDIUM: DRAWING})
    assert freedom_of(gull, drawn, 180).up > 100
    # On a photo, a bird only changes in its place, wherever that is.
    assert freedom_of(gull, replace(scene, footings=(Footing(SKY, EVERYWHERE),)), 180).up == 0


def test_what_stands_stays_on_the_ground_that_is_found_under_it() -> None:
    dog, shifts = named("dog", 300, 220, 380, 280), LayoutRules(transformations=("translation",))
    assert not moves_of(dog, rules=shifts, ground=None)
    # To the left of it, the ground ends.
    ends = mask_from_pixels(block(HEIGHT, WIDTH, 300, 260, 640, 300))
    moves = moves_of(dog, rules=shifts, ground=ends)
    assert any(move.right > 40 for move in moves) and min(move.right for move in moves) > -30


def test_the_horizon_follows_from_objects_of_one_class_near_and_far() -> None:
    near, far = named("person", 100, 220, 160, 440), named("person", 400, 190, 430, 270)
    scene = Scene("s", "s.jpg", WIDTH, HEIGHT, (near, far))
    # 220 pixels tall at 440 and 80 at 270: nothing is left at 173.
    assert horizon_of(scene) == pytest.approx(173, abs=1)
    assert horizon_of(Scene("s", "s.jpg", WIDTH, HEIGHT, (near,))) == pytest.approx(0.38 * HEIGHT)


def test_nothing_comes_to_stand_before_another_object() -> None:
    thing, wall = named("dog", 300, 220, 360, 280), named("cat", 364, 220, 424, 280)
    for move in moves_of(thing, wall, rules=LayoutRules(transformations=("translation",))):
        assert moved_box(thing.box, move).overlap(wall.box) <= 0.05 * wall.box.area + 80


def test_a_layout_that_nobody_would_notice_is_drawn_anew() -> None:
    for move in moves_of(named("clock", 300, 120, 360, 180), rules=LayoutRules(steps=1)):
        assert move.mirror or abs(move.scale - 1) >= 0.06 or abs(move.degrees) >= 3 or abs(move.down) >= 19


def test_free_moves_go_anywhere() -> None:
    free = LayoutRules("free", transformations=("translation",))
    assert max(abs(move.down) for move in moves_of(named("sink", 300, 220, 360, 300), rules=free)) > 60
