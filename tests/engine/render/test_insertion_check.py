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


def test_a_cutout_is_shown_in_several_sizes_on_grey_and_on_photos() -> None:
    # The largest copy of a cut-out of 200 pixels has 190, then come 130, 90 and 60.
    found = (
        Thing("1", "dog", Box(330, 8, 190, 190), score=0.7),
        Thing("2", "dog", Box(330, 220, 130, 130), score=0.6),
        Thing("3", "cat", Box(330, 220, 130, 130), score=0.8),
    )
    sees = Sees(found)
    recogniser = Recogniser(sees, {}, frozenset(("dog",)))
    rgba = np.dstack([np.full((200, 200, 3), 9, np.uint8), np.full((200, 200), 255, np.uint8)])
    on_grey = recogniser.on_ground(rgba, "dog", None)
    on_photo = recogniser.on_ground(rgba, "dog", np.full((100, 50, 3), 77, np.uint8))
    assert on_grey is not None and on_photo is not None and recogniser.on_ground(rgba, "zebra", None) is None
    assert [round(look.size * 640) for look in on_grey] == [190, 130, 90, 60]
    # On grey, nothing else is there: what looks more like a cat is no dog. On a photo, there may be a cat behind it.
    assert [look.score for look in on_grey] == [0.7, 0, 0, 0] and [look.score for look in on_photo] == [0.7, 0.6, 0, 0]
    grey, ground = sees.looks
    assert grey.shape == ground.shape == (640, 640, 3)
    assert (grey[0] == 128).all() and (ground[0] == 77).all() and (grey[100, 400] == 9).all()


def test_a_small_cutout_is_not_enlarged_much() -> None:
    sees = Sees()
    rgba = np.full((50, 100, 4), 255, np.uint8)
    looks = Recogniser(sees, {}, frozenset(("dog",))).on_ground(rgba, "dog", None)
    assert looks is not None and [round(look.size * 640) for look in looks] == [130, 90, 60]
