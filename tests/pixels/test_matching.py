from __future__ import annotations

import cv2
import numpy as np
import pytest

from anamorph.model import Pixels
from anamorph.pixels.matching import (
    blur_for,
    blurred_within,
    is_grey,
    light_of,
    photo_light,
    relit,
    shade,
    sharpness,
    sharpness_after,
    softened,
)


def photo(low: int = 10, high: int = 240, tint: tuple[int, int, int] = (0, 0, 0)) -> Pixels:
    """A chessboard of greys and a few colours, between two levels."""
    rng = np.random.default_rng(5)
    small = rng.integers(low, high, (24, 32, 1)) + np.array(tint)
    small = small.repeat(3, axis=2) if small.shape[2] == 1 else small
    small[::3, ::3] = (high, low, low)
    large = cv2.resize(np.clip(small, 0, 255).astype(np.uint8), (320, 240), interpolation=cv2.INTER_NEAREST)
    return np.asarray(large, np.uint8)


def test_an_object_in_a_photo_without_colour_has_none() -> None:
    grey = np.repeat(photo()[..., 1:2], 3, axis=2)
    assert is_grey(grey) and not is_grey(photo())
    red = np.full((20, 20, 3), (200, 30, 30), np.uint8)
    lit = relit(red, light_of(photo()), photo_light(grey)).astype(int)
    assert (lit.max(axis=2) - lit.min(axis=2)).max() <= 3


def test_fog_makes_black_grey_and_a_clear_photo_keeps_it_black() -> None:
    black = np.full((20, 20, 3), 12, np.uint8)
    source = light_of(photo())
    assert relit(black, source, photo_light(photo(120, 200))).mean() > 40
    assert abs(float(relit(black, source, photo_light(photo())).mean()) - 12) < 8


def test_a_warm_photo_warms_an_object_a_little() -> None:
    grey = np.full((20, 20, 3), 128, np.uint8)
    warm = relit(grey, light_of(photo()), photo_light(photo(tint=(12, 0, -12)))).reshape(-1, 3).mean(axis=0)
    assert 2 < warm[0] - warm[2] < 60


def test_the_same_light_changes_next_to_nothing() -> None:
    colour = photo()[:60, :60]
    assert np.abs(relit(colour, light_of(photo()), photo_light(photo())).astype(int) - colour).max() <= 2


def test_the_light_of_a_photo_is_remembered_and_that_of_another_one_is_its_own() -> None:
    dark, bright = photo(0, 60), photo(120, 250)
    first = photo_light(dark)
    assert photo_light(dark) is first and photo_light(bright).light[1] > first.light[1] + 30
    assert photo_light(dark) == first


def blur_of(own: Pixels, pixels: Pixels, side: int) -> float:
    shape = np.ones((side, side), np.bool_)
    place = slice(60, 60 + side), slice(60, 60 + side)
    return blur_for(pixels, place, lambda sigma: sharpness_after(own, shape, sigma))


def test_an_object_in_a_blurred_photo_is_blurred_and_one_in_a_sharp_photo_is_not() -> None:
    sharp = photo()
    blurred = np.asarray(cv2.GaussianBlur(sharp, (0, 0), 2.5), np.uint8)
    own, shape = sharp[:100, :100], np.ones((100, 100), np.bool_)
    assert blur_of(own, sharp, 100) == 0
    before, after = sharpness(own), sharpness(blurred_within(own, shape, blur_of(own, blurred, 100)))
    assert before is not None and after is not None and after < 0.8 * before


def test_flat_surroundings_say_nothing_about_sharpness() -> None:
    assert blur_of(photo()[:50, :50], np.full((200, 200, 3), 90, np.uint8), 50) == 0


def test_a_soft_edge_fades_inwards_over_a_few_pixels() -> None:
    alpha = np.zeros((60, 60), np.float32)
    alpha[10:50, 10:50] = 1
    soft = softened(alpha, 1.5)
    assert (soft <= alpha).all() and soft[30, 30] == pytest.approx(1) and 0 < soft[30, 11] < 1
    assert (soft[14:46, 14:46] > 0.98).all()


def test_a_shadow_darkens_the_ground_at_the_feet_and_nothing_else() -> None:
    ground = np.full((200, 200, 3), 180, np.uint8)
    shape = np.ones((80, 40), np.bool_)
    dark = ground.copy()
    shade(dark, shape, 80, 60, 0.5)
    assert dark[140, 100].mean() < 150
    assert (dark[:110] == 180).all() and (dark[165:] == 180).all() and (dark[:, :50] == 180).all()
    night = np.full((200, 200, 3), 12, np.uint8)
    darker = night.copy()
    shade(darker, shape, 80, 60, 0.5)
    assert (darker == night).all()
