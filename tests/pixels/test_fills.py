from __future__ import annotations

import numpy as np

from anamorph.model import Hole, Pixels
from anamorph.pixels.fills import fill_marks

SIZE = (200, 260)


def ground(spread: int = 6) -> Pixels:
    """Ground with a fine texture."""
    noise = np.random.default_rng(3).integers(-spread, spread + 1, (*SIZE, 1))
    return np.clip(130 + noise, 0, 255).astype(np.uint8).repeat(3, axis=2)


def hole() -> Hole:
    shape = np.zeros(SIZE, np.bool_)
    shape[60:140, 80:180] = True
    return shape


def test_ground_that_goes_on_shows_nothing() -> None:
    marks = fill_marks(ground(), hole())
    assert marks is not None
    assert marks.seam < 1.1 and 0.8 < marks.edges < 1.2 and 0.8 < marks.shapes < 1.2 and marks.apart < 2


def test_a_patch_of_another_lightness_shows_its_rim() -> None:
    pixels = ground()
    pixels[hole()] += 40
    marks = fill_marks(pixels, hole())
    assert marks is not None
    assert marks.seam > 2 and marks.apart > 10


def test_something_that_was_made_up_within_the_hole_is_more_than_what_is_around_it() -> None:
    pixels = ground()
    pixels[80:120:8, 100:160] = 20
    marks = fill_marks(pixels, hole())
    assert marks is not None
    assert marks.edges > 1.5 and marks.shapes > 1.5 and marks.seam < 1.25


def test_the_colours_around_the_hole_may_vary() -> None:
    plain, varied = ground(), ground()
    varied[:, :130] = (200, 40, 40)
    one, other = fill_marks(plain, hole()), fill_marks(varied, hole())
    assert one is not None and other is not None
    assert one.variety < 5 and other.variety > 28


def test_the_edges_of_what_was_laid_against_the_hole_do_not_count() -> None:
    pixels, laid = ground(), np.zeros(SIZE, np.bool_)
    laid[60:140, 80:130] = True
    pixels[laid] = 10
    bare = hole() & ~laid
    blind, told = fill_marks(pixels, bare), fill_marks(pixels, bare, laid)
    assert blind is not None and told is not None
    assert blind.seam > 1.25 > told.seam
    assert told.apart < 2


def test_too_few_pixels_tell_nothing() -> None:
    tiny = np.zeros(SIZE, np.bool_)
    assert fill_marks(ground(), tiny) is None
    tiny[50:53, 50:53] = True
    assert fill_marks(ground(), tiny) is None
    assert fill_marks(ground(), np.ones(SIZE, np.bool_)) is None, "nothing is around it"
