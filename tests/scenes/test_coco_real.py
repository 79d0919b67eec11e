from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from anamorph.model import Scene
from anamorph.pixels.masks import mask_area
from anamorph.scenes.coco.source import CocoScenes


def test_the_real_set_agrees_with_its_own_file(real_photos: Path) -> None:
    paths = [str(real_photos / name) for name in ("instances.json", "images", "captions.json")]
    found = list(CocoScenes(paths[0], paths[1], paths[2]).scan())
    scenes = [scene for scene in found if isinstance(scene, Scene)]
    assert len(scenes) == len(found) == 62
    instances = json.loads((real_photos / "instances.json").read_text())
    captions = json.loads((real_photos / "captions.json").read_text())
    assert [scene.id for scene in scenes] == [str(image["id"]) for image in instances["images"]]
    names = {category["id"]: category["name"] for category in instances["categories"]}
    stated = {str(entry["id"]): entry for entry in instances["annotations"]}
    things = {thing.id: thing for scene in scenes for thing in scene.things}
    assert things.keys() == stated.keys()
    assert Counter(thing.label for thing in things.values()) == Counter(
        names[entry["category_id"]] for entry in stated.values()
    )
    assert sum(thing.crowd for thing in things.values()) == sum(entry["iscrowd"] for entry in stated.values()) > 0
    captioned = Counter((scene.id, caption) for scene in scenes for caption in scene.captions)
    assert captioned == Counter((str(entry["image_id"]), entry["caption"].strip()) for entry in captions["annotations"])
    assert all(scene.origin["licence"] and scene.origin["flickr_url"] for scene in scenes)


def test_the_real_masks_have_the_areas_that_their_file_states(real_photos: Path) -> None:
    stated = {
        str(entry["id"]): entry for entry in json.loads((real_photos / "instances.json").read_text())["annotations"]
    }
    total = 0
    for scene in CocoScenes(str(real_photos / "instances.json"), str(real_photos / "images")).scan():
        assert isinstance(scene, Scene)
        for thing in scene.things:
            assert thing.mask is not None
            area, entry = mask_area(thing.mask), stated[thing.id]
            if thing.crowd:
                # The areas that COCO states for crowds are not those of its own run lengths, so these are counted.
                assert area == sum(entry["segmentation"]["counts"][1::2])
            else:
                # The file states the polygon's exact area; pixels on its line fall to either side.
                assert abs(area - entry["area"]) <= 0.25 * 2 * (thing.box.width + thing.box.height)
            assert np.allclose((thing.box.x, thing.box.y, thing.box.width, thing.box.height), entry["bbox"], atol=1)
            total += area
    assert total == pytest.approx(sum(entry["area"] for entry in stated.values()), rel=0.01)
