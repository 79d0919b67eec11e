from __future__ import annotations

import numpy as np

from anamorph.config import MeltCheckSettings
from anamorph.edits.blur import Blur
from anamorph.edits.melt import Melt
from anamorph.engine.render.debris_check import DebrisCheck
from anamorph.model import Hole, Picture, Pixels
from tests.edits.studios import block, thing_of

RULES = MeltCheckSettings()
HEIGHT, WIDTH = 120, 160
DOG = thing_of("dog", block(HEIGHT, WIDTH, 60, 40, 100, 80))
HOLE: Hole = Melt(("dog",)).made_up(Picture(np.zeros((HEIGHT, WIDTH, 3), np.uint8), (DOG,))).ground


def meadow() -> Pixels:
    rng = np.random.default_rng(2)
    return np.clip(np.array([60, 130, 50]) + rng.normal(0, 12, (HEIGHT, WIDTH, 1)), 0, 255).astype(np.uint8)


def with_dog(pixels: Pixels) -> Pixels:
    result = pixels.copy()
    result[40:80, 60:100] = (190, 120, 40)
    return result


def complaint(after: Pixels, settings: MeltCheckSettings = RULES) -> str | None:
    before = Picture(with_dog(meadow()), (DOG,))
    return DebrisCheck(settings).complaint(Melt(("dog",)), before, Picture(after, ()))


def test_ground_that_looks_like_its_surroundings_passes() -> None:
    assert complaint(meadow()) is None


def test_many_edges_where_the_ground_has_few_are_debris() -> None:
    after = meadow()
    checks = np.indices((HEIGHT, WIDTH)).sum(axis=0) // 6 % 2
    after[HOLE] = np.where(checks[HOLE, None], 20, 230)
    assert "more edges" in (complaint(after) or "")
    assert complaint(after, MeltCheckSettings(edges=1000, likeness=1, foreign=1)) is None


def test_the_colours_of_what_was_removed_are_not_ground() -> None:
    after = meadow()
    after[45:75, 65:95] = (190, 120, 40)
    assert "colours of what was removed" in (complaint(after, MeltCheckSettings(edges=1000)) or "")


CAR = thing_of("car", block(HEIGHT, WIDTH, 108, 40, 128, 80))


def test_a_hole_that_was_filled_with_another_object_is_debris() -> None:
    photo = with_dog(meadow())
    photo[40:80, 108:128] = (20, 30, 190)
    after = photo.copy()
    after[HOLE] = (20, 30, 190)
    check = DebrisCheck(MeltCheckSettings(edges=1000))
    said = check.complaint(Melt(("dog",)), Picture(photo, (DOG, CAR)), Picture(after, (CAR,)))
    assert said == "The debris check finds colours in the hole that no ground around it has."
    # Where nobody says that it is an object, it is ground like any other.
    assert check.complaint(Melt(("dog",)), Picture(photo, (DOG,)), Picture(after, ())) is None
    after[HOLE] = meadow()[HOLE]
    assert check.complaint(Melt(("dog",)), Picture(photo, (DOG, CAR)), Picture(after, (CAR,))) is None
    after[HOLE] = (20, 30, 190)
    never = DebrisCheck(MeltCheckSettings(edges=1000, foreign=1))
    assert never.complaint(Melt(("dog",)), Picture(photo, (DOG, CAR)), Picture(after, (CAR,))) is None


def test_what_an_object_lies_on_is_its_ground() -> None:
    photo, table = meadow(), thing_of("table", block(HEIGHT, WIDTH, 10, 10, 150, 110))
    photo[10:110, 10:150] = (120, 80, 60)
    after = photo.copy()
    photo = with_dog(photo)
    check = DebrisCheck(MeltCheckSettings())
    assert check.complaint(Melt(("dog",)), Picture(photo, (DOG, table)), Picture(after, (table,))) is None


def test_a_small_hole_and_an_edit_that_takes_nothing_away_are_not_looked_at() -> None:
    mouse = thing_of("mouse", block(HEIGHT, WIDTH, 60, 40, 66, 46))
    before = Picture(meadow(), (mouse,))
    check = DebrisCheck(MeltCheckSettings())
    noise = np.random.default_rng(1).integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
    assert check.complaint(Melt(("mouse",)), before, Picture(noise, ())) is None
    assert check.complaint(Blur(2), before, Picture(noise, ())) is None
