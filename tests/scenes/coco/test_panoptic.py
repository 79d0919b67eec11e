"""The ground of photos from panoptic PNGs and their JSON file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from anamorph.errors import UsageError
from anamorph.model import Scene, Skip, decode, encode
from anamorph.photos.scene_limits import TOO_MANY_OBJECTS
from anamorph.pixels.masks import mask_pixels
from anamorph.scenes.coco.source import CocoScenes

# Segments whose ids need one, two and three bytes, as published ones do.
SKY, GRASS, FAR_GRASS, CAT = 9, 3 + 7 * 256, 1 + 2 * 256 + 200 * 65536, 5 * 65536


def ids() -> npt.NDArray[np.uint32]:
    """Sky above, grass below, a cat in the middle, and a corner that nobody named."""
    made = np.full((6, 8), SKY, np.uint32)
    made[3:] = GRASS
    made[3:, 6:] = FAR_GRASS
    made[2:5, 2:4] = CAT
    made[0, 0] = 0
    return made


class World:
    """A photo of 8 x 6 with its instances and its panoptic files, named as they are published."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "images").mkdir()
        Image.new("RGB", (8, 6)).save(root / "images" / "000000000007.jpg")
        instances = {
            "images": [{"id": 7, "file_name": "000000000007.jpg", "width": 8, "height": 6}],
            "categories": [{"id": 17, "name": "cat"}],
            "annotations": [{"id": 1, "image_id": 7, "category_id": 17, "bbox": [2, 2, 2, 3], "iscrowd": 0}],
        }
        (root / "instances_val2017.json").write_text(json.dumps(instances))
        self.segments: list[Any] = [
            {"id": id, "category_id": category, "iscrowd": 0, "bbox": [0, 0, 8, 6], "area": 9}
            for id, category in ((SKY, 187), (GRASS, 193), (FAR_GRASS, 193), (CAT, 17))
        ]
        self.annotation: dict[str, Any] = {"image_id": 7, "file_name": "000000000007.png"}
        self.document: dict[str, Any] = {
            "info": {},
            "images": instances["images"],
            "categories": [
                {"id": 17, "name": "cat", "supercategory": "animal", "isthing": 1, "color": [255, 77, 255]},
                {"id": 187, "name": "sky-other-merged", "supercategory": "sky", "isthing": 0, "color": [70, 130, 180]},
                {"id": 193, "name": "grass-merged", "supercategory": "plant", "isthing": 0, "color": [152, 251, 152]},
            ],
        }
        self.maps = root / "panoptic_val2017"
        self.maps.mkdir()
        self.draw(ids())

    def draw(self, numbers: npt.NDArray[np.uint32]) -> None:
        levels = np.dstack([numbers % 256, numbers // 256 % 256, numbers // 65536]).astype(np.uint8)
        Image.fromarray(levels).save(self.maps / "000000000007.png")

    def source(self, **changes: Any) -> CocoScenes:
        annotation = {"segments_info": self.segments, **self.annotation}
        document = {"annotations": [annotation], **self.document}
        file = self.root / "panoptic_val2017.json"
        file.write_text(json.dumps(document))
        settings = {"panoptic": str(file), **changes}
        return CocoScenes(str(self.root / "instances_val2017.json"), str(self.root / "images"), **settings)

    def scan(self, **changes: Any) -> tuple[Scene, list[str]]:
        found = list(self.source(**changes).scan())
        (scene,) = [each for each in found if isinstance(each, Scene)]
        return scene, [each.reason for each in found if isinstance(each, Skip)]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_every_class_of_ground_has_one_mask_and_objects_have_none(world: World) -> None:
    scene, skips = world.scan()
    assert skips == [] and [each.label for each in scene.stuff] == ["sky-other-merged", "grass-merged"]
    sky, grass = (mask_pixels(each.mask) for each in scene.stuff)
    assert (sky == (ids() == SKY)).all()
    assert (grass == ((ids() == GRASS) | (ids() == FAR_GRASS))).all()
    assert [thing.label for thing in scene.things] == ["cat"] and scene.labels == ("cat",)
    assert decode(Scene, encode(scene)) == scene


def test_without_panoptic_files_nothing_changes(world: World) -> None:
    scene, skips = world.scan(panoptic=None)
    assert scene.stuff == () and skips == [] and "stuff" not in encode(scene)


def test_the_pngs_may_be_in_another_folder(world: World, tmp_path: Path) -> None:
    world.maps.rename(tmp_path / "elsewhere")
    scene, _ = world.scan(panoptic_maps=str(tmp_path / "elsewhere"))
    assert len(scene.stuff) == 2
    with pytest.raises(UsageError, match="panoptic_val2017"):
        world.scan()
    with pytest.raises(UsageError, match="'panoptic_maps' needs 'panoptic'"):
        world.scan(panoptic=None, panoptic_maps=str(tmp_path / "elsewhere"))


def test_a_photo_without_a_map_has_no_ground(world: World) -> None:
    world.annotation["image_id"] = 8
    assert world.scan() == (world.scan(panoptic=None)[0], [])


@pytest.mark.parametrize(
    ("segments", "reason"),
    [
        ("none", "'segments_info' should be a list."),
        ([7], "A segment should be an object"),
        ([{"id": 0, "category_id": 187}], "should be from 1 to 16777215, not 0"),
        ([{"id": 2**24, "category_id": 187}], "should be from 1 to 16777215"),
        ([{"id": -1, "category_id": 187}], "should be from 1 to 16777215"),
        ([{"id": True, "category_id": 187}], "should be from 1 to 16777215"),
        ([{"id": "9", "category_id": 187}], "should be from 1 to 16777215"),
        ([{"id": 9}], "The key 'category_id' is missing."),
        ([{"id": number, "category_id": 187} for number in range(1, 1200)], TOO_MANY_OBJECTS),
    ],
)
def test_bad_segments_cost_the_ground_and_not_the_scene(world: World, segments: Any, reason: str) -> None:
    world.segments = segments
    scene, (skip,) = world.scan()
    assert scene.stuff == () and scene.things
    assert skip.startswith("The scene has no ground from it: ") and reason in skip


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../instances_val2017.json", "does not lead to a file inside"),
        ("missing.png", "does not exist"),
        (7, "'file_name' should be a string"),
    ],
)
def test_a_map_is_a_file_of_its_folder(world: World, name: Any, reason: str) -> None:
    world.annotation["file_name"] = name
    scene, (skip,) = world.scan()
    assert scene.stuff == () and reason in skip


