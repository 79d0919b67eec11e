from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Box, Scene, Skip
from anamorph.pixels.masks import mask_area, mask_pixels
from anamorph.scenes.labelme import LabelMeScenes

SavePhoto = Callable[..., Path]


def shape(label: Any = "cat", points: Any = ((1, 1), (4, 1), (4, 4), (1, 4)), **changes: Any) -> dict[str, Any]:
    entry = {"label": label, "points": points, "group_id": None, "shape_type": "polygon", "flags": {}}
    return {key: value for key, value in {**entry, **changes}.items() if value is not ...}


class World:
    """A folder of LabelMe files about 8 x 6 photos."""

    def __init__(self, root: Path, save_photo: SavePhoto) -> None:
        self.root = root / "labels"
        self.save_photo = save_photo
        self.photo = save_photo(self.root / "a.png")

    def write(self, *shapes: Any, file: str = "a.json", **changes: Any) -> None:
        document = {"version": "5.0", "shapes": list(shapes), "imagePath": "a.png", "imageWidth": 8, "imageHeight": 6}
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({key: value for key, value in {**document, **changes}.items() if value is not ...}))

    def scan(self, images: Path | None = None) -> tuple[dict[str, Scene], dict[str, str]]:
        found = list(self.source(images).scan())
        scenes = {scene.id: scene for scene in found if isinstance(scene, Scene)}
        skips = {skip.what: skip.reason for skip in found if isinstance(skip, Skip)}
        assert len(scenes) + len(skips) == len(found)
        return scenes, skips

    def source(self, images: Path | None = None) -> LabelMeScenes:
        return LabelMeScenes(str(self.root), None if images is None else str(images))


@pytest.fixture
def world(tmp_path: Path, save_photo: SavePhoto) -> World:
    return World(tmp_path, save_photo)


def test_polygons_have_masks_and_tight_boxes(world: World) -> None:
    world.write(shape(flags={"blurred": True, "wet": False}), shape("ant", shape_type=...))
    scenes, skips = world.scan()
    assert not skips
    scene = scenes["a.json"]
    assert (scene.picture, scene.width, scene.height, scene.labels) == ("a.png", 8, 6, ("ant", "cat"))
    cat, ant = scene.things
    assert (cat.id, cat.label, cat.box, cat.attributes) == ("1", "cat", Box(1, 1, 3, 3), ("blurred",))
    assert cat.mask is not None and mask_area(cat.mask) == 9
    assert (ant.id, ant.label) == ("2", "ant")


def test_a_rectangle_is_a_box_without_a_mask_whichever_corner_came_first(world: World) -> None:
    world.write(shape(shape_type="rectangle", points=[[6, 5], [2.5, 1]]))
    (thing,) = world.scan()[0]["a.json"].things
    assert (thing.box, thing.mask) == (Box(2.5, 1, 3.5, 4), None)


def test_a_circle_is_a_round_mask(world: World) -> None:
    world.write(shape(shape_type="circle", points=[[4, 3], [6, 3]]))
    (thing,) = world.scan()[0]["a.json"].things
    assert thing.mask is not None
    assert thing.box == Box(2, 1, 4, 4)
    assert mask_area(thing.mask) == 12
    assert not mask_pixels(thing.mask)[1, 2]


def test_shapes_of_one_label_and_group_are_one_thing(world: World) -> None:
    far = ((6, 4), (8, 4), (8, 6), (6, 6))
    world.write(
        shape(group_id=1, flags={"b": True}),
        shape("dog", group_id=1),
        shape(points=far, group_id=1, flags={"a": True}),
        shape(group_id=2),
        shape(),
        shape(),
    )
    scenes, skips = world.scan()
    assert not skips
    things = {thing.id: thing for thing in scenes["a.json"].things}
    assert [(thing.id, thing.label) for thing in things.values()] == [
        ("1", "cat"),
        ("2", "dog"),
        ("4", "cat"),
        ("5", "cat"),
        ("6", "cat"),
    ]
    merged = things["1"]
    assert merged.mask is not None
    assert mask_area(merged.mask) == 9 + 4
    assert merged.box == Box(1, 1, 7, 5)
    assert merged.attributes == ("a", "b")


