"""A hole that is hard to fill is left alone, and ground that was made up must go on as what is around it does."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from anamorph import catalog
from anamorph.config import MeltCheckSettings
from anamorph.edits.blur import Blur
from anamorph.edits.insert import Insert
from anamorph.edits.melt import Melt
from anamorph.edits.relayout import Relayout
from anamorph.engine.render.fill_check import BEHIND, FOOT, LARGE, ROUGH, SEAM, STEPS, FillCheck, fill_check
from anamorph.engine.render.maker import ImageMaker, ImageOrder
from anamorph.model import Box, Edit, Picture, Pixels, Scene
from anamorph.model.scene import DRAWING, MEDIUM
from anamorph.pixels.layouts import Move
from anamorph.store.images import ImageFormat
from tests.edits.studios import block, thing_of

SIZE = (200, 260)
DOG = thing_of("dog", block(*SIZE, 90, 70, 170, 130))
MOVED = thing_of("dog", block(*SIZE, 120, 70, 200, 130))
# The dog is large, so that its surroundings have many pixels.
SETTINGS = MeltCheckSettings(largest=1)
MELT, COPY, MOVE = Melt(("dog",), "migan"), Melt(("dog",), "exemplar"), Relayout((Move("dog", right=30),), "migan")


def ground() -> Pixels:
    noise = np.random.default_rng(3).integers(-6, 7, (*SIZE, 1))
    return (130 + noise).astype(np.uint8).repeat(3, axis=2)


def check() -> FillCheck:
    found = fill_check(SETTINGS)
    assert found is not None
    return found


def refusal(edit: Edit, pixels: Pixels) -> str | None:
    return check().refusal(edit, Picture(pixels, (DOG,), None))


def complaint(edit: Edit, after: Pixels, *, moved: bool = False) -> str | None:
    return check().complaint(edit, Picture(ground(), (DOG,), None), Picture(after, (MOVED,) if moved else (), None))


def lettered() -> Pixels:
    pixels = ground()
    pixels[50:150, 70:190:4] = 10
    return pixels


def striped() -> Pixels:
    pixels = ground()
    for row in range(66, 134, 18):
        pixels[row : row + 9] = (200, 40, 40)
    return pixels


def shaded() -> Pixels:
    pixels = ground()
    pixels[126:142, 88:172] = 40
    return pixels


def smeared() -> Pixels:
    pixels = ground()
    pixels[68:132, 88:172] = 60
    return pixels


def test_rough_ground_is_not_filled() -> None:
    assert refusal(MELT, ground()) is None and refusal(MOVE, ground()) is None
    assert refusal(MELT, lettered()) == ROUGH and refusal(MOVE, lettered()) == ROUGH


def test_nothing_is_inserted_before_busy_ground_but_as_in_the_paper() -> None:
    box = Box(100, 60, 60, 80)
    assert check().concerns(Insert("dog", box, relight=True)) and not check().concerns(Insert("dog", box))
    assert refusal(Insert("dog", box, relight=True), lettered()) == BEHIND
    assert refusal(Insert("dog", box, relight=True), ground()) is None
    assert refusal(Insert("dog", box), lettered()) is None


def test_a_large_hole_is_not_filled() -> None:
    small = FillCheck(replace(SETTINGS, largest=0.02))
    assert small.refusal(MELT, Picture(ground(), (DOG,), None)) == LARGE
    assert small.refusal(MOVE, Picture(ground(), (DOG,), None)) is None, "a layout has a limit of its own"


def test_only_what_copies_minds_many_areas() -> None:
    assert refusal(COPY, striped()) == STEPS
    assert refusal(MELT, striped()) is None


def test_what_casts_a_shadow_goes_but_does_not_move() -> None:
    assert refusal(MOVE, shaded()) == FOOT
    assert refusal(MELT, shaded()) is None
    assert refusal(Relayout((Move("dog"),), "migan"), shaded()) is None, "it stays where it is"


def test_what_a_moved_object_uncovers_is_looked_at_without_the_object() -> None:
    dark = ground()
    dark[70:130, 120:200] = 10
    copied = replace(MOVE, inpainter="exemplar")
    assert complaint(copied, dark, moved=True) is None, "its own edges are no seam"
    dark[68:132, 88:110] = 230
    assert complaint(copied, dark, moved=True) == SEAM
    assert complaint(MOVE, dark, moved=True) is None, "a network leaves no rim, so nobody looks for one"
    assert complaint(COPY, smeared()) is None, "of a melt, only its surroundings tell"


def test_a_flat_patch_is_not_meant_to_be_believed() -> None:
    assert refusal(Melt(("dog",), "patch"), lettered()) is None
    assert complaint(Melt(("dog",), "patch"), smeared()) is None


def test_an_edit_that_makes_nothing_up_is_none_of_its_business() -> None:
    assert not check().concerns(Blur(2)) and check().concerns(MELT)
    assert refusal(Blur(2), lettered()) is None and complaint(Blur(2), smeared()) is None


def test_it_can_be_switched_off_alone_or_with_the_melt_check() -> None:
    assert fill_check(replace(SETTINGS, fills=False)) is None
    assert fill_check(replace(SETTINGS, enabled=False)) is None


@dataclass
class Counting:
    """A studio that counts how often it fills a hole."""

    fills: list[str] = field(default_factory=list)

    def inpaint(self, name: str, pixels: Pixels, hole: Any, avoid: Any = None) -> Pixels:
        self.fills.append(name)
        return pixels


def test_what_is_refused_is_discarded_without_being_made() -> None:
    studio = Counting()
    maker = ImageMaker(ImageFormat(), catalog.find, studio, fills=check())  # type: ignore[arg-type]
    scene = Scene("s", "s.jpg", 260, 200, (DOG,))
    order = ImageOrder(1, '[{"kind": "melt", "objects": ["dog"], "inpainter": "migan"}]')
    (made,) = maker.make_each(scene, lettered(), [order])
    assert made.discarded and made.problem == ROUGH and not studio.fills
    assert made.content is not None
    kept = cv2.imdecode(np.frombuffer(made.content, np.uint8), cv2.IMREAD_COLOR)
    assert kept is not None and kept.shape[:2] == SIZE, "the photo is kept to be looked at"
    (made,) = maker.make_each(replace(scene, origin={MEDIUM: DRAWING}), lettered(), [order])
    assert not made.discarded and studio.fills == ["migan"], "drawings are not looked at"


def test_the_limits_are_those_of_the_page() -> None:
    page = Path("docs/melt-check.md").read_text(encoding="utf-8")
    limits = MeltCheckSettings()
    for name in ("largest", "rough", "steps", "foot", "seam"):
        assert f"{name} = {getattr(limits, name)}\n" in page, name
