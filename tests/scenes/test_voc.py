from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageFile

from anamorph.errors import UsageError
from anamorph.model import Box, Scene, Skip
from anamorph.pixels.masks import mask_pixels
from anamorph.scenes.voc import VocScenes

SavePhoto = Callable[..., Path]


def object_xml(name: str = "dog", box: tuple[object, ...] = (2, 3, 5, 6), extra: str = "") -> str:
    sides = "".join(
        f"<{side}>{value}</{side}>" for side, value in zip(("xmin", "ymin", "xmax", "ymax"), box, strict=True)
    )
    return f"<object><name>{name}</name>{extra}<bndbox>{sides}</bndbox></object>"


class World:
    """A VOC folder whose photos are 8 x 6."""

    def __init__(self, root: Path, save_photo: SavePhoto) -> None:
        self.root = root
        self.save_photo = save_photo
        for folder in ("Annotations", "JPEGImages"):
            (root / folder).mkdir()

    def add(
        self, id_: str, *objects: str, filename: str | None = None, size: str = "<width>8</width><height>6</height>"
    ) -> None:
        self.save_photo(self.root / "JPEGImages" / f"{id_}.jpg")
        name = f"{id_}.jpg" if filename is None else filename
        self.write(id_, f"<annotation><filename>{name}</filename><size>{size}</size>{''.join(objects)}</annotation>")

    def write(self, id_: str, xml: str) -> None:
        (self.root / "Annotations" / f"{id_}.xml").write_text(xml)

    def add_map(self, id_: str, values: list[list[int]]) -> None:
        folder = self.root / "SegmentationObject"
        folder.mkdir(exist_ok=True)
        image = Image.fromarray(np.array(values, dtype=np.uint8), mode=None).convert("L")
        image = Image.frombytes("P", image.size, image.tobytes())
        image.putpalette([value for index in range(256) for value in (index, index, index)])
        image.save(folder / f"{id_}.png")

    def scan(self, split: str | None = None) -> tuple[dict[str, Scene], dict[str, str]]:
        found = list(VocScenes(str(self.root), split).scan())
        scenes = {scene.id: scene for scene in found if isinstance(scene, Scene)}
        skips = {skip.what: skip.reason for skip in found if isinstance(skip, Skip)}
        assert len(scenes) + len(skips) == len(found)
        return scenes, skips


@pytest.fixture
def world(tmp_path: Path, save_photo: SavePhoto) -> World:
    return World(tmp_path, save_photo)


def test_boxes_are_counted_from_zero_and_their_last_pixel_is_included(world: World) -> None:
    world.add("b", object_xml(box=(1, 1, 8, 6)), object_xml("cat", ("2.5", 3, 5, 6)))
    world.add("a")
    scenes, skips = world.scan()
    assert not skips
    assert list(scenes) == ["a", "b"]
    dog, cat = scenes["b"].things
    assert (dog.id, dog.label, dog.box, dog.mask) == ("1", "dog", Box(0, 0, 8, 6), None)
    assert (cat.id, cat.label, cat.box) == ("2", "cat", Box(1.5, 2, 3.5, 4))
    assert scenes["b"].labels == ("cat", "dog")
    assert (scenes["b"].picture, scenes["b"].width, scenes["b"].height) == ("b.jpg", 8, 6)


def test_flags_and_pose_are_attributes(world: World) -> None:
    flags = "<pose>Left</pose><truncated>1</truncated><occluded>1</occluded><difficult>1</difficult>"
    none = "<pose>Unspecified</pose><truncated>0</truncated><difficult>0</difficult>"
    world.add("a", object_xml(extra=flags), object_xml(extra=none))
    first, second = world.scan()[0]["a"].things
    assert first.attributes == ("difficult", "truncated", "occluded", "pose=Left")
    assert second.attributes == ()


def test_parts_of_an_object_are_not_taken_for_it(world: World) -> None:
    part = "<part><name>head</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax><ymax>2</ymax></bndbox></part>"
    world.add("a", object_xml("person", extra=part))
    (person,) = world.scan()[0]["a"].things
    assert (person.label, person.box) == ("person", Box(1, 2, 4, 4))


