"""The toybox as a source of scenes: deterministic, complete, truthful."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from anamorph.errors import BadPicture, BadRecord
from anamorph.model import Scene, decode, encode
from anamorph.pixels.masks import mask_area, mask_box, mask_pixels
from anamorph.toybox.drawing.classes import CLASSES
from anamorph.toybox.drawing.composing import compose
from anamorph.toybox.drawing.painting import paint, paint_and_see, see
from anamorph.toybox.drawing.recipes import VERSION, Recipe
from anamorph.toybox.scenes import ToyboxScenes, recipe_of, scene_of

FINGERPRINT = """
import hashlib
from anamorph.model import digest_of
from anamorph.toybox.scenes import ToyboxScenes
source = ToyboxScenes(12, seed=5)
h = hashlib.sha256()
for scene in source.scan():
    h.update(digest_of(scene).encode())
    h.update(source.pixels(scene).tobytes())
print(h.hexdigest())
"""


def scenes(count: int, **settings: int) -> list[Scene]:
    return [scene for scene in ToyboxScenes(count, **settings).scan() if isinstance(scene, Scene)]


def test_a_seed_gives_the_same_scenes_and_pixels_in_processes_with_other_hash_seeds() -> None:
    printed = [
        subprocess.run(
            [sys.executable, "-c", FINGERPRINT],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "4242")
    ]
    assert printed[0] == printed[1] and len(printed[0]) == 65


def test_another_seed_or_index_gives_another_scene() -> None:
    pictures = {paint(compose(seed, index)).tobytes() for seed in (1, 2) for index in (0, 1, 2)}
    assert len(pictures) == 6


def test_a_scene_alone_suffices_to_draw_its_picture() -> None:
    scene = scenes(1, seed=3, offset=4)[0]
    again = decode(Scene, encode(scene))
    assert np.array_equal(ToyboxScenes(1, seed=99).pixels(again), paint(compose(3, 4)))


def test_offset_leaves_out_the_first_scenes() -> None:
    assert scenes(2, offset=3) == scenes(5)[3:]


def test_masks_and_boxes_agree_and_never_share_a_pixel() -> None:
    for scene in scenes(40):
        taken = np.zeros((scene.height, scene.width), int)
        for thing in scene.things:
            assert thing.mask is not None
            assert mask_box(thing.mask) == thing.box
            taken += mask_pixels(thing.mask)
        assert taken.max() <= 1


def test_every_thing_is_inside_the_picture_and_large_enough_to_be_seen() -> None:
    for scene in scenes(80):
        assert scene.things
        for thing in scene.things:
            assert thing.mask is not None
            assert thing.box.x > 0 and thing.box.right < scene.width, (scene.id, thing.label)
            assert thing.box.y > 0 and thing.box.bottom < scene.height, (scene.id, thing.label)
            assert mask_area(thing.mask) >= 0.0009 * scene.width * scene.height, (scene.id, thing.label)


def test_things_hide_each_other_but_mildly() -> None:
    shares = [sight.fraction for index in range(100) for sight in see(compose(7, index))]
    assert min(shares) >= 0.6
    assert sum(share < 0.98 for share in shares) > 5


@pytest.mark.parametrize("size", [(320, 240), (240, 240), (480, 240)])
def test_no_scene_is_empty(size: tuple[int, int]) -> None:
    assert all(compose(4004, index, *size).items for index in range(900, 1000))


def test_every_class_occurs_and_there_are_enough_of_them() -> None:
    recipes = [compose(7, index) for index in range(1200)]
    labels = {item.label for recipe in recipes for item in recipe.items}
    assert labels == set(CLASSES)
    assert len(labels) >= 24
    assert len({thing_class.supercategory for thing_class in CLASSES.values()}) >= 6
    assert {recipe.background for recipe in recipes} >= {"meadow", "street", "room", "beach", "kitchen"}


def test_what_is_drawn_is_where_the_mask_says() -> None:
    # Without its items the same backdrop must show outside the masks and their shadows, and something else inside.
    recipe = compose(7, 3)
    full, sights = paint_and_see(recipe)
    bare = paint(
        Recipe(recipe.background, recipe.horizon, recipe.backdrop, recipe.light, (), recipe.width, recipe.height)
    )
    change = np.abs(full.astype(int) - bare).max(axis=2)
    for sight in sights:
        assert np.median(change[sight.pixels]) > 15
    anywhere = np.any([sight.pixels for sight in sights], axis=0)
    assert np.median(change[~anywhere]) == 0


def test_people_have_actions_and_things_have_colours_of_their_class() -> None:
    for index in range(300):
        for item in compose(11, index).items:
            if item.label == "person":
                assert item.attributes in {("standing",), ("walking",), ("sitting",), ("reading",), ("waving",)}
            else:
                assert set(item.attributes) <= set(CLASSES[item.label].colours)
                assert bool(item.attributes) == bool(CLASSES[item.label].colours)


def test_boats_float_and_only_flying_things_fly() -> None:
    for index in range(600):
        for item in compose(7, index).items:
            assert (item.rest == "water") == (item.label == "boat")
            if item.rest == "air":
                assert item.label in ("bird", "kite", "airplane")


def test_somebody_who_reads_holds_a_book() -> None:
    for index in range(600):
        items = compose(7, index).items
        readers = {position for position, item in enumerate(items) if item.action == "reading"}
        held = {item.on for item in items if item.rest == "held"}
        assert readers == held
        assert all(items[position].label == "person" for position in readers)


def test_a_recipe_is_plain_data() -> None:
    for index in range(50):
        recipe = compose(7, index)
        assert decode(Recipe, encode(recipe)) == recipe


@pytest.mark.parametrize("size", [(160, 120), (640, 480), (400, 300), (256, 256)])
def test_other_sizes_are_drawn_with_the_same_care(size: tuple[int, int]) -> None:
    source = ToyboxScenes(3, width=size[0], height=size[1])
    for scene in source.scan():
        assert isinstance(scene, Scene)
        assert source.pixels(scene).shape == (size[1], size[0], 3)
        assert all(thing.box.right <= size[0] and thing.box.bottom <= size[1] for thing in scene.things)


def test_a_picture_of_another_version_or_source_is_refused() -> None:
    with pytest.raises(BadPicture, match="version"):
        recipe_of(f"toybox:{VERSION + 1}/7/0/320x240")
    with pytest.raises(BadPicture, match=r"photo\.jpg"):
        recipe_of("photo.jpg")


def test_a_shape_that_cannot_be_composed_is_refused() -> None:
    with pytest.raises(BadRecord, match="width / height"):
        decode(ToyboxScenes, {"width": 200, "height": 400})


def test_labels_are_the_classes_of_the_things() -> None:
    scene = scene_of(7, 0)
    assert scene.labels == tuple(sorted({thing.label for thing in scene.things}))


def test_drawn_scenes_are_declared_exhaustive() -> None:
    assert {scene.complete for scene in scenes(5)} == {"coco"}
