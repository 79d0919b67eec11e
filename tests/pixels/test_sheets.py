from __future__ import annotations

import numpy as np

from anamorph.pixels.sheets import contact_sheet


def test_every_picture_has_its_place_and_caption() -> None:
    red = np.zeros((20, 40, 3), np.uint8)
    red[..., 0] = 255
    clear = np.zeros((40, 20, 4), np.uint8)
    sheet = contact_sheet([("one", red), ("two", clear), ("three", red)], columns=2, side=60)
    assert sheet.shape == (2 * 85, 2 * 72, 3)
    assert (sheet[36, 36] == (255, 0, 0)).all(), "the first is in the middle of its square"
    assert sheet[36, 108, 0] in (204, 230), "what is transparent shows the checks"
    assert (sheet[66:79, 6:66] < 128).any(), "a caption is below it"
    assert (sheet[36, 2] == 255).all()


def test_no_pictures_make_an_empty_sheet_and_odd_letters_do_not_stop_it() -> None:
    assert (contact_sheet([]) == 255).all()
    contact_sheet([("犬 and a very long caption that does not fit below", np.zeros((5, 5, 3), np.uint8))])
