from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageFile

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Box, Scene, Skip
from anamorph.pixels.masks import mask_from_pixels, mask_pixels
from anamorph.reading.labels import label_space
from anamorph.scenes.coco.source import CocoScenes

SavePhoto = Callable[..., Path]
SQUARE = [[1, 1, 4, 1, 4, 4, 1, 4]]


def annotation(id_: Any = 1, **changes: Any) -> dict[str, Any]:
    entry = {"id": id_, "image_id": 7, "category_id": 3, "bbox": [1, 1, 3, 3], "segmentation": SQUARE, "iscrowd": 0}
    return {key: value for key, value in {**entry, **changes}.items() if value is not ...}


class World:
    """A folder with one 8 x 6 photo and a COCO file about it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.document: dict[str, Any] = {
            "images": [{"id": 7, "file_name": "a.png", "width": 8, "height": 6}],
            "categories": [{"id": 3, "name": "cat"}, {"id": 9, "name": "ant"}],
            "annotations": [],
        }
        self.captions: dict[str, Any] | None = None

    def source(self, exhaustive: bool = False) -> CocoScenes:
        (self.root / "instances.json").write_text(json.dumps(self.document))
        captions = None
        if self.captions is not None:
            (self.root / "captions.json").write_text(json.dumps(self.captions))
            captions = str(self.root / "captions.json")
        instances, images = str(self.root / "instances.json"), str(self.root / "images")
        return CocoScenes(instances, images, captions, exhaustive=exhaustive)

    def scan(self) -> tuple[list[Scene], dict[str, str]]:
        """The scenes, and the reasons of the skips by what was skipped."""
        found = list(self.source().scan())
        skips = {Path(skip.what).name: skip.reason for skip in found if isinstance(skip, Skip)}
        scenes = [scene for scene in found if isinstance(scene, Scene)]
        assert len(scenes) + len(skips) == len(found)
        return scenes, skips

    def scan_with(self, *annotations: Any) -> tuple[Scene, dict[str, str]]:
        self.document["annotations"] = list(annotations)
        (scene,), skips = self.scan()
        return scene, skips


@pytest.fixture
def world(tmp_path: Path, save_photo: SavePhoto) -> World:
    save_photo(tmp_path / "images" / "a.png", 8, 6)
    return World(tmp_path)


def test_objects_come_with_class_box_and_mask(world: World) -> None:
    scene, skips = world.scan_with(annotation(5), annotation(2, category_id=9, bbox=[0.5, 0, 2, 6]))
    assert not skips
    assert (scene.id, scene.picture, scene.width, scene.height) == ("7", "a.png", 8, 6)
    cat, ant = scene.things
    assert (cat.id, cat.label, cat.box, cat.crowd) == ("5", "cat", Box(1, 1, 3, 3), False)
    assert (ant.id, ant.label, ant.box) == ("2", "ant", Box(0.5, 0, 2, 6))
    assert scene.labels == ("ant", "cat")
    assert cat.mask is not None
    expected = np.zeros((6, 8), dtype=np.bool_)
    expected[1:4, 1:4] = True
    assert np.array_equal(mask_pixels(cat.mask), expected)


def test_crowds_may_be_run_lengths_of_either_form_and_are_no_labels(world: World) -> None:
    pixels = np.zeros((6, 8), dtype=np.bool_)
    pixels[:, 2:4] = True
    listed = {"size": [6, 8], "counts": [12, 12, 24]}
    packed = {"size": [6, 8], "counts": mask_from_pixels(pixels).counts}
    scene, skips = world.scan_with(
        annotation(1, iscrowd=1, segmentation=listed), annotation(2, category_id=9, iscrowd=0, segmentation=packed)
    )
    assert not skips
    for thing in scene.things:
        assert thing.mask is not None
        assert np.array_equal(mask_pixels(thing.mask), pixels)
    assert [thing.crowd for thing in scene.things] == [True, False]
    assert scene.labels == ("ant",)


@pytest.mark.parametrize("bbox", [..., None, [], [1, 1, 0, 0]])
def test_a_box_that_is_missing_or_flat_is_taken_from_the_mask(world: World, bbox: Any) -> None:
    scene, skips = world.scan_with(annotation(bbox=bbox))
    assert not skips
    assert scene.things[0].box == Box(1, 1, 3, 3)


@pytest.mark.parametrize("segmentation", [..., None, []])
def test_an_object_without_an_outline_has_a_box_and_no_mask(world: World, segmentation: Any) -> None:
    scene, skips = world.scan_with(annotation(segmentation=segmentation))
    assert not skips
    assert scene.things[0].mask is None
    assert scene.things[0].box == Box(1, 1, 3, 3)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"category_id": ...}, "The key 'category_id' is missing"),
        ({"category_id": 77}, "category 77 is not among"),
        ({"category_id": [3]}, "'category_id' should be a whole number or a string, not a list of 1"),
        ({"bbox": ..., "segmentation": ...}, "neither a 'bbox' nor a 'segmentation'"),
        ({"bbox": [1, 2, 3]}, "'bbox' should be a list of 4 numbers"),
        ({"bbox": [1, 2, 3, "4"]}, "finite number, not '4'"),
        ({"bbox": [1, 2, 3, float("nan")]}, "finite number, not nan"),
        ({"bbox": [1, 2, 3, float("inf")]}, "finite number, not inf"),
        ({"bbox": [1, 2, 3, 10**400]}, "too large"),
        ({"bbox": [5, 2, 6, 2]}, r"The box \(5, 2, 6, 2\) .* sticks out of the 8 x 6 photo"),
        ({"segmentation": [[1, 1, 4, 1, 4, 1e7]]}, "out of the 8 x 6 photo"),
        ({"segmentation": 5}, "list of polygons or run lengths"),
        ({"segmentation": {"size": [6, 8], "counts": "!!"}}, "malformed"),
        ({"iscrowd": 2}, "'iscrowd' should be 0 or 1"),
    ],
)
def test_a_bad_annotation_is_skipped_by_id_and_the_rest_of_the_photo_is_kept(
    world: World, changes: dict[str, Any], reason: str
) -> None:
    scene, skips = world.scan_with(annotation(1, **changes), annotation(2))
    assert [thing.id for thing in scene.things] == ["2"]
    assert list(skips) == ["instances.json: annotation 1"]
    with pytest.raises(AssertionError, match=rf"Image 7: .*{reason}"):
        raise AssertionError(*skips.values())


def test_an_annotation_without_an_id_or_with_a_used_one_is_skipped(world: World) -> None:
    scene, skips = world.scan_with(annotation(1), annotation(1), annotation(...))
    assert len(scene.things) == 1
    assert "has the same id" in skips["instances.json: annotation 1"]
    assert "The key 'id' is missing" in skips["instances.json: annotation without an id"]


def test_annotations_about_no_known_image_are_counted(world: World) -> None:
    scene, skips = world.scan_with(
        annotation(1, image_id=8), annotation(2, image_id=8), annotation(3, image_id=...), "junk"
    )
    assert scene.things == ()
    assert "2 of its annotations are about 1 images" in skips["instances.json"]
    assert "The key 'image_id' is missing" in skips["instances.json: annotation 3"]
    assert "should be an object with keys" in skips["instances.json: annotations[3]"]


def test_captions_come_from_their_own_file_in_its_order(world: World) -> None:
    world.captions = {
        "annotations": [
            {"id": 1, "image_id": 7, "caption": " Two cats. \n"},
            {"id": 2, "image_id": 7, "caption": "A cat."},
            {"id": 3, "image_id": 7, "caption": ""},
            {"id": 4, "image_id": 7},
            {"id": 5, "image_id": 8, "caption": "Elsewhere."},
            {"id": 6, "image_id": 7, "caption": "\ud800"},
        ]
    }
    scene, skips = world.scan_with(annotation())
    assert scene.captions == ("Two cats.", "A cat.")
    assert len(scene.things) == 1
    assert "'caption' should be a string" in skips["captions.json: annotation 3"]
    assert "'caption' is missing" in skips["captions.json: annotation 4"]
    assert "lone surrogate" in skips["captions.json: annotation 6"]
    assert "1 of its annotations are about 1 images" in skips["captions.json"]


def test_a_file_with_captions_alone_will_do(world: World) -> None:
    del world.document["categories"]
    scene, skips = world.scan_with({"id": 1, "image_id": 7, "caption": "A cat."})
    assert not skips
    assert (scene.captions, scene.things, scene.labels) == (("A cat.",), (), ())


def test_a_caption_of_one_object_is_not_taken_for_one_of_the_photo(world: World) -> None:
    scene, skips = world.scan_with(annotation(caption="The cat on the left."))
    assert not skips
    assert (scene.captions, [thing.label for thing in scene.things]) == ((), ["cat"])


def test_a_file_that_lists_images_alone_will_do(world: World) -> None:
    world.document = {"images": [{"id": "seven", "file_name": "a.png"}]}
    (scene,), skips = world.scan()
    assert not skips
    assert scene.id == "seven"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"file_name": "gone.png"}, r"gone\.png does not exist"),
        ({"file_name": "../instances.json"}, r"'\.\./instances\.json' does not lead to a file inside"),
        ({"file_name": None}, "'file_name' is missing"),
        ({"file_name": 5}, "'file_name' should be a string"),
        ({"file_name": "broken.png"}, r"broken\.png is not an image"),
        ({"width": 9}, "is 8 x 6 when upright, but its annotation says 9 x 6"),
        ({"height": "6"}, "its annotation says 8 x '6'"),
        (
            {"file_name": "turned.jpg", "width": 6, "height": 8},
            r"is 8 x 6 when upright \(turned by its EXIF orientation\)",
        ),
    ],
)
def test_a_photo_that_cannot_be_used_is_skipped_by_id(
    world: World, save_photo: SavePhoto, changes: dict[str, Any], reason: str
) -> None:
    (world.root / "images" / "broken.png").write_text("no picture")
    exif = Image.Exif()
    exif[0x0112] = 6
    save_photo(world.root / "images" / "turned.jpg", 6, 8, exif=exif)
    world.document["images"][0] |= changes
    world.document["images"].append({"id": 8, "file_name": "a.png"})
    world.document["annotations"] = [annotation(1), annotation(2)]
    (scene,), skips = world.scan()
    assert scene.id == "8"
    assert list(skips) == ["instances.json: image 7"]
    with pytest.raises(AssertionError, match=rf"{reason}.*Its annotations \(2\) go with it"):
        raise AssertionError(*skips.values())


def test_images_and_categories_that_make_no_sense_are_skipped_by_position(world: World) -> None:
    world.document["images"] += ["junk", {"file_name": "a.png"}, {"id": True}, {"id": 7, "file_name": "a.png"}]
    world.document["categories"] += [{"id": 3, "name": "dog"}, {"id": 4}, 5]
    (scene,), skips = world.scan()
    assert scene.id == "7"
    assert set(skips) == {
        *(f"instances.json: images[{position}]" for position in (1, 2, 3)),
        "instances.json: image 7",
        *(f"instances.json: categories[{position}]" for position in (2, 3, 4)),
    }


def test_malformed_json_is_a_usage_error_with_line_and_column(world: World) -> None:
    source = world.source()
    Path(source.instances).write_text('{"images": [\n  {"id": 7,}]}')
    with pytest.raises(
        UsageError, match=r"instances\.json is not valid JSON at line 2, column 1[12]"
    ):  # 3.14 counts from the comma
        next(source.scan())


@pytest.mark.parametrize(
    "document", ["[]", "5", '{"images": {}}', '{"images": [], "annotations": {}}', '{"images": [], "categories": 5}']
)
def test_json_that_is_not_coco_is_a_usage_error(world: World, document: str) -> None:
    source = world.source()
    Path(source.instances).write_text(document)
    with pytest.raises(UsageError, match=r"instances\.json is not a COCO file"):
        list(source.scan())


def test_missing_files_and_folders_are_usage_errors(tmp_path: Path, world: World) -> None:
    source = world.source()
    for broken in (
        CocoScenes(str(tmp_path / "gone.json"), source.images),
        CocoScenes(source.instances, str(tmp_path / "gone")),
        CocoScenes(source.instances, source.images, str(tmp_path / "gone.json")),
    ):
        with pytest.raises(UsageError, match=r"gone.* does not exist"):
            next(broken.scan())


def test_the_origin_tells_licence_and_addresses(world: World) -> None:
    world.document["licenses"] = [{"id": 4, "name": "Attribution", "url": "http://licence"}, "junk", {"id": 5}]
    world.document["images"][0] |= {"license": 4, "flickr_url": "http://flickr", "coco_url": "http://coco"}
    (scene,), _ = world.scan()
    assert scene.origin == {
        "licence": "Attribution",
        "licence_url": "http://licence",
        "flickr_url": "http://flickr",
        "coco_url": "http://coco",
    }


def test_scanning_is_lazy_and_decodes_no_photo(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ImageFile.ImageFile, "load", lambda _: pytest.fail("a photo was decoded"))
    encoded: list[object] = []
    monkeypatch.setattr("anamorph.scenes.coco.source.polygons_mask", lambda *_: encoded.append(1))
    world.document["images"].append({"id": 8, "file_name": "a.png"})
    world.document["annotations"] = [annotation(1), annotation(2, image_id=8)]
    scenes = world.source().scan()
    next(scenes)
    assert len(encoded) == 1


def test_pixels_come_from_the_folder_of_photos(world: World) -> None:
    source = world.source()
    (scene,) = source.scan()
    assert isinstance(scene, Scene)
    assert source.pixels(scene).shape == (6, 8, 3)
    with pytest.raises(BadPicture, match="does not lead to a file inside"):
        source.pixels(Scene("7", "../instances.json", 8, 6))


def test_a_photo_may_lie_in_a_folder_inside(world: World, save_photo: SavePhoto) -> None:
    save_photo(world.root / "images" / "val" / "b.png")
    world.document["images"][0]["file_name"] = "./val/b.png"
    (scene,), _ = world.scan()
    assert scene.picture == "val/b.png"
    assert world.source().pixels(scene).shape == (6, 8, 3)


def with_classes_of(world: World, *spaces: str) -> World:
    names = dict.fromkeys(name for space in spaces for name in label_space(space).names)
    world.document["categories"] = [{"id": id_, "name": name} for id_, name in enumerate(names, start=1)]
    return world


def complete(world: World, *annotations: Any, exhaustive: bool = True) -> list[str | None]:
    world.document["annotations"] = list(annotations)
    return [scene.complete for scene in world.source(exhaustive).scan() if isinstance(scene, Scene)]


def test_annotations_are_exhaustive_only_where_their_owner_says_so(world: World) -> None:
    with_classes_of(world, "coco")
    assert complete(world, annotation(), exhaustive=False) == [None]
    assert complete(world, annotation()) == ["coco"]
    assert complete(with_classes_of(world, "voc"), annotation()) == ["voc"]


def test_other_categories_beside_those_of_a_label_space_do_no_harm(world: World) -> None:
    assert complete(with_classes_of(world, "coco", "coco-stuff"), annotation()) == ["coco"]


def test_a_file_without_the_classes_of_a_label_space_cannot_be_exhaustive(world: World) -> None:
    with pytest.raises(UsageError) as refused:
        list(world.source(exhaustive=True).scan())
    message = str(refused.value)
    assert str(world.root / "instances.json") in message
    assert "coco (80; it lacks person, bicycle, car and 76 more)" in message
    assert "voc (20; it lacks aeroplane, bicycle, bird and 16 more)" in message


def test_a_photo_with_an_object_that_cannot_be_read_is_not_exhaustive(world: World) -> None:
    with_classes_of(world, "coco")
    world.document["images"].append({"id": 8, "file_name": "a.png"})
    assert complete(world, annotation(1), annotation(2, image_id=8, bbox=[1, 2, 3])) == ["coco", None]


def test_a_caption_that_cannot_be_read_leaves_the_objects_exhaustive(world: World) -> None:
    with_classes_of(world, "coco")
    world.captions = {"annotations": [{"id": 1, "image_id": 7, "caption": 5}]}
    assert complete(world, annotation()) == ["coco"]
