"""The ground of photos from COCO-Stuff's pixel maps."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from anamorph.errors import UsageError
from anamorph.model import Pixels, Scene, Skip, decode, encode
from anamorph.pixels.masks import mask_pixels
from anamorph.scenes.coco.source import CocoScenes
from anamorph.scenes.coco.stuff import _names

CAT, GRASS, SKY, UNKNOWN = 16, 123, 156, 255


def ids() -> Pixels:
    """Sky above, grass below, a cat in the middle, and a corner that nobody named."""
    made = np.full((6, 8), SKY, np.uint8)
    made[3:] = GRASS
    made[2:5, 2:4] = CAT
    made[0, 0] = UNKNOWN
    return made


class World:
    """A photo of 8 x 6 in a folder of its own, with its instances and its map, named as they are published."""

    def __init__(self, root: Path) -> None:
        self.root, self.photo = root, "000000000007.jpg"
        (root / "images").mkdir()
        Image.new("RGB", (8, 6)).save(root / "images" / self.photo)
        self.folder = root / "stuffthingmaps_trainval2017" / "val2017"
        self.folder.mkdir(parents=True)
        self.map = self.folder / "000000000007.png"
        Image.fromarray(ids()).save(self.map)

    def scan(self, **changes: Any) -> tuple[Scene, list[str]]:
        instances = {
            "images": [{"id": 7, "file_name": self.photo, "width": 8, "height": 6}],
            "categories": [{"id": 17, "name": "cat"}],
            "annotations": [{"id": 1, "image_id": 7, "category_id": 17, "bbox": [2, 2, 2, 3], "iscrowd": 0}],
        }
        file = self.root / "instances_val2017.json"
        file.write_text(json.dumps(instances))
        settings = {"stuff": str(self.folder), **changes}
        found = list(CocoScenes(str(file), str(self.root / "images"), **settings).scan())
        (scene,) = [each for each in found if isinstance(each, Scene)]
        return scene, [each.reason for each in found if isinstance(each, Skip)]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_values_are_ids_less_one_in_the_order_of_the_alphabet() -> None:
    names = _names()
    assert list(names) == list(range(91, 182))
    published = {91: "banner", 95: "building-other", 123: "grass", 148: "road", 156: "sky-other", 181: "wood"}
    assert {value: names[value] for value in published} == published


def test_every_class_of_ground_has_one_mask_and_objects_have_none(world: World) -> None:
    scene, skips = world.scan()
    assert skips == [] and [each.label for each in scene.stuff] == ["grass", "sky-other"]
    grass, sky = (mask_pixels(each.mask) for each in scene.stuff)
    assert (sky == (ids() == SKY)).all() and (grass == (ids() == GRASS)).all()
    assert [thing.label for thing in scene.things] == ["cat"] and scene.labels == ("cat",)
    assert decode(Scene, encode(scene)) == scene


def test_a_map_with_a_palette_says_the_same(world: World) -> None:
    image = Image.fromarray(ids())
    image.putpalette([level for value in range(256) for level in (value, 0, 255 - value)])
    assert image.mode == "P"
    plain, _ = world.scan()
    image.save(world.map)
    assert world.scan() == (plain, [])


def test_a_photo_in_a_folder_has_its_map_in_a_folder_of_the_same_name(world: World) -> None:
    world.photo = "far/away/a.photo.jpg"
    for root, name in ((world.root / "images", world.photo), (world.folder, "far/away/a.photo.png")):
        (root / name).parent.mkdir(parents=True)
        Image.fromarray(ids()).save(root / name)
    assert len(world.scan()[0].stuff) == 2


def test_without_a_folder_nothing_changes_and_a_missing_one_is_named(world: World) -> None:
    scene, skips = world.scan(stuff=None)
    assert scene.stuff == () and skips == [] and "stuff" not in encode(scene)
    with pytest.raises(UsageError, match="nowhere"):
        world.scan(stuff=str(world.root / "nowhere"))


def test_only_one_kind_of_maps_may_be_named(world: World) -> None:
    with pytest.raises(UsageError, match="'panoptic' and 'stuff' both define the ground: set only one of them"):
        world.scan(panoptic="panoptic_val2017.json")


def test_a_photo_without_a_map_costs_the_ground_and_not_the_scene(world: World) -> None:
    world.map.unlink()
    scene, (skip,) = world.scan()
    assert scene.stuff == () and scene.things
    assert skip.startswith("The scene has no ground from it: ") and "does not exist" in skip


def test_a_map_of_objects_alone_gives_no_ground(world: World) -> None:
    Image.fromarray(np.full((6, 8), CAT, np.uint8)).save(world.map)
    assert world.scan() == (world.scan(stuff=None)[0], [])


@pytest.mark.parametrize(
    ("picture", "reason"),
    [
        (Image.new("RGB", (8, 6)), "is a PNG with pixels of mode RGB; a class map is a PNG with one 8-bit channel"),
        (Image.new("I;16", (8, 6)), "is a PNG with pixels of mode I;16"),
        (Image.new("1", (8, 6)), "is a PNG with pixels of mode 1"),
        (Image.new("L", (6, 8)), "is 6 x 8, but the photo is 8 x 6 when upright"),
        (Image.new("L", (8, 6), 182), "has pixels of the value 182; valid are 0 to 181, and 255."),
        (Image.new("L", (8, 6), 254), "has pixels of the value 254"),
    ],
)
def test_a_map_of_another_form_is_refused(world: World, picture: Image.Image, reason: str) -> None:
    picture.save(world.map)
    scene, (skip,) = world.scan()
    assert scene.stuff == () and reason in skip


def test_a_map_that_was_compressed_with_loss_is_refused(world: World) -> None:
    Image.fromarray(ids()).save(world.map, "JPEG")
    _, (skip,) = world.scan()
    assert "is a JPEG with pixels of mode L" in skip


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n", b"no picture", "cut"])
def test_a_damaged_map_costs_the_ground_and_not_the_scene(world: World, content: bytes | str) -> None:
    world.map.write_bytes(world.map.read_bytes()[:-30] if isinstance(content, str) else content)
    scene, (skip,) = world.scan()
    assert scene.stuff == () and scene.things and "000000000007.png" in skip


def test_a_map_that_claims_to_be_huge_is_refused_before_it_is_decoded(world: World) -> None:
    header = b"IHDR" + struct.pack(">IIBBBBB", 100_000, 100_000, 8, 0, 0, 0, 0)
    rows = b"IDAT" + zlib.compress(bytes(100))
    chunks = (struct.pack(">I", len(each) - 4) + each + struct.pack(">I", zlib.crc32(each)) for each in (header, rows))
    world.map.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))
    _, (skip,) = world.scan()
    assert "is 100000 x 100000, more than the limit of 100 megapixels" in skip


def test_a_map_is_a_file_of_its_folder(world: World) -> None:
    outside = world.root / "secret.png"
    world.map.rename(outside)
    world.map.symlink_to(outside)
    scene, (skip,) = world.scan()
    assert scene.stuff == () and "does not lead to a file inside" in skip


def test_many_classes_of_ground_on_a_large_photo_are_too_much(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anamorph.scenes.coco.stuff.MOST_PIXELS", 2 * 48 - 1)
    scene, (skip,) = world.scan()
    assert scene.stuff == () and "pixels" in skip