def test_masks_are_matched_to_objects_by_their_order(world: World) -> None:
    world.add("a", object_xml("dog"), object_xml("cat"))
    values = [[0] * 8 for _ in range(6)]
    values[2][1:4], values[3][5:7], values[4] = [2, 2, 2], [1, 1], [255] * 8
    world.add_map("a", values)
    world.add("b", object_xml())
    scenes, skips = world.scan()
    assert not skips
    dog, cat = scenes["a"].things
    assert dog.mask is not None and cat.mask is not None
    assert np.array_equal(mask_pixels(dog.mask), np.array(values) == 1)
    assert np.array_equal(mask_pixels(cat.mask), np.array(values) == 2)
    assert scenes["b"].things[0].mask is None


def test_an_object_that_the_map_does_not_draw_keeps_its_box(world: World) -> None:
    world.add("a", object_xml("dog"), object_xml("cat"))
    world.add_map("a", [[1] * 8] * 6)
    scenes, skips = world.scan()
    assert [thing.mask is None for thing in scenes["a"].things] == [False, True]
    assert "No pixel has the value 2" in skips["SegmentationObject/a.png: object 2"]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([[1] * 8] * 5, "is 8 x 5, but the photo is 8 x 6"),
        ([[3] * 8] * 6, "draws object 3, but the annotation lists 1 objects"),
    ],
)
def test_a_map_that_does_not_fit_is_skipped_and_the_boxes_are_kept(
    world: World, values: list[list[int]], reason: str
) -> None:
    world.add("a", object_xml())
    world.add_map("a", values)
    scenes, skips = world.scan()
    assert scenes["a"].things[0].mask is None
    assert reason in skips["SegmentationObject/a.png"]


def test_void_pixels_are_never_an_object(world: World) -> None:
    world.add("a", *(object_xml() for _ in range(256)))
    world.add_map("a", [[255] * 8] * 6)
    scenes, skips = world.scan()
    assert len(skips) == 256
    assert all(thing.mask is None for thing in scenes["a"].things)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("<object><name>dog</name></object>", "It has no <bndbox>"),
        (object_xml(""), "'name' should be a string"),
        (object_xml(box=(1, 1, 12, 6)), "sticks out of the 8 x 6 photo"),
        (object_xml(box=("one", 1, 2, 6)), "<xmin> should be a finite number, not 'one'"),
        (object_xml(box=(1, "nan", 2, 6)), "<ymin> should be a finite number, not 'nan'"),
        (object_xml(box=(1, 1, "1e999", 6)), "<xmax> should be a finite number"),
        (object_xml(box=(1, 1, 2, "")), "<ymax> should be a finite number, not None"),
    ],
)
def test_a_bad_object_is_skipped_by_number_and_the_rest_is_kept(world: World, bad: str, reason: str) -> None:
    world.add("a", bad, object_xml("cat"))
    scenes, skips = world.scan()
    assert [(thing.id, thing.label) for thing in scenes["a"].things] == [("2", "cat")]
    assert reason in skips["Annotations/a.xml: object 1"]


@pytest.mark.parametrize(
    ("filename", "reason"),
    [
        ("../Annotations/bad.xml", "does not lead to a file inside"),
        ("gone.jpg", "does not exist"),
        ("", "'filename' should be a string"),
    ],
)
def test_a_photo_that_cannot_be_used_is_skipped_by_its_annotation(world: World, filename: str, reason: str) -> None:
    world.add("good")
    world.add("bad", filename=filename)
    scenes, skips = world.scan()
    assert list(scenes) == ["good"]
    assert reason in skips["Annotations/bad.xml"]


def test_a_stated_size_that_disagrees_with_the_photo_is_a_skip_with_both(world: World) -> None:
    world.add("a", size="<width>6</width><height>8</height>")
    world.add("b", size="<width>wide</width><height>6</height>")
    world.add("c", size="")
    scenes, skips = world.scan()
    assert list(scenes) == ["c"]
    assert "is 8 x 6 when upright" in skips["Annotations/a.xml"] and "says 6 x 8" in skips["Annotations/a.xml"]
    assert "says 'wide' x 6" in skips["Annotations/b.xml"]


LAUGHS = """<!DOCTYPE annotation [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><annotation><filename>&c;</filename></annotation>"""


