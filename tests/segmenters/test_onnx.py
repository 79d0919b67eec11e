from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anamorph.config import resolve
from anamorph.detectors import Detection
from anamorph.errors import BadPicture, UsageError
from anamorph.model import Box, Pixels, Scene, Thing
from anamorph.pixels.masks import mask_area, mask_box, mask_pixels
from anamorph.scenes.coco.source import CocoScenes
from anamorph.segmenters.onnx import OnnxSegmenter, without_twins
from tests.detectors.tiny_networks import picture, write_network

SIDE, PROTOTYPES = 64, 16
NAMES = "{0: 'cat', 1: 'dog', 2: 'car'}"
PHOTO = picture(SIDE, SIDE)


def network(folder: Path, rows: Sequence[Sequence[float]], *, masks: bool = True, name: str = "n.onnx") -> Path:
    """YOLO with NMS inside that always gives these rows: corners, score, class. All masks end in the view's middle."""
    halves = np.ones((1, 1, PROTOTYPES, PROTOTYPES), np.float32)
    halves[..., PROTOTYPES // 2 :] = -1
    wide = np.zeros((1, 20, 7 if masks else 6), np.float32)
    for place, row in enumerate(rows):
        wide[0, place] = [*row, 1] if masks else row
    outputs = {"output0": wide, "output1": halves} if masks else {"output0": wide}
    return write_network(folder / name, (1, 3, SIDE, SIDE), outputs, names=NAMES)


def segmenter(file: Path, **settings: Any) -> OnnxSegmenter:
    return OnnxSegmenter(str(file), **settings)


def test_objects_have_masks_and_boxes_around_them_and_scores(tmp_path: Path) -> None:
    (found,) = segmenter(network(tmp_path, [(16, 8, 48, 40, 0.9, 1)])).segment(PHOTO)
    assert (found.id, found.label, found.score) == ("dog-1", "dog", 0.9)
    assert found.mask is not None
    assert found.box == mask_box(found.mask)
    assert (found.box.x, found.box.y, found.box.right, found.box.bottom) == (16, 8, 32, 40)


def test_a_detector_without_masks_gives_boxes_and_does_not_pretend(tmp_path: Path) -> None:
    (found,) = segmenter(network(tmp_path, [(16, 8, 48, 40, 0.9, 1)], masks=False)).segment(PHOTO)
    assert found == Thing("dog-1", "dog", Box(16, 8, 32, 32), None, 0.9)


def test_ids_count_from_the_surest_of_each_class(tmp_path: Path) -> None:
    rows = [(0, 0, 20, 20, 0.9, 1), (0, 30, 20, 50, 0.8, 0), (24, 0, 40, 20, 0.7, 1)]
    found = segmenter(network(tmp_path, rows)).segment(PHOTO)
    assert [thing.id for thing in found] == ["dog-1", "cat-1", "dog-2"]


def test_what_is_unsure_or_tiny_is_dropped(tmp_path: Path) -> None:
    file = network(tmp_path, [(0, 0, 30, 30, 0.9, 1), (24, 40, 28, 44, 0.8, 2), (0, 30, 20, 50, 0.3, 0)])
    assert [t.label for t in segmenter(file, threshold=0.4).segment(PHOTO)] == ["dog", "car"]
    assert [t.label for t in segmenter(file, threshold=0.4, min_area=0.005).segment(PHOTO)] == ["dog"]
    assert [t.label for t in segmenter(file).segment(PHOTO)] == ["dog", "car", "cat"]


def test_an_object_with_an_empty_mask_is_dropped_whatever_the_settings(tmp_path: Path) -> None:
    file = network(tmp_path, [(40, 8, 60, 40, 0.9, 1)])
    assert segmenter(file, min_area=0).segment(PHOTO) == ()


def test_one_object_under_two_names_is_one_object_under_the_surer_name(tmp_path: Path) -> None:
    file = network(tmp_path, [(0, 0, 30, 30, 0.9, 1), (0, 0, 30, 31, 0.8, 0)])
    assert [thing.label for thing in segmenter(file).segment(PHOTO)] == ["dog"]
    assert [thing.label for thing in segmenter(file, twin_iou=1).segment(PHOTO)] == ["dog", "cat"]


def test_twins_are_told_by_their_masks_and_by_boxes_only_for_want_of_them() -> None:
    box = Box(0, 0, 10, 10)
    left, right = np.zeros((10, 10), np.bool_), np.zeros((10, 10), np.bool_)
    left[:, :5] = right[:, 5:] = True
    rider, horse = Detection("person", 0.9, box, left), Detection("horse", 0.8, box, right)
    assert without_twins([rider, horse], 0.8) == [rider, horse]
    bare = Detection("cow", 0.7, box)
    assert without_twins([rider, horse, bare], 0.8) == [rider, horse]
    second = Detection("person", 0.5, box, left)
    assert without_twins([rider, second], 0.8) == [rider, second], "those of one class are the business of nms_iou"


def test_every_setting_and_the_weights_change_the_fingerprint(tmp_path: Path) -> None:
    one, other = network(tmp_path, [(0, 0, 20, 20, 0.9, 1)]), network(tmp_path, [], name="other.onnx")
    variants = [
        OnnxSegmenter(str(one)),
        OnnxSegmenter(str(other)),
        OnnxSegmenter(str(one), threshold=0.5),
        OnnxSegmenter(str(one), min_area=0.1),
        OnnxSegmenter(str(one), nms_iou=0.1),
        OnnxSegmenter(str(one), twin_iou=0.1),
        OnnxSegmenter(str(one), most=3),
        OnnxSegmenter(str(one), labels="coco-80"),
        OnnxSegmenter(str(one), values="bytes"),
    ]
    prints = {json.dumps(each.fingerprint, sort_keys=True) for each in variants}
    assert len(prints) == len(variants)


def test_missing_weights_are_told_with_the_setting(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"The segmenter 'onnx' needs weights.*gone\.onnx.*segmenter\.path"):
        OnnxSegmenter(str(tmp_path / "gone.onnx")).segment(PHOTO)


def test_a_classifier_is_no_segmenter(tmp_path: Path) -> None:
    file = write_network(tmp_path / "c.onnx", (1, 3, 32, 32), {"out": [[0.9, 0.2, 0.6]]}, names=NAMES)
    with pytest.raises(UsageError, match="this network classifies whole photos, so it cannot find objects"):
        OnnxSegmenter(str(file)).fingerprint  # noqa: B018


def test_a_class_without_a_name_costs_the_photo_and_not_the_run(tmp_path: Path) -> None:
    file = network(tmp_path, [(0, 0, 20, 20, 0.9, 7)])
    with pytest.raises(BadPicture, match="class 7, but there are only 3 labels"):
        OnnxSegmenter(str(file)).segment(PHOTO)


def test_it_is_chosen_in_one_word_or_in_a_table() -> None:
    short = resolve({"segmenter": "onnx:weights/yolo.onnx,threshold=0.6"}).segmenter()
    table = {"kind": "onnx", "path": "weights/yolo.onnx", "threshold": 0.6}
    assert short == resolve({"segmenter": table}).segmenter() == OnnxSegmenter("weights/yolo.onnx", threshold=0.6)
    with pytest.raises(UsageError, match=r"Unknown segmenter 'onx'\. Did you mean 'onnx'\?"):
        resolve({"segmenter": "onx:weights/yolo.onnx"})


# --- with real weights -----------------------------------------------------------------------------------------------


@pytest.fixture
def real(shared: Path) -> OnnxSegmenter:
    return OnnxSegmenter(str(shared / "models/yolo11n-seg.onnx"))


def scenes_of(shared: Path, count: int) -> list[tuple[Scene, Pixels]]:
    source = CocoScenes(str(shared / "photos/instances.json"), str(shared / "photos/images"))
    scenes = [scene for scene in source.scan() if isinstance(scene, Scene)][:count]
    return [(scene, source.pixels(scene)) for scene in scenes]


@pytest.mark.slow
def test_real_things_are_truthful_and_the_same_from_any_thread(shared: Path, real: OnnxSegmenter) -> None:
    photos = [pixels for _, pixels in scenes_of(shared, 6)]
    one_by_one = [real.segment(pixels) for pixels in photos]
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(real.segment, photos)) == one_by_one
    for pixels, things in zip(photos, one_by_one, strict=True):
        height, width = pixels.shape[:2]
        assert len({thing.id for thing in things}) == len(things)
        for thing in things:
            assert thing.mask is not None
            assert (thing.mask.height, thing.mask.width) == (height, width)
            assert mask_area(thing.mask) >= 0.0005 * height * width
            assert thing.box == mask_box(thing.mask)