def test_a_group_with_a_rectangle_has_no_mask_for_its_outline_is_not_known(world: World) -> None:
    world.write(shape(group_id=1), shape(group_id=1, shape_type="rectangle", points=[[5, 1], [8, 2]]))
    (thing,) = world.scan()[0]["a.json"].things
    assert (thing.box, thing.mask) == (Box(1, 1, 7, 3), None)


def test_a_group_with_a_bad_shape_is_skipped_whole(world: World) -> None:
    world.write(shape(group_id=1), shape(group_id=1, points=[[1, 1]]), shape("ok"), shape(group_id=2, points=5))
    scenes, skips = world.scan()
    assert [thing.label for thing in scenes["a.json"].things] == ["ok"]
    assert set(skips) == {"a.json: shape 2", "a.json: shapes 1", "a.json: shape 4"}
    assert "group 1 of 'cat', another shape of which is bad" in skips["a.json: shapes 1"]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (shape(shape_type="line"), "The shape type 'line' is not supported; supported are polygon, rectangle, circle"),
        (shape(shape_type=["polygon"]), "is not supported"),
        (shape(label=...), "The key 'label' is missing"),
        (shape(label=5), "'label' should be a string"),
        (shape(points=...), "The key 'points' is missing"),
        (shape(points="here"), "'points' should be a list"),
        (shape(points=[[1, 1], [4, 1], [4]]), "'points' should be a list of 2 numbers"),
        (shape(points=[[1, 1]], shape_type="rectangle"), "The rectangle has 1 points"),
        (shape(points=[[1, 1], [1, 4], [2, 2]], shape_type="circle"), "The circle has 3 points"),
        (shape(group_id=[1]), "'group_id' should be a whole number or a string"),
        ("junk", "should be an object with keys"),
    ],
)
def test_a_bad_shape_is_skipped_by_number_and_the_rest_is_kept(world: World, bad: Any, reason: str) -> None:
    world.write(bad, shape("dog"))
    scenes, skips = world.scan()
    assert [(thing.id, thing.label) for thing in scenes["a.json"].things] == [("2", "dog")]
    assert list(skips) == ["a.json: shape 1"]
    assert reason in skips["a.json: shape 1"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"imagePath": "../outside.png"}, "'../outside.png' does not lead to a file inside"),
        ({"imagePath": ...}, "'imagePath' is missing"),
        ({"imagePath": "gone.png"}, "gone.png does not exist"),
        ({"imageWidth": 6, "imageHeight": 8}, "is 8 x 6 when upright"),
        ({"shapes": None}, "is not a LabelMe file"),
        ({"imagePath": "bad.json"}, "is not an image"),
    ],
)
def test_a_file_that_cannot_be_used_is_skipped_by_name(world: World, changes: dict[str, Any], reason: str) -> None:
    world.write(shape())
    world.write(shape(), file="bad.json", **changes)
    scenes, skips = world.scan()
    assert list(scenes) == ["a.json"]
    assert reason in skips["bad.json"]


@pytest.mark.parametrize("content", ["", "{", "[]", '"text"', "[" * 100_000])
def test_json_that_is_malformed_or_something_else_is_skipped(world: World, content: str) -> None:
    world.write(shape())
    (world.root / "bad.json").write_text(content)
    scenes, skips = world.scan()
    assert list(scenes) == ["a.json"]
    assert "bad.json" in skips["bad.json"]


def test_a_pipe_among_the_files_is_skipped(world: World) -> None:
    world.write(shape())
    os.mkfifo(world.root / "pipe.json")
    assert "is a pipe" in world.scan()[1]["pipe.json"]