@pytest.mark.parametrize(
    ("xml", "reason"),
    [
        (LAUGHS, "It has a DOCTYPE"),
        ("<annotation>", "is not valid XML: no element found"),
        ("<annotations/>", "its root is not <annotation>"),
        ('<?xml version="1.0" encoding="klingon"?><annotation/>', "is not valid XML"),
        ("<annotation><filename>\x01</filename></annotation>", "is not valid XML"),
    ],
)
def test_xml_that_is_broken_or_dangerous_is_skipped_by_name(world: World, xml: str, reason: str) -> None:
    world.add("good")
    world.write("bad", xml)
    scenes, skips = world.scan()
    assert list(scenes) == ["good"]
    assert reason in skips["Annotations/bad.xml"]


def test_a_split_chooses_photos_in_its_own_order(world: World) -> None:
    for id_ in ("a", "b", "c", "d"):
        world.add(id_)
    (world.root / "ImageSets" / "Main").mkdir(parents=True)
    (world.root / "ImageSets" / "Main" / "val.txt").write_text("c\na\n\nc\ngone\n../JPEGImages/a\n")
    (world.root / "ImageSets" / "Main" / "dog_val.txt").write_text("a  1\nb -1\nc  0\n")
    scenes, skips = world.scan("val")
    assert list(scenes) == ["c", "a"]
    assert "more than once" in skips["ImageSets/Main/val.txt: c"]
    assert "does not exist" in skips["Annotations/gone.xml"]
    assert "does not lead to a file inside" in skips["Annotations/../JPEGImages/a.xml"]
    assert list(world.scan("dog_val")[0]) == ["a", "c"]


@pytest.mark.parametrize("split", ["gone", "../../secret", "empty"])
def test_a_split_that_cannot_be_read_is_a_usage_error(world: World, split: str) -> None:
    world.add("a")
    (world.root / "secret.txt").write_text("a")
    (world.root / "ImageSets" / "Main").mkdir(parents=True)
    (world.root / "ImageSets" / "Main" / "empty.txt").write_text("\n")
    with pytest.raises(UsageError, match=f"The split '{split}'"):
        world.scan(split)


def test_a_folder_that_is_not_voc_is_a_usage_error(tmp_path: Path, world: World) -> None:
    with pytest.raises(UsageError, match=r"has no annotation; annotations end in \.xml"):
        next(VocScenes(str(tmp_path)).scan())
    with pytest.raises(UsageError, match=r"The folder of VOC's annotations, .*Annotations, does not exist"):
        next(VocScenes(str(tmp_path / "JPEGImages")).scan())
    world.add("a")
    (tmp_path / "JPEGImages").rename(tmp_path / "Other")
    with pytest.raises(UsageError, match=r"The folder of VOC's photos, .*JPEGImages, does not exist"):
        next(VocScenes(str(tmp_path)).scan())


def test_scanning_decodes_no_photo_and_pixels_do(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.add("a", object_xml())
    with monkeypatch.context() as patch:
        patch.setattr(ImageFile.ImageFile, "load", lambda _: pytest.fail("a photo was decoded"))
        scene = world.scan()[0]["a"]
    assert VocScenes(str(world.root)).pixels(scene).shape == (6, 8, 3)


def test_the_photos_may_lie_on_another_disk_behind_a_link(
    world: World, tmp_path_factory: pytest.TempPathFactory
) -> None:
    world.add("a")
    disk = tmp_path_factory.mktemp("disk") / "photos"
    (world.root / "JPEGImages").rename(disk)
    (world.root / "JPEGImages").symlink_to(disk)
    scene = world.scan()[0]["a"]
    assert VocScenes(str(world.root)).pixels(scene).shape == (6, 8, 3)


def test_annotations_are_exhaustive_only_where_their_owner_says_so(world: World) -> None:
    world.add("a", object_xml())
    world.add("b", object_xml(), "<object><name>cat</name></object>")
    assert [scene.complete for scene in world.scan()[0].values()] == [None, None]
    declared = [scene for scene in VocScenes(str(world.root), exhaustive=True).scan() if isinstance(scene, Scene)]
    # Of the second photo, one object has no box and is left out.
    assert [scene.complete for scene in declared] == ["voc", None]


def test_objects_of_other_classes_cannot_be_declared_exhaustive(world: World) -> None:
    world.add("a", object_xml("stethoscope"))
    assert [scene.labels for scene in world.scan()[0].values()] == [("stethoscope",)]
    with pytest.raises(UsageError, match=r"a\.xml: exhaustive = true .*'stethoscope'.*Valid: aeroplane, bicycle"):
        list(VocScenes(str(world.root), exhaustive=True).scan())
