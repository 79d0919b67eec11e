"""An inserted object must be recognised where it was put, if something at hand knows its class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest

from anamorph.config import RecognitionSettings
from anamorph.edits.blur import Blur
from anamorph.edits.insert import Insert
from anamorph.engine.recogniser import Recogniser
from anamorph.engine.render.insertion_check import InsertionCheck
from anamorph.model import Box, Picture, Pixels, Thing
from tests.edits.studios import FakeStudio


@dataclass(frozen=True)
class Sees:
    """Finds what it was told to find."""

    kind: ClassVar[str] = "sees"
    found: tuple[Thing, ...] = ()
    looks: list[Pixels] = field(default_factory=list)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {}

    def segment(self, pixels: Pixels) -> tuple[Thing, ...]:
        self.looks.append(pixels)
        return self.found


PLACE = Box(30, 30, 20, 20)
STUDIO = FakeStudio(**{"dog-1": np.full((20, 20, 4), 255, np.uint8)})
BEFORE = Picture(np.zeros((80, 80, 3), np.uint8), (), STUDIO)
EDIT = Insert("dog-1", PLACE)


def check(*found: Thing, classes: tuple[str, ...] = ("dog",)) -> InsertionCheck:
    recogniser = Recogniser(Sees(found), {}, frozenset(classes))
    return InsertionCheck(recogniser, RecognitionSettings())


@pytest.mark.parametrize(
    ("found", "good"),
    [
        ((Thing("1", "Dog", Box(29, 31, 20, 20), score=0.4),), True),
        ((Thing("1", "dog", PLACE, score=0.1),), False),
        ((Thing("1", "cat", PLACE, score=0.9),), False),
        ((Thing("1", "dog", Box(0, 0, 20, 20), score=0.9),), False),
        ((), False),
    ],
)
def test_the_class_must_be_seen_where_the_object_is(found: tuple[Thing, ...], good: bool) -> None:
    complaint = check(*found).complaint(EDIT, BEFORE, EDIT.apply(BEFORE))
    assert complaint == (None if good else "The insertion check does not find the inserted 'dog'.")


def test_a_class_that_the_recogniser_does_not_know_is_not_held_against_an_image() -> None:
    assert check(classes=("cat",)).complaint(EDIT, BEFORE, EDIT.apply(BEFORE)) is None


def test_other_edits_are_not_looked_at() -> None:
    checking = check()
    edit = Blur(2)
    assert checking.complaint(edit, BEFORE, edit.apply(BEFORE)) is None
    assert checking.recogniser.segmenter.looks == []  # type: ignore[attr-defined]


def test_a_cutout_is_shown_on_grey_with_a_margin() -> None:
    sees = Sees((Thing("1", "dog", Box(8, 8, 20, 20), score=0.7),))
    recogniser = Recogniser(sees, {}, frozenset(("dog",)))
    rgba = np.dstack([np.full((20, 20, 3), 9, np.uint8), np.full((20, 20), 255, np.uint8)])
    assert recogniser.on_grey(rgba, "dog") == 0.7 and recogniser.on_grey(rgba, "zebra") is None
    (canvas,) = sees.looks
    assert canvas.shape == (36, 36, 3) and (canvas[0] == 128).all() and (canvas[18, 18] == 9).all()