@pytest.mark.parametrize(
    ("picture", "reason"),
    [
        (Image.new("L", (8, 6)), "a PNG with pixels of mode L; a panoptic map is a PNG of mode RGB"),
        (Image.new("RGB", (6, 8)), "is 6 x 8, but the photo is 8 x 6 when upright"),
    ],
)
def test_a_map_of_another_form_is_refused(world: World, picture: Image.Image, reason: str) -> None:
    picture.save(world.maps / "000000000007.png")
    scene, (skip,) = world.scan()
    assert scene.stuff == () and reason in skip


def test_a_map_that_was_compressed_with_loss_is_refused(world: World) -> None:
    Image.new("RGB", (8, 6)).save(world.maps / "000000000007.png", "JPEG")
    _, (skip,) = world.scan()
    assert "is a JPEG with pixels of mode RGB" in skip


def test_bad_entries_are_named_and_the_others_count(world: World) -> None:
    world.document["categories"] += [
        {"id": 187, "name": "again", "isthing": 0},
        {"id": 5, "name": "x", "isthing": 2},
        3,
    ]
    scene, skips = world.scan()
    assert len(scene.stuff) == 2 and len(skips) == 3
    assert any("same id" in skip for skip in skips) and any(
        "'isthing' should be 0 or 1, not 2" in skip for skip in skips
    )


def test_another_json_file_is_named(world: World) -> None:
    file = world.root / "list.json"
    file.write_text("[]")
    with pytest.raises(UsageError, match="is not a panoptic COCO file"):
        world.scan(panoptic=str(file))
