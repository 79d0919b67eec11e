from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anamorph.errors import BadPicture
from anamorph.model import Box, Hole, Pixels, Scene, Thing
from anamorph.model.scene import DRAWING, MEDIUM
from anamorph.pools import cutouts
from anamorph.pools.cutouts import (
    CutoutRules,
    Look,
    Quality,
    Sees,
    Wanted,
    build_pool,
    cut_out,
    why_no_cutout,
    why_not,
)
from anamorph.pools.folder import Pool, PoolEntry
from tests.edits.studios import block, thing_of

HEIGHT, WIDTH = 300, 400


def scene_of(*things: Thing, id: str = "s") -> Scene:
    return Scene(id, f"{id}.jpg", WIDTH, HEIGHT, things, origin={"licence": "CC BY 2.0", "flickr_url": "u"})


def disc(x: int, y: int, radius: int) -> Hole:
    rows, columns = np.indices((HEIGHT, WIDTH))
    return np.asarray(np.hypot(rows - y, columns - x) <= radius)


def photo(scene: Scene) -> Pixels:
    return np.random.default_rng(len(scene.id)).integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)


BALL = thing_of("ball", disc(200, 150, 50), "vase")
BOX = thing_of("box", block(HEIGHT, WIDTH, 150, 200, 250, 260))


@pytest.mark.parametrize(
    ("thing", "others", "reason"),
    [
        (BALL, (), None),
        (Thing("a", "cup", Box(50, 50, 90, 90), crowd=True), (), cutouts.CROWD),
        (Thing("a", "cup", Box(50, 50, 90, 90)), (), cutouts.NO_MASK),
        (thing_of("a", block(HEIGHT, WIDTH, 0, 50, 90, 150)), (), cutouts.BORDER),
        (thing_of("a", block(HEIGHT, WIDTH, 50, 200, 150, 300)), (), cutouts.BORDER),
        (thing_of("a", block(HEIGHT, WIDTH, 50, 50, 60, 60)), (), cutouts.TINY),
        (thing_of("a", block(HEIGHT, WIDTH, 50, 50, 350, 60)), (), cutouts.TINY),
        (thing_of("a", disc(100, 150, 40) | disc(300, 150, 40)), (), cutouts.PIECES),
        # Something stands before its lower part, or bites a piece out of it.
        (thing_of("a", disc(200, 150, 70) & ~disc(200, 230, 70)), (thing_of("o", disc(200, 230, 70)),), cutouts.HIDDEN),
        # A plate with the ball on it would bring two objects.
        (thing_of("plate", disc(200, 150, 100)), (BALL,), cutouts.CARRIES),
        # What surrounds it lies behind it.
        (BALL, (thing_of("sofa", disc(200, 150, 120) & ~disc(200, 150, 50)),), None),
        # An object elsewhere is of no concern.
        (BALL, (thing_of("far", disc(50, 50, 30)),), None),
    ],
)
def test_each_quality_rule_rejects_by_its_reason(thing: Thing, others: tuple[Thing, ...], reason: str | None) -> None:
    assert why_not(scene_of(thing, *others), thing, Quality()) == reason


def named(label: str, shape: Hole) -> Thing:
    return thing_of("a", shape, label)


def oval(x: int, y: int, across: int, down: int) -> Hole:
    rows, columns = np.indices((HEIGHT, WIDTH))
    return np.asarray(np.hypot((rows - y) / down, (columns - x) / across) <= 1)


LEGS = oval(180, 215, 14, 50) | oval(232, 211, 14, 50)
HANGING = disc(172, 75, 22) | disc(238, 80, 22) | oval(205, 140, 28, 75) | LEGS
STANDING = disc(205, 60, 20) | oval(205, 130, 32, 60) | oval(180, 215, 14, 50) | oval(232, 215, 14, 50)


@pytest.mark.parametrize(
    ("thing", "reason"),
    [
        (named("person", STANDING), None),
        # Half of somebody behind a door, and a bus, which is a box.
        (named("person", STANDING & block(HEIGHT, WIDTH, 0, 0, 216, HEIGHT)), cutouts.STRAIGHT),
        (named("bus", block(HEIGHT, WIDTH, 100, 100, 250, 200)), None),
        (named("dog", block(HEIGHT, WIDTH, 100, 100, 250, 200)), cutouts.STRAIGHT),
        (named("person", disc(200, 150, 60)), cutouts.LYING),
        # A dog that jumps to the left stands on nothing.
        (named("dog", disc(150, 100, 50) | disc(230, 170, 20) | disc(200, 130, 30)), cutouts.FALLING),
        (named("person", disc(205, 42, 16) | oval(205, 110, 40, 55) | oval(208, 200, 15, 70)), cutouts.FALLING),
        # A coat on a hanger, somebody behind a wall, and a glass that shows what is behind it.
        (named("person", HANGING), cutouts.HEADLESS),
        (named("person", STANDING & block(HEIGHT, WIDTH, 0, 0, WIDTH, 170)), cutouts.STRAIGHT),
        (named("wine glass", oval(200, 150, 30, 70)), cutouts.TRANSPARENT),
        (named("cup", STANDING & block(HEIGHT, WIDTH, 0, 4, WIDTH, 260)), None),
        (named("dog", disc(60, 150, 56)), cutouts.BORDER),
        (named("orange", disc(200, 150, 50)), None),
        (named("orange", disc(200, 150, 50) & ~disc(240, 190, 40)), cutouts.NOT_ROUND),
        (named("orange", oval(200, 150, 70, 50)), cutouts.NOT_ROUND),
        # An umbrella may have a small part apart, a dog may not.
        (named("umbrella", disc(150, 150, 50) | disc(290, 150, 14)), None),
        (named("umbrella", disc(150, 150, 50) | disc(290, 150, 28)), cutouts.PIECES),
        (named("dog", disc(150, 150, 50) | disc(290, 150, 28)), cutouts.PIECES),
    ],
)
def test_a_cutout_shows_a_whole_object_that_stands_as_its_class_does(thing: Thing, reason: str | None) -> None:
    assert why_no_cutout(scene_of(thing), thing, CutoutRules()) == reason


