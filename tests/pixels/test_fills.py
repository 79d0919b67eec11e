from __future__ import annotations

import numpy as np
import pytest

from anamorph.model import Hole, Pixels
from anamorph.pixels.fills import ground_marks, seam

SIZE = (200, 260)
NOTHING = np.zeros(SIZE, np.bool_)


def ground(spread: int = 6) -> Pixels:
    """Ground with a fine texture."""
    noise = np.random.default_rng(3).integers(-spread, spread + 1, (*SIZE, 1))
    return np.clip(130 + noise, 0, 255).astype(np.uint8).repeat(3, axis=2)


def hole() -> Hole:
    shape = np.zeros(SIZE, np.bool_)
    shape[60:140, 80:180] = True
    return shape


def test_plain_ground_is_easy_to_fill() -> None:
    marks = ground_marks(ground(), hole(), NOTHING)
    assert marks.rough < 0.02 and marks.steps == 0


def test_letters_around_a_hole_are_rough() -> None:
    pixels = ground()
    pixels[40:160, 60:200:4] = 10
    assert ground_marks(pixels, hole(), NOTHING).rough > 0.15


def test_what_is_inside_a_hole_does_not_make_it_hard() -> None:
    pixels = ground()
    pixels[70:130, 90:170:4] = 10
    marks = ground_marks(pixels, hole(), NOTHING)
    assert marks.rough < 0.02 and marks.steps == 0


def test_the_object_that_leaves_only_a_strip_bare_is_not_its_surroundings() -> None:
    pixels, strip = ground(), NOTHING.copy()
    pixels[60:140, 80:180:4] = 10
    strip[60:140, 70:80] = True
    assert ground_marks(pixels, strip, NOTHING).rough > 0.15 > ground_marks(pixels, strip, hole()).rough


@pytest.mark.parametrize("lines", [1, 3])
def test_each_line_that_meets_the_outline_changes_the_color_twice(lines: int) -> None:
    pixels = ground()
    for row in range(lines):
        pixels[70 + 24 * row : 82 + 24 * row, 180:] = (200, 40, 40)
    assert ground_marks(pixels, hole(), NOTHING).steps == 2 * lines


def test_ground_that_goes_on_has_no_seam() -> None:
    found = seam(ground(), hole(), NOTHING)
    assert found is not None and found < 1.1


def test_a_patch_of_another_lightness_shows_its_rim() -> None:
    pixels = ground()
    pixels[hole()] += 40
    found = seam(pixels, hole(), NOTHING)
    assert found is not None and found > 2


def test_the_edges_of_what_was_laid_against_the_hole_do_not_count() -> None:
    pixels, laid = ground(), np.zeros(SIZE, np.bool_)
    laid[60:140, 80:130] = True
    pixels[laid] = 10
    bare = hole() & ~laid
    blind, told = seam(pixels, bare, NOTHING), seam(pixels, bare, laid)
    assert blind is not None and told is not None
    assert blind > 1.25 > told


def test_too_few_pixels_tell_nothing() -> None:
    tiny = np.zeros(SIZE, np.bool_)
    assert seam(ground(), tiny, NOTHING) is None
    tiny[50:52, 50:52] = True
    assert seam(ground(), tiny, NOTHING) is None
    assert seam(ground(), np.ones(SIZE, np.bool_), NOTHING) is None, "nothing is around it"
    assert ground_marks(ground(), np.ones(SIZE, np.bool_), NOTHING).rough == 0
