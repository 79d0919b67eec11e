from __future__ import annotations

from hypothesis import given, strategies as st

from anamorph.edits.blur import Blur
from anamorph.edits.crop import Crop
from anamorph.edits.insert import Insert
from anamorph.edits.melt import Melt
from anamorph.engine.prove.places import WIDER, ImageChange, change_between, crops_of
from anamorph.model import Box, Scene, Thing

SCENE = Scene(
    "photo",
    "photo.jpg",
    1000,
    800,
    (
        Thing("1", "dog", Box(100, 100, 60, 50)),
        Thing("2", "cat", Box(700, 600, 80, 60)),
        Thing("3", "ball", Box(150, 130, 40, 40)),
    ),
)


def test_an_edit_of_the_whole_picture_shows_the_same() -> None:
    assert change_between((), (Blur(2),), SCENE) == ImageChange("same")
    assert change_between((Blur(1),), (Blur(2),), SCENE) == ImageChange("same")


def test_an_edit_of_a_place_gives_the_places_of_what_differs() -> None:
    changed = change_between((Melt(("1",)),), (Melt(("1", "2")),), SCENE)
    # What was removed before is made up anew together with the rest, so it counts as changed.
    assert changed.reach == "places" and set(changed.boxes) == {SCENE.things[0].box, SCENE.things[1].box}
    assert change_between((), (Insert("dog-1", Box(5, 5, 50, 50)),), SCENE).boxes == (Box(5, 5, 50, 50),)


def test_a_crop_is_a_part_and_mixed_edits_say_nothing() -> None:
    piece = Crop(Box(0, 0, 500, 800))
    assert change_between((), (piece,), SCENE).reach == "part"
    assert change_between((Melt(("1",)),), (Melt(("2",)), piece), SCENE).reach == "unknown"
    assert change_between((), (Melt(("1",)), Blur(2)), SCENE).reach == "unknown"


def test_a_crop_holds_what_stands_in_the_place_as_a_whole() -> None:
    (crop,) = crops_of(change_between((), (Melt(("3",)),), SCENE), SCENE)
    assert isinstance(crop, Crop)
    dog = SCENE.things[0].box
    assert crop.box.x <= dog.x and crop.box.right >= dog.right and crop.box.y <= dog.y


def test_an_edit_of_most_of_the_picture_has_no_place() -> None:
    assert crops_of(ImageChange("places", (Box(0, 0, 900, 700),)), SCENE) == ()


def test_a_wider_look_holds_the_first_one() -> None:
    changed = change_between((), (Melt(("2",)),), SCENE)
    (near,), (far,) = crops_of(changed, SCENE), crops_of(changed, SCENE, WIDER)
    assert isinstance(near, Crop) and isinstance(far, Crop)
    assert far.box.x <= near.box.x and far.box.y <= near.box.y and far.box.area >= near.box.area


boxes = st.builds(Box, st.floats(0, 950), st.floats(0, 750), st.floats(1, 300), st.floats(1, 300))


@given(st.lists(boxes, min_size=1, max_size=4))
def test_crops_lie_in_the_picture_are_disjoint_and_hold_every_changed_place(changed: list[Box]) -> None:
    crops = crops_of(ImageChange("places", tuple(changed)), SCENE)
    found = [crop.box for crop in crops if isinstance(crop, Crop)]
    for place, box in enumerate(found):
        assert box.x >= 0 and box.y >= 0 and box.right <= SCENE.width and box.bottom <= SCENE.height
        assert all(box.overlap(other) == 0 for other in found[:place])
    for box in changed if found else ():
        left, top = min(box.x, SCENE.width), min(box.y, SCENE.height)
        right, bottom = min(box.right, SCENE.width), min(box.bottom, SCENE.height)
        assert any(each.x <= left and each.y <= top and each.right >= right and each.bottom >= bottom for each in found)
