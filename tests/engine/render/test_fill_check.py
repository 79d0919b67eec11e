"""Ground that was made up must go on as what is around it does, by its pixels alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from anamorph.config import MeltCheckSettings
from anamorph.edits.blur import Blur
from anamorph.edits.melt import Melt
from anamorph.edits.relayout import Relayout
from anamorph.engine.render.fill_check import APART, BUSY, SEAM, VARIED, fill_check, unbelievable, unbelievable_beside
from anamorph.engine.render.maker import ImageMaker
from anamorph.model import Edit, Picture, Pixels, Scene
from anamorph.model.scene import DRAWING, MEDIUM
from anamorph.pixels.fills import FillMarks
from anamorph.pixels.layouts import Move
from anamorph.store.images import ImageFormat
from tests.edits.studios import block, thing_of

SIZE = (200, 260)
DOG = thing_of("dog", block(*SIZE, 90, 70, 170, 130))
SETTINGS = MeltCheckSettings()
GOOD = FillMarks(seam=1.0, edges=1.0, shapes=1.0, variety=10.0, apart=2.0)


def ground() -> Pixels:
    noise = np.random.default_rng(3).integers(-6, 7, (*SIZE, 1))
    return (130 + noise).astype(np.uint8).repeat(3, axis=2)


def complaint(edit: Edit, after: Pixels, settings: MeltCheckSettings = SETTINGS, *, moved: bool = False) -> str | None:
    check = fill_check(settings)
    assert check is not None
    before = Picture(ground(), (DOG,), None)
    return check.complaint(edit, before, Picture(after, (DOG,) if moved else (), None))


def smeared() -> Pixels:
    pixels = ground()
    pixels[65:135, 85:175] = 60
    return pixels


def test_a_melt_that_shows_is_discarded_and_a_good_one_is_not() -> None:
    assert complaint(Melt(("dog",), "migan"), ground()) is None
    assert complaint(Melt(("dog",), "migan"), smeared()) == SEAM


def test_a_flat_patch_is_not_meant_to_be_believed() -> None:
    assert complaint(Melt(("dog",), "patch"), smeared()) is None


def test_an_edit_that_makes_nothing_up_is_none_of_its_business() -> None:
    check = fill_check(SETTINGS)
    assert check is not None and not check.concerns(Blur(2)) and check.concerns(Melt(("dog",), "migan"))
    assert complaint(Blur(2), smeared()) is None


def test_what_a_moved_object_uncovers_is_looked_at_without_the_object() -> None:
    stays = Relayout((Move("dog", right=30),), "migan")
    dark = ground()
    dark[70:130, 90:170] = 10
    assert complaint(stays, dark, moved=True) is None, "its own edges are no seam"


@pytest.mark.parametrize(
    ("changes", "melted", "moved"),
    [
        ({}, None, None),
        ({"seam": 1.3}, SEAM, SEAM),
        ({"edges": 1.2, "shapes": 1.1}, BUSY, None),
        ({"edges": 1.2, "shapes": 0.9}, None, None),
        ({"variety": 29.0}, None, None),
        ({"apart": 19.0}, None, APART),
    ],
)
def test_what_gives_a_hole_away(changes: dict[str, float], melted: str | None, moved: str | None) -> None:
    marks = replace(GOOD, **changes)
    assert unbelievable(marks, SETTINGS, copies=False) == melted
    assert unbelievable_beside(marks, SETTINGS) == moved


def test_where_the_ground_varies_there_is_nothing_to_copy() -> None:
    assert unbelievable(replace(GOOD, variety=29.0), SETTINGS, copies=True) == VARIED
    assert unbelievable(replace(GOOD, variety=27.0), SETTINGS, copies=True) is None


def test_it_can_be_switched_off_alone_or_with_the_melt_check() -> None:
    assert fill_check(replace(SETTINGS, fills=False)) is None
    assert fill_check(replace(SETTINGS, enabled=False)) is None


def test_drawings_are_not_looked_at() -> None:
    maker = ImageMaker(ImageFormat(), lambda *_: None, fills=fill_check(SETTINGS))  # type: ignore[arg-type,return-value]
    photo = Scene("s", "s.jpg", 260, 200, (DOG,))
    assert [type(check).__name__ for check in maker._checks(photo)] == ["FillCheck"]
    assert maker._checks(replace(photo, origin={MEDIUM: DRAWING})) == []
