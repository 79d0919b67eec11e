"""What is true of a scene after edits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from anamorph.edits.blur import Blur
from anamorph.edits.brightness import Brightness
from anamorph.edits.crop import Crop
from anamorph.edits.shear import Shear
from anamorph.model import Box, Picture, Scene
from anamorph.pixels.masks import mask_area, mask_box, mask_from_pixels, mask_pixels
from anamorph.toybox.scenes import ToyboxScenes, scene_of
from anamorph.toybox.truth import Seen, Truth, truth, visible_fractions


@dataclass(frozen=True, slots=True)
class Hide:
    """Hides all but the leftmost columns of one thing."""

    kind: ClassVar[str] = "hide"
    thing: str
    left_over: float

    def apply(self, picture: Picture) -> Picture:
        things = []
        for thing in picture.things:
            if thing.id == self.thing and thing.mask is not None:
                pixels = mask_pixels(thing.mask)
                area = pixels.sum()
                while pixels.sum() > self.left_over * area:
                    pixels[:, np.flatnonzero(pixels.any(axis=0))[-1]] = False
                mask = mask_from_pixels(pixels)
                thing = replace(thing, mask=mask, box=mask_box(mask))
            things.append(thing)
        return replace(picture, things=tuple(things))


@dataclass(frozen=True, slots=True)
class Add:
    """Brings in a second thing like an existing one."""

    kind: ClassVar[str] = "add"
    like: str

    def apply(self, picture: Picture) -> Picture:
        model = next(thing for thing in picture.things if thing.id == self.like)
        return replace(picture, things=(*picture.things, replace(model, id="added")))


def scene_with_several() -> Scene:
    return next(
        scene
        for scene in ToyboxScenes(100).scan()
        if isinstance(scene, Scene) and 3 <= len(scene.things) == len(scene.labels)
    )


def test_without_edits_the_truth_is_the_scene() -> None:
    for scene in ToyboxScenes(40).scan():
        assert isinstance(scene, Scene)
        now = truth(scene)
        assert now.labels == now.possible_labels == scene.labels
        for label in scene.labels:
            number = sum(thing.label == label for thing in scene.things)
            assert (now.count(label).least, now.count(label).most) == (number, number)
        assert now.is_there("zeppelin") is False


def test_edits_of_light_change_nothing() -> None:
    scene = scene_of(7, 0)
    assert truth(scene, (Blur(2.0), Brightness(0.8))) == truth(scene)


def test_a_thing_sheared_off_the_picture_is_gone() -> None:
    changed = 0
    for index in range(60):
        scene = scene_of(7, index)
        now = truth(scene, (Shear(1.0),))
        assert set(now.possible_labels) <= set(scene.labels)
        assert all(seen.fraction <= 1 for seen in now.things)
        changed += set(now.labels) < set(scene.labels)
    assert changed > 2


def test_half_hidden_things_are_in_doubt_and_hidden_ones_are_gone() -> None:
    scene = scene_with_several()
    thing = scene.things[0]
    doubtful = truth(scene, (Hide(thing.id, 0.3),))
    assert doubtful.is_there(thing.label) is None
    assert 0 in doubtful.count(thing.label) and 1 in doubtful.count(thing.label)
    assert thing.label not in doubtful.labels and thing.label in doubtful.possible_labels
    gone = truth(scene, (Hide(thing.id, 0.0),))
    assert gone.is_there(thing.label) is False


def test_a_thing_that_an_edit_brings_in_counts() -> None:
    scene = scene_with_several()
    thing = scene.things[0]
    now = truth(scene, (Add(thing.id), Hide("added", 0.75)))
    assert (now.count(thing.label).least, now.count(thing.label).most) == (2, 2)
    assert next(seen for seen in now.things if seen.id == "added").fraction <= 0.75


def test_counts_by_attribute_split_the_count_of_the_class() -> None:
    for index in range(60):
        scene = scene_of(7, index)
        now = truth(scene)
        for label in scene.labels:
            words = {word for thing in scene.things if thing.label == label for word in thing.attributes}
            if words:
                assert sum(now.count(label, word).least for word in words) == now.count(label).least


def test_visible_fractions_are_those_of_the_whole_outline() -> None:
    hidden = 0
    for index in range(60):
        scene = scene_of(7, index)
        for thing in scene.things:
            share = visible_fractions(scene)[thing.id]
            assert thing.mask is not None
            assert 0 < share <= 1 and mask_area(thing.mask) > 0
            hidden += share < 0.95
    assert hidden > 2


def test_a_crop_makes_nothing_larger_than_it_was_in_the_whole_scene() -> None:
    looked = 0
    for index in range(20):
        scene = scene_of(7, index)
        whole = {seen.id: seen for seen in truth(scene).things}
        for thing in scene.things:
            box = thing.box
            left, top = int(box.x), int(box.y)
            right, bottom = min(scene.width, int(box.right) + 1), min(scene.height, int(box.bottom) + 1)
            crop = Crop(Box(float(left), float(top), float(right - left), float(bottom - top)))
            (seen,) = [seen for seen in truth(scene, (crop,)).things if seen.id == thing.id]
            assert seen.area == pytest.approx(whole[thing.id].area, rel=0.05)
            looked += 1
    assert looked > 20


def test_a_speck_is_not_in_the_truth() -> None:
    assert Truth((Seen("1", "dog", (), 1.0, 0.0001),)).is_there("dog") is False