@pytest.mark.slow
def test_large_real_objects_agree_with_the_masks_that_people_drew(shared: Path, real: OnnxSegmenter) -> None:
    hits = total = 0
    for scene, pixels in scenes_of(shared, 20):
        found = real.segment(pixels)
        for thing in scene.things:
            if thing.crowd or thing.mask is None or mask_area(thing.mask) < 96 * 96:
                continue
            total += 1
            own = mask_pixels(thing.mask)
            shapes = [mask_pixels(each.mask) for each in found if each.mask and each.label == thing.label]
            hits += any((own & shape).sum() >= 0.5 * (own | shape).sum() for shape in shapes)
    assert total > 30
    assert hits / total > 0.55


@pytest.mark.slow
def test_a_pool_is_built_from_a_folder_that_nobody_annotated(shared: Path, tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    for file in sorted((shared / "photos/images").iterdir())[:8]:
        (photos / file.name).write_bytes(file.read_bytes())
    command = [sys.executable, "-m", "anamorph.cli.main", "pool", "build", str(tmp_path / "pool"), "--json"]
    chosen = ["-s", f"folder:{photos}", "--segmenter", f"onnx:{shared / 'models/yolo11n-seg.onnx'}"]
    done = subprocess.run([*command, *chosen], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    built = json.loads(done.stdout)
    assert built["cutouts"] >= 2
    assert set(built["classes"]) & {"bird", "car", "donut"}
