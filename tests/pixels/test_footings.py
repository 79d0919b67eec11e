from __future__ import annotations

import numpy as np

from anamorph.model import Box, Pixels
from anamorph.pixels.footings import GroundView

HEIGHT, WIDTH = 240, 320


def street() -> Pixels:
    """A bright sky over a dark house on grey ground, with grass on its right."""
    rng = np.random.default_rng(3)
    pixels = np.empty((HEIGHT, WIDTH, 3), np.float64)
    pixels[:90], pixels[90:150], pixels[150:] = (225, 235, 250), (90, 50, 40), (150, 150, 150)
    pixels[150:, 220:] = (60, 140, 50)
    return np.clip(pixels + rng.normal(0, 4, pixels.shape), 0, 255).astype(np.uint8)


def view(box: Box) -> GroundView:
    occupied = np.zeros((HEIGHT, WIDTH), np.bool_)
    occupied[int(box.y) : int(box.bottom), int(box.x) : int(box.right)] = True
    return GroundView(street(), occupied)


def test_ground_goes_as_far_as_it_looks_like_that_under_the_feet() -> None:
    box = Box(80, 110, 30, 80)
    found = view(box).under(box)
    assert found is not None and found.shape == (HEIGHT, WIDTH)
    assert found[200:230, 10:200].mean() > 0.95
    assert found[:140].mean() < 0.01 and found[160:, 230:].mean() < 0.01


def test_an_object_that_the_lower_border_cuts_shows_no_ground() -> None:
    box = Box(80, 150, 30, 89)
    assert view(box).under(box) is None


def test_the_sky_is_smooth_and_bright_at_the_top() -> None:
    sky = view(Box(80, 110, 30, 80)).sky()
    assert sky is not None and sky[:80].mean() > 0.95 and sky[100:].mean() < 0.02
    dark = GroundView((street() // 4).astype(np.uint8), np.zeros((HEIGHT, WIDTH), np.bool_))
    assert dark.sky() is None
