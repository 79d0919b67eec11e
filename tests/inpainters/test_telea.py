from __future__ import annotations

import numpy as np

from anamorph.inpainters.telea import Telea
from tests.inpainters.holes import holes, keeps_its_promises, photo


def test_every_hole_is_filled_and_nothing_else() -> None:
    keeps_its_promises(Telea())
    keeps_its_promises(Telea(8), ("inside",))


def test_a_hole_in_a_smooth_picture_is_filled_smoothly() -> None:
    pixels, hole = photo(), holes()["inside"]
    spoilt = np.where(hole[..., None], np.uint8(255), pixels).astype(np.uint8)
    assert np.abs(Telea().fill(spoilt, hole)[hole].astype(int) - pixels[hole]).mean() < 12


def test_a_picture_with_nothing_left_is_grey() -> None:
    assert (Telea().fill(photo(), holes()["all"]) == 128).all()
