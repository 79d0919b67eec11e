from __future__ import annotations

import numpy as np

from anamorph.inpainters.exemplar import Exemplar
from anamorph.inpainters.membrane import Membrane
from anamorph.model import Hole, Pixels
from tests.inpainters.holes import keeps_its_promises

FAST = Exemplar(side=48)


def striped(height: int = 96, width: int = 128) -> Pixels:
    """Stripes of eight pixels with grain, which only copying continues."""
    rng = np.random.default_rng(0)
    columns = np.indices((height, width))[1]
    level = np.where(columns // 8 % 2, 200, 60)[..., None] + rng.integers(-12, 12, (height, width, 1))
    return np.clip(level.repeat(3, axis=2), 0, 255).astype(np.uint8)


def middle(pixels: Pixels) -> Hole:
    hole = np.zeros(pixels.shape[:2], np.bool_)
    hole[36:60, 44:84] = True
    return hole


def grain(pixels: Pixels, hole: Hole) -> float:
    return float(np.abs(np.diff(pixels.astype(int), axis=0))[hole[1:]].mean())


def test_every_hole_is_filled_and_nothing_else() -> None:
    keeps_its_promises(FAST)


def test_stripes_go_on_through_the_hole_and_keep_their_grain() -> None:
    pixels = striped()
    hole = middle(pixels)
    spoilt = np.where(hole[..., None], np.uint8(255), pixels).astype(np.uint8)
    made, smooth = Exemplar().fill(spoilt, hole), Membrane().fill(spoilt, hole)
    wrong = [float((np.abs(each[hole].astype(int) - pixels[hole]) > 70).mean()) for each in (made, smooth)]
    assert wrong[0] < 0.2 < 0.3 < wrong[1]
    assert grain(made, hole) > 0.6 * grain(pixels, hole)


def test_the_same_hole_is_filled_alike_each_time() -> None:
    pixels = striped()
    first, second = (FAST.fill(pixels, middle(pixels)) for _ in range(2))
    assert (first == second).all()


def test_a_large_picture_is_searched_small_and_filled_at_its_own_size() -> None:
    pixels = np.ascontiguousarray(striped(384, 512))
    hole = np.zeros(pixels.shape[:2], np.bool_)
    hole[150:230, 180:300] = True
    made = Exemplar(side=64).fill(np.where(hole[..., None], np.uint8(0), pixels).astype(np.uint8), hole)
    assert grain(made, hole) > 0.5 * grain(pixels, hole)


def test_nothing_is_copied_from_where_other_objects_are() -> None:
    pixels = striped()
    pixels[20:80, 88:124] = (255, 0, 0)
    hole, avoid = middle(pixels), np.zeros(pixels.shape[:2], np.bool_)
    avoid[20:80, 88:124] = True
    made = FAST.fill_from(pixels, hole, avoid)
    red = made[..., 0].astype(int) - made[..., 1]
    assert (red[hole] < 60).all()


def test_a_picture_with_hardly_any_ground_is_filled_all_the_same() -> None:
    pixels = striped(40, 40)
    hole = np.ones((40, 40), np.bool_)
    hole[0, :3] = False
    assert FAST.fill(pixels, hole).shape == pixels.shape
    avoid = ~hole
    assert FAST.fill_from(pixels, hole, avoid).shape == pixels.shape


def test_what_is_not_like_the_rim_of_the_hole_is_not_copied() -> None:
    rng = np.random.default_rng(3)
    pixels = np.clip(rng.normal(150, 8, (96, 128, 1)).repeat(3, axis=2), 0, 255).astype(np.uint8)
    pixels[8:22, 30:98] = (200, 20, 20)
    hole = middle(pixels)
    made = Exemplar().fill(pixels, hole)
    assert (made[hole][:, 0].astype(int) - made[hole][:, 1] < 60).all()