def test_photos_are_named_relative_to_the_file(world: World) -> None:
    world.save_photo(world.root / "photos" / "b.png", 8, 6)
    world.write(shape(), file="notes/b.json", imagePath="../photos/b.png")
    scenes, skips = world.scan()
    assert not skips
    assert scenes["notes/b.json"].picture == "photos/b.png"
    assert world.source().pixels(scenes["notes/b.json"]).shape == (6, 8, 3)


@pytest.mark.parametrize("name", ["../photos/sub/b.png", "sub/b.png"])
def test_a_folder_of_photos_may_be_named_apart(world: World, tmp_path: Path, name: str) -> None:
    world.save_photo(tmp_path / "photos" / "sub" / "b.png")
    world.photo.unlink()
    world.write(shape(), imagePath=name)
    scenes, skips = world.scan(tmp_path / "photos")
    assert not skips
    assert scenes["a.json"].picture == "sub/b.png"
    assert world.source(tmp_path / "photos").pixels(scenes["a.json"]).shape == (6, 8, 3)


def test_a_name_may_not_lead_out_of_the_folder_of_photos(world: World, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    world.write(shape())
    scenes, skips = world.scan(tmp_path / "photos")
    assert not scenes
    assert "does not exist" in skips["a.json"]
    world.write(shape(), imagePath="../labels/a.png")
    assert "does not lead to a file inside" in world.scan(tmp_path / "photos")[1]["a.json"]


def test_an_absolute_name_is_refused_even_where_it_leads_inside(world: World, tmp_path: Path) -> None:
    photo = world.save_photo(tmp_path / "photos" / "b.png")
    world.write(shape(), imagePath=str(photo))
    assert "is an absolute path" in world.scan(tmp_path / "photos")[1]["a.json"]
    world.write(shape(), file="sub/b.json", imagePath="C:/a.png")
    assert "is an absolute path" in world.scan()[1]["sub/b.json"]


def embedded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


def test_an_embedded_photo_serves_where_the_file_is_missing(world: World) -> None:
    expected = np.asarray(Image.open(world.photo))
    world.write(shape(), imageData=embedded(world.photo), file="sub/a.json", imagePath="gone.png")
    scenes, skips = world.scan()
    assert not skips
    scene = scenes["sub/a.json"]
    assert scene.picture == "sub/a.json"
    assert np.array_equal(world.source().pixels(scene), expected)


def test_an_embedded_photo_is_ignored_where_the_file_is_there(world: World, tmp_path: Path) -> None:
    other = world.save_photo(tmp_path / "other.png", 3, 3)
    world.write(shape(), imageData=embedded(other))
    scene = world.scan()[0]["a.json"]
    assert (scene.picture, scene.width) == ("a.png", 8)
    world.photo.write_text("broken")
    assert "a.png is not an image" in world.scan()[1]["a.json"]


def test_an_embedded_photo_is_held_to_the_same_limits(world: World, huge_png: bytes) -> None:
    world.photo.unlink()
    for content, reason in (
        (base64.b64encode(huge_png).decode(), "is 60000 x 60000, more than the limit"),
        ("not base64!", "is not valid base64"),
        (base64.b64encode(b"text").decode(), "is not an image"),
        ("é", "is not valid base64"),
        (5, "holds no image"),
    ):
        world.write(shape(), imageData=content)
        assert reason in world.scan()[1]["a.json"]


def test_a_file_that_lost_its_embedded_photo_is_a_bad_picture(world: World) -> None:
    world.write(shape())
    with pytest.raises(BadPicture, match="holds no image"):
        world.source().pixels(Scene("a.json", "a.json", 8, 6))


def test_a_folder_without_files_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no LabelMe file; they end in \.json"):
        next(LabelMeScenes(str(tmp_path)).scan())
    with pytest.raises(UsageError, match="gone, does not exist"):
        next(LabelMeScenes(str(tmp_path / "gone")).scan())
    with pytest.raises(UsageError, match=r"The folder of photos, .*gone, does not exist"):
        next(LabelMeScenes(str(tmp_path), str(tmp_path / "gone")).scan())
