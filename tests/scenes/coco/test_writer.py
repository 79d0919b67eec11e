from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anamorph.model import Box, Scene, Thing
from anamorph.pixels.masks import mask_from_pixels
from anamorph.scenes.coco import writer
from anamorph.scenes.coco.source import CocoScenes
from anamorph.scenes.coco.writer import CocoCategory, CocoFile


def square() -> Thing:
    pixels = np.zeros((20, 30), dtype=bool)
    pixels[5:10, 5:15] = True
    return Thing("1", "dog", Box(5, 5, 10, 5), mask_from_pixels(pixels))


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    Image.new("RGB", (30, 20)).save(tmp_path / "a.png")
    crowd = Thing("2", "person", Box(1, 2, 3, 4), crowd=True)
    with (
        CocoFile(tmp_path / "instances.json", "Two objects") as instances,
        CocoFile(tmp_path / "captions.json", "A caption") as captions,
    ):
        for file in (instances, captions):
            file.add_image(7, "a.png", width=30, height=20)
        for thing in (square(), crowd):
            instances.add_thing(7, thing)
        captions.add_caption(7, "ein Hund, \u72ac")
    files = (str(tmp_path / "instances.json"), str(tmp_path), str(tmp_path / "captions.json"))
    (scene,) = CocoScenes(*files).scan()
    assert isinstance(scene, Scene)
    assert (scene.id, scene.captions) == ("7", ("ein Hund, \u72ac",))
    assert [(t.id, t.label, t.box, t.mask, t.crowd) for t in scene.things] == [
        (t.id, t.label, t.box, t.mask, t.crowd) for t in (square(), crowd)
    ]


def test_facts_come_along_and_known_categories_keep_their_numbers(tmp_path: Path) -> None:
    categories = [CocoCategory(18, "dog", "animal"), CocoCategory(1, "person", "person")]
    with CocoFile(tmp_path / "f.json", "x", categories) as file:
        file.add_image(1, "a.png", scene="s")
        file.add_thing(1, square(), id=99, attributes=["red"])
    written = json.loads((tmp_path / "f.json").read_text())
    (note,) = written["annotations"]
    assert (note["id"], note["category_id"], note["attributes"], note["area"]) == (99, 18, ["red"], 50)
    assert written["images"] == [{"id": 1, "file_name": "a.png", "scene": "s"}]
    assert [each["id"] for each in written["categories"]] == [18, 1]


def test_annotations_that_do_not_fit_into_memory_wait_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "_IN_MEMORY_BYTES", 100)
    with CocoFile(tmp_path / "f.json", "x") as file:
        for number in range(50):
            file.add_caption(number, "half an emoji \ud83d")
            file.add_image(number, f"{number}.png")
    written = json.loads((tmp_path / "f.json").read_text())
    assert [each["image_id"] for each in written["annotations"]] == list(range(50))
    assert [each["id"] for each in written["images"]] == list(range(50))
    assert [path.name for path in tmp_path.iterdir()] == ["f.json"]


def test_a_file_without_records_is_valid_and_one_after_an_error_is_not(tmp_path: Path) -> None:
    with CocoFile(tmp_path / "empty.json", "x"):
        pass
    empty = {"info": {"description": "x"}, "images": [], "annotations": []}
    assert json.loads((tmp_path / "empty.json").read_text()) == empty
    with pytest.raises(RuntimeError), CocoFile(tmp_path / "cut.json", "x"):
        raise RuntimeError
    with pytest.raises(ValueError):
        json.loads((tmp_path / "cut.json").read_text())