def seeing(score: float | None, *on_photos: float) -> Sees:
    """Sees a cut-out this surely on grey, and by size on photos."""

    def sees(rgba: Pixels, label: str, ground: Pixels | None) -> tuple[Look, ...] | None:
        if score is None:
            return None
        return tuple(Look(0.4 / 2**place, each) for place, each in enumerate([score] if ground is None else on_photos))

    return sees


def test_pixels_decide_about_outlines_colours_and_what_is_recognised(tmp_path: Path) -> None:
    def flat(level: int) -> Pixels:
        pixels = np.full((HEIGHT, WIDTH, 3), (90, 140, 200), np.uint8)
        pixels[disc(200, 150, 50)] = level
        return pixels

    def built(name: str, pixels: Pixels, score: float | None) -> Pool:
        list(build_pool(tmp_path / name, [scene_of(BALL)], lambda _: pixels, Wanted(), seeing(score)))
        return Pool.open(tmp_path / name)

    sharp = flat(20)
    assert [entry.score for entry in built("seen", sharp, 0.9).entries] == [0.9]
    assert [entry.score for entry in built("unknown", sharp, None).entries] == [None]
    assert built("unseen", sharp, 0.1).rejected == {cutouts.NOT_SEEN: 1}
    blurred = np.full((HEIGHT, WIDTH, 3), (90, 140, 200), np.uint8)
    blurred[:, :200] = (200, 90, 40)
    assert built("loose", blurred, 0.9).rejected == {cutouts.LOOSE_EDGE: 1}
    grey = np.repeat(sharp[..., :1], 3, axis=2)
    assert built("grey", grey, 0.9).rejected == {cutouts.GREY: 1}


def test_an_unsure_segmenters_object_is_left_out() -> None:
    unsure = Thing("a", "cup", BALL.box, BALL.mask, score=0.3)
    assert why_not(scene_of(unsure), unsure, Quality()) == cutouts.UNSURE
    assert why_not(scene_of(unsure), unsure, Quality(min_score=0.2)) is None


def test_a_cutout_is_the_objects_own_pixels_and_nothing_else() -> None:
    pixels = photo(scene_of())
    rgba = cut_out(pixels, BALL)
    inside = disc(200, 150, 50)[100:201, 150:251]
    assert rgba.shape == (101, 101, 4)
    assert (rgba[..., :3][inside] == pixels[100:201, 150:251][inside]).all()
    assert (rgba[..., 3] == np.where(inside, 255, 0)).all() and not rgba[..., :3][~inside].any()


def test_a_pool_is_built_with_its_sources_and_its_counts(tmp_path: Path) -> None:
    tiny = thing_of("tiny", block(HEIGHT, WIDTH, 5, 5, 9, 9))
    scenes = [scene_of(BALL, tiny, id="s1"), scene_of(BALL, id="s10")]
    assert [scene.id for scene in build_pool(tmp_path, scenes, photo, Wanted())] == ["s1", "s10"]
    pool = Pool.open(tmp_path)
    assert sorted(entry.scene for entry in pool.entries) == ["s1", "s10"] and pool.rejected == {cutouts.TINY: 1}
    entry = pool.entries[0]
    assert (entry.thing, entry.licence, entry.width, entry.height) == ("ball", "CC BY 2.0", 101, 101)
    assert (pool.cutout(entry.id).rgba[..., 3] > 0).any()


def test_the_same_scenes_give_the_same_pool(tmp_path: Path) -> None:
    for name in ("a", "b"):
        list(build_pool(tmp_path / name, [scene_of(BALL, id="s1")], photo, Wanted()))
    assert (tmp_path / "a/pool.json").read_bytes() == (tmp_path / "b/pool.json").read_bytes()


