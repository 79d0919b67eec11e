from __future__ import annotations

import numpy as np

from anamorph.inpainters.membrane import Membrane
from anamorph.inpainters.telea import Telea
from anamorph.pixels.blending import membrane
from tests.inpainters.holes import holes, keeps_its_promises, photo


def test_every_hole_is_filled_and_nothing_else() -> None:
    keeps_its_promises(Membrane())


def test_a_slope_is_continued_through_the_hole_better_than_by_telea() -> None:
    pixels, hole = photo(), holes()["inside"]
    spoilt = np.where(hole[..., None], np.uint8(255), pixels).astype(np.uint8)
    ours, theirs = (
        np.abs(each.fill(spoilt, hole)[hole].astype(int) - pixels[hole]).mean() for each in (Membrane(), Telea())
    )
    assert ours < 5 and ours < theirs


def test_a_linear_field_is_its_own_membrane() -> None:
    rows, columns = np.indices((50, 70)).astype(np.float32)
    field = (2 * rows + 3 * columns)[..., None].repeat(3, axis=2)
    unknown = np.zeros((50, 70), np.bool_)
    unknown[8:40, 10:60] = True
    known_only = np.where(unknown[..., None], 0, field).astype(np.float32)
    # The sweeps are few, so the solution is near, not exact: within 3 % of the range.
    assert np.abs(membrane(known_only, ~unknown, unknown) - field).max() < 0.03 * field.max()


def test_values_never_leave_the_range_of_the_border() -> None:
    rng = np.random.default_rng(0)
    field = rng.uniform(20, 60, (40, 40, 3)).astype(np.float32)
    unknown = np.zeros((40, 40), np.bool_)
    unknown[5:35, 5:35] = True
    made = membrane(field, ~unknown, unknown)[unknown]
    assert made.min() >= 20 - 1e-3 and made.max() <= 60 + 1e-3
