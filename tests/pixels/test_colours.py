from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np
import pytest

from anamorph.model import Box, Pixels, Scene, Thing
from anamorph.pixels.colours import COLOURS, LEAST_PIXELS, estimate_colour
from anamorph.pixels.masks import mask_from_pixels
from anamorph.reading import questions
from anamorph.scenes.coco.source import CocoScenes
from anamorph.toybox.scenes import ToyboxScenes

# What people call these colours (X11 names where there is one).
KNOWN = {
    "red": [(200, 30, 30), (178, 34, 34), (220, 20, 60)],
    "orange": [(255, 140, 0), (240, 134, 36), (255, 165, 0)],
    "yellow": [(255, 220, 40), (255, 255, 0), (230, 200, 50)],
    "green": [(0, 128, 0), (60, 160, 70), (34, 139, 34)],
    "blue": [(0, 0, 255), (65, 105, 225), (135, 206, 235), (0, 0, 128)],
    "purple": [(128, 0, 128), (130, 76, 172), (75, 0, 130)],
    "pink": [(255, 192, 203), (255, 105, 180), (240, 136, 176)],
    "brown": [(139, 69, 19), (101, 67, 33), (134, 86, 50)],
    "black": [(0, 0, 0), (30, 30, 34), (50, 50, 56)],
    "white": [(255, 255, 255), (242, 240, 234), (220, 225, 228)],
    "grey": [(128, 128, 128), (146, 149, 156), (105, 105, 105)],
}


RGB: TypeAlias = tuple[int, int, int]


def disc(colour: RGB, ground: RGB = (90, 160, 90), side: int = 80) -> tuple[Pixels, Thing]:
    """A noisy disc that its mask fills, on ground of another colour."""
    rows, columns = np.mgrid[:side, :side]
    inside = (rows - side / 2) ** 2 + (columns - side / 2) ** 2 < (side * 0.4) ** 2
    pixels = np.where(inside[..., None], colour, ground).astype(float)
    pixels += np.random.default_rng(0).normal(0, 5, pixels.shape)
    thing = Thing("1", "ball", Box(0, 0, side, side), mask_from_pixels(inside))
    return np.clip(pixels, 0, 255).astype(np.uint8), thing


@pytest.mark.parametrize(("name", "colour"), [(name, each) for name, several in KNOWN.items() for each in several])
def test_what_people_agree_on_gets_its_word(name: str, colour: tuple[int, int, int]) -> None:
    estimate = estimate_colour(*disc(colour))
    assert estimate.name == name and estimate.share > 0.6


@pytest.mark.parametrize("colour", [(245, 222, 179), (0, 128, 128), (128, 128, 0), (210, 180, 140)])
def test_what_lies_between_two_words_gets_none(colour: tuple[int, int, int]) -> None:
    assert estimate_colour(*disc(colour)).name is None


def test_an_object_of_two_colours_has_no_colour() -> None:
    pixels, thing = disc((200, 30, 30))
    pixels[:, :36] = (30, 60, 200)
    estimate = estimate_colour(pixels, thing)
    assert estimate.name is None and 0.3 < estimate.share < 0.7


def test_a_small_mark_does_not_change_the_colour() -> None:
    pixels, thing = disc((200, 30, 30))
    pixels[30:40, 30:40] = 255
    assert estimate_colour(pixels, thing).name == "red"


def test_light_and_shade_on_an_object_are_borne() -> None:
    pixels, thing = disc((60, 90, 200))
    shade = np.linspace(0.7, 1.1, pixels.shape[1])[None, :, None]
    assert estimate_colour(np.clip(pixels * shade, 0, 255).astype(np.uint8), thing).name == "blue"


def test_the_ground_around_an_object_has_no_part_in_it() -> None:
    for ground in ((255, 255, 255), (0, 0, 0), (200, 30, 30)):
        assert estimate_colour(*disc((255, 220, 40), ground)).name == "yellow"


def test_without_a_mask_the_middle_of_the_box_counts() -> None:
    pixels, thing = disc((255, 220, 40))
    assert estimate_colour(pixels, Thing("1", "ball", thing.box)).name == "yellow"


@pytest.mark.parametrize(
    "thing",
    [
        Thing("1", "ball", Box(2, 2, 5, 5)),
        Thing("1", "ball", Box(-50, -50, 20, 20)),
        Thing("1", "ball", Box(0, 0, 0, 0)),
        Thing("1", "ball", Box(0, 0, 80, 80), mask_from_pixels(np.zeros((80, 80), bool))),
        Thing("1", "ball", Box(0, 0, 80, 80), mask_from_pixels(np.ones((9, 9), bool))),
    ],
)
def test_what_cannot_be_seen_has_no_colour(thing: Thing) -> None:
    pixels, _ = disc((200, 30, 30))
    assert estimate_colour(pixels, thing).name is None
    assert LEAST_PIXELS > 25


def test_jpeg_and_blur_leave_the_word_alone() -> None:
    pixels, thing = disc((130, 76, 172))
    _, encoded = cv2.imencode(".jpg", cv2.GaussianBlur(pixels, (5, 5), 1), [cv2.IMWRITE_JPEG_QUALITY, 60])
    decoded = np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR), np.uint8)
    assert estimate_colour(decoded, thing).name == "purple"


def test_on_the_toybox_nearly_every_word_is_right_and_most_objects_get_one() -> None:
    source, counts = ToyboxScenes(60), Counter[str]()
    for scene in source.scan():
        assert isinstance(scene, Scene)
        pixels = source.pixels(scene)
        for thing in scene.things:
            truth = [word for word in thing.attributes if word in COLOURS]
            if truth:
                name = estimate_colour(pixels, thing).name
                counts["all"] += 1
                counts["answered"] += name is not None
                counts["right"] += name == truth[0]
    assert counts["all"] > 80
    assert counts["answered"] > 0.5 * counts["all"]
    assert counts["right"] >= 0.97 * counts["answered"]


def test_real_photos_get_words_that_a_person_would_say(shared: Path) -> None:
    folder = shared / "photos"
    source = CocoScenes(str(folder / "instances.json"), str(folder / "images"))
    names: dict[str, Counter[str | None]] = {}
    for scene in source.scan():
        if isinstance(scene, Scene):
            pixels = source.pixels(scene)
            for thing in scene.things:
                if thing.label in ("broccoli", "stop sign", "zebra") and thing.box.area > 900:
                    names.setdefault(thing.label, Counter())[estimate_colour(pixels, thing).name] += 1
    assert set(names["broccoli"]) <= {"green", None} and names["broccoli"]["green"] > 3
    assert set(names["stop sign"]) <= {"red", None}
    assert set(names["zebra"]) == {None}


def test_the_words_are_those_that_questions_ask_for() -> None:
    assert COLOURS == questions.COLOURS