def test_classes_can_be_chosen_and_capped_and_doubles_are_not_kept_twice(tmp_path: Path) -> None:
    dog = Thing("dog", "dog", BALL.box, BALL.mask)
    scenes = [scene_of(BALL, id="s1"), *(scene_of(dog, id=id) for id in ("s2", "s3", "s100", "s1000"))]
    list(build_pool(tmp_path, scenes, photo, Wanted(labels=("dog",), most_per_class=2)))
    pool = Pool.open(tmp_path)
    # Photos of equally long names are the same picture here.
    assert pool.labels() == {"dog": 2}
    assert pool.rejected == {cutouts.OTHER_CLASS: 1, cutouts.ENOUGH: 1, cutouts.TWICE: 1}


def test_a_photo_that_cannot_be_read_is_counted(tmp_path: Path) -> None:
    def broken(scene: Scene) -> Pixels:
        raise BadPicture("cut short")

    list(build_pool(tmp_path, [scene_of(BALL)], broken, Wanted()))
    assert Pool.open(tmp_path).rejected == {cutouts.UNREADABLE: 1}


def test_a_rim_of_ground_is_trimmed_off_and_the_object_stays() -> None:
    pixels = np.full((HEIGHT, WIDTH, 3), (40, 200, 40), np.uint8)
    pixels[disc(200, 150, 47)] = (90, 60, 40)
    rgba = cut_out(pixels, BALL, trim=True)
    own = rgba[..., 3] > 0
    assert own.sum() > 0.95 * disc(200, 150, 47).sum()
    assert (rgba[own, 1] > 150).mean() < 0.01 < (cut_out(pixels, BALL)[..., 1] > 150).mean()


def test_what_is_often_seen_in_parts_needs_a_recogniser(tmp_path: Path) -> None:
    its = scene_of(named("chair", disc(200, 150, 50)))
    for name, sees in (("without", None), ("with", seeing(0.9))):
        list(build_pool(tmp_path / name, [its], photo, Wanted(CutoutRules(edge=0)), sees))
    assert Pool.open(tmp_path / "without").rejected == {cutouts.IN_PARTS: 1}
    assert cutouts.IN_PARTS not in Pool.open(tmp_path / "with").rejected


def test_a_piece_of_something_varied_needs_a_recogniser(tmp_path: Path) -> None:
    rearing = thing_of("rearing", oval(320, 150, 30, 80), "dog")
    its = scene_of(named("cake", disc(200, 150, 50)), rearing)
    for name, sees in (("without", None), ("with", seeing(0.9, 0.9))):
        list(build_pool(tmp_path / name, [its], photo, Wanted(CutoutRules(edge=0)), sees))
    assert Pool.open(tmp_path / "without").rejected == {cutouts.IN_PARTS: 1, cutouts.TALL: 1}
    assert len(Pool.open(tmp_path / "with").entries) == 2


def test_a_cutout_remembers_how_surely_it_is_seen_on_photos(tmp_path: Path) -> None:
    list(build_pool(tmp_path, [scene_of(BALL)], photo, Wanted(CutoutRules(edge=0)), seeing(0.9, 0.8, 0.5, 0.7)))
    (entry,) = Pool.open(tmp_path).entries
    assert entry.seen == ((0.4, 0.8), (0.2, 0.5), (0.1, 0.7))
    # Seen at a small size, and not at a larger one: that was luck.
    assert [entry.seen_from(score) for score in (0.4, 0.6, 0.9)] == [0.1, 0.4, float("inf")]
    assert PoolEntry("a", "cup", "a.png", "", 10, 10, "s", "t").seen_from(0.6) == 0


def test_a_cutout_brings_no_other_annotated_object() -> None:
    car = named("car", oval(200, 150, 100, 60))
    driver = thing_of("driver", disc(220, 140, 9), "person")
    assert why_no_cutout(scene_of(car, driver), car, CutoutRules()) == cutouts.CARRIES
    # A cup in the hand is beside the mask of whoever holds it.
    person, cup = named("person", STANDING), thing_of("cup", disc(246, 120, 8), "cup")
    assert why_no_cutout(scene_of(person, cup), person, CutoutRules()) == cutouts.CARRIES
    assert why_no_cutout(scene_of(person, cup), person, CutoutRules(alone=False)) is None
    drawn = replace(scene_of(person, cup), origin={MEDIUM: DRAWING})
    assert why_no_cutout(drawn, person, CutoutRules()) is None


@pytest.mark.parametrize(
    ("label", "score", "taken"), [("suitcase", 0.9, True), ("suitcase", 0.7, False), ("dog", 0.9, False)]
)
def test_a_box_that_stands_close_to_others_is_whole_if_it_is_surely_recognised(
    tmp_path: Path, label: str, score: float, taken: bool
) -> None:
    middle = named(label, block(HEIGHT, WIDTH, 150, 100, 230, 220))
    sides = block(HEIGHT, WIDTH, 230, 80, 300, 240) | block(HEIGHT, WIDTH, 80, 100, 150, 160)
    beside = thing_of("beside", sides, "box")
    rules = CutoutRules(edge=0, straight=1)
    assert why_no_cutout(scene_of(middle, beside), middle, rules) == cutouts.HIDDEN
    list(build_pool(tmp_path, [scene_of(middle, beside)], photo, Wanted(rules, labels=(label,)), seeing(score, 0.9)))
    assert (middle.id in {entry.thing for entry in Pool.open(tmp_path).entries}) == taken
