from __future__ import annotations

import numpy as np

from anamorph.pixels.sheets import PicturePair, changed_region, contact_sheet, pair_sheet


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


def test_a_pair_shows_before_after_and_the_changed_region_enlarged() -> None:
    before = np.full((100, 100, 3), 60, np.uint8)
    after = before.copy()
    after[40:50, 40:50] = (250, 0, 0)
    sheet = pair_sheet([PicturePair(before, after, ("1. melted",))], side=100)
    first, second, third = sheet[6:106, 6:106], sheet[6:106, 112:212], sheet[6:106, 218:318]
    red = [int((each[..., 0].astype(int) - each[..., 1] > 150).sum()) for each in (first, second, third)]
    assert 0 < red[0] < 400, "only the outline"
    assert red[1] == 100
    assert red[2] > 500, "enlarged"
    assert (sheet[107:, :] < 128).any(), "words below"


def test_pictures_that_do_not_differ_or_differ_all_over_have_no_region() -> None:
    before = np.full((40, 40, 3), 60, np.uint8)
    assert changed_region(before, before) is None
    assert changed_region(before, before + 100) is None
    assert changed_region(before, before[:20]) is None
    noisy = before.copy()
    noisy[5, 5] = 255
    assert changed_region(before, noisy) is None
