from __future__ import annotations

import pytest

from anamorph.edits.blur import Blur
from anamorph.edits.crop import Crop
from anamorph.edits.insert import Insert
from anamorph.edits.melt import Melt
from anamorph.edits.relayout import Relayout
from anamorph.model import Box, Edit, Thing, encode
from anamorph.pixels.layouts import Move
from anamorph.report.outlines import ShownOutline, image_changes
from anamorph.store.scene_labels import LabelsOfScene

THINGS = {"1": Thing("1", "dog", Box(10, 20, 40, 20)), "2": Thing("2", "cup", Box(60, 60, 20, 20))}
SCENE = LabelsOfScene(THINGS, {id: thing.label for id, thing in THINGS.items()}, {"dog": 1, "cup": 1}, (100, 80))
DOG = ShownOutline(0.1, 0.25, 0.4, 0.25, "removed")


def changed(*edits: Edit, inserted: tuple[str, ...] = ()) -> tuple[object, ...]:
    found = image_changes([encode(edit) for edit in edits], SCENE, inserted)
    return found.brief, found.before, found.after


def test_a_removed_object_is_outlined_before_and_after() -> None:
    assert changed(Melt(("1",))) == (("a dog removed",), (DOG,), (DOG,))
    brief, before, _ = changed(Melt(("1", "2", "gone")))
    assert brief == ("a dog and a cup removed",) and len(before) == 2  # type: ignore[arg-type]


def test_an_inserted_object_is_outlined_after() -> None:
    box = ShownOutline(0.5, 0.0, 0.5, 0.125, "inserted")
    assert changed(Insert("some-id", Box(50, -10, 80, 20)), inserted=("car",)) == (("a car inserted",), (), (box,))
    assert changed(Insert("some-id", Box(50, -10, 80, 20)))[0] == ("an object inserted",)


def test_a_moved_object_is_outlined_where_it_was_and_where_it_is() -> None:
    brief, before, after = changed(Relayout((Move("1", right=20), Move("2"))))
    assert brief == ("a dog moved",)
    assert before == (ShownOutline(0.1, 0.25, 0.4, 0.25, "moved"),)
    assert after == (ShownOutline(0.3, 0.25, 0.4, 0.25, "moved"),)


def test_a_piece_is_outlined_on_the_source() -> None:
    assert changed(Crop(Box(0, 0, 50, 80)))[1:] == ((ShownOutline(0, 0, 0.5, 1, "changed"),), ())


@pytest.mark.parametrize("edits", [(Blur(2.0),), (Melt(("1",)), Blur(2.0))])
def test_nothing_is_outlined_where_an_edit_changes_the_whole_picture(edits: tuple[Edit, ...]) -> None:
    assert changed(*edits)[1:] == ((), ())


def test_an_edit_that_is_not_known_here_is_only_named() -> None:
    found = image_changes([{"kind": "my-edit", "objects": ["1"]}], SCENE)
    assert found.brief == found.words == ("my edit, objects dog (1)",) and found.after == ()
