from __future__ import annotations

import numpy as np

from anamorph.model import Hole, Pixels
from anamorph.pixels.shadows import foot_contrast, foot_shadow
from anamorph.pixels.shapes import widened

HEIGHT, WIDTH = 200, 300
NOBODY = np.zeros((HEIGHT, WIDTH), np.bool_)


def block(left: int, top: int, right: int, bottom: int) -> Hole:
    shape = np.zeros((HEIGHT, WIDTH), np.bool_)
    shape[top:bottom, left:right] = True
    return shape


CAR = block(120, 60, 180, 120)
SHADOW = block(115, 120, 185, 134)


def road(*dark: Hole) -> Pixels:
    rng = np.random.default_rng(1)
    pixels = np.full((HEIGHT, WIDTH, 3), 150.0) + rng.normal(0, 3, (HEIGHT, WIDTH, 1))
    for each in dark:
        pixels[each] *= 0.4
    pixels[CAR] = (200, 30, 30)
    return np.clip(pixels, 0, 255).astype(np.uint8)


def found(pixels: Pixels, others: Hole = NOBODY) -> Hole:
    return foot_shadow(pixels, CAR, widened(CAR, 9), others)


def test_the_dark_patch_at_the_foot_is_found_and_nothing_else() -> None:
    shade = found(road(SHADOW))
    below = SHADOW & ~widened(CAR, 9)
    assert (shade & below).sum() > 0.8 * below.sum()
    assert not (shade & ~widened(SHADOW, 9)).any()


def test_ground_without_a_shadow_stays() -> None:
    assert not found(road()).any()


def test_dark_ground_that_goes_on_is_no_shadow() -> None:
    assert not found(road(block(0, 118, WIDTH, 200))).any()


def test_another_object_is_no_shadow() -> None:
    assert not found(road(SHADOW), others=SHADOW).any()


def test_a_colour_of_its_own_is_no_shadow() -> None:
    pixels = road()
    pixels[SHADOW] = (10, 10, 140)
    assert not found(pixels).any()


def test_a_shadow_and_a_reflection_differ_from_the_ground_beside_them() -> None:
    assert foot_contrast(road(), CAR, NOBODY) < 5
    assert foot_contrast(road(SHADOW), CAR, NOBODY) > 20
    mirrored = road()
    mirrored[SHADOW] = (150, 80, 80)
    assert foot_contrast(mirrored, CAR, NOBODY) > 20


def test_ground_that_others_hide_is_not_compared() -> None:
    assert foot_contrast(road(SHADOW), CAR, SHADOW) < 5
    assert foot_contrast(road(SHADOW), CAR, ~CAR) == 0
