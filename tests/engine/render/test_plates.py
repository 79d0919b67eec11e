from __future__ import annotations

import numpy as np
import pytest

from anamorph.engine.render import plates
from anamorph.engine.render.plates import PlateStudio
from anamorph.model import Hole
from tests.edits.studios import FakeStudio

PHOTO = np.random.default_rng(0).integers(0, 255, (12, 16, 3), dtype=np.uint8)


def hole(column: int) -> Hole:
    shape = np.zeros((12, 16), np.bool_)
    shape[3:6, column : column + 2] = True
    return shape


def test_a_hole_of_the_photo_is_filled_once_by_each_inpainter() -> None:
    fake = FakeStudio()
    studio = PlateStudio(fake, PHOTO)
    first = studio.inpaint("flat", PHOTO, hole(1))
    assert (studio.inpaint("flat", PHOTO, hole(1)) == first).all() and len(fake.holes) == 1
    assert (first[hole(1)] == 7).all() and (first[~hole(1)] == PHOTO[~hole(1)]).all()
    studio.inpaint("telea", PHOTO, hole(1))
    studio.inpaint("flat", PHOTO, hole(2))
    assert len(fake.holes) == 3


def test_a_picture_that_was_edited_already_is_filled_anew() -> None:
    fake = FakeStudio()
    studio = PlateStudio(fake, PHOTO)
    for _ in range(2):
        studio.inpaint("flat", PHOTO.copy(), hole(1))
    assert len(fake.holes) == 2


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plates, "_MOST_BYTES", 2 * PHOTO.nbytes)
    fake = FakeStudio()
    studio = PlateStudio(fake, PHOTO)
    for column in (0, 2, 4, 4, 2, 0):
        studio.inpaint("flat", PHOTO, hole(column))
    assert len(fake.holes) == 4, "the last two are kept, the first was forgotten"


def test_an_image_that_shares_the_plate_of_a_costly_one_is_worth_keeping() -> None:
    studio = PlateStudio(FakeStudio(), PHOTO)
    kept = []
    for column, costly in [(1, True), (1, False), (5, False), (5, False)]:
        studio.begin()
        studio.inpaint("flat", PHOTO, hole(column))
        kept.append(studio.worth_keeping(costly))
    assert kept == [True, True, False, False]
