from __future__ import annotations

from pathlib import Path

import pytest

from anamorph.detectors import Detection, open_detector
from anamorph.model import Scene, Thing
from anamorph.pixels.masks import mask_pixels
from anamorph.scenes.coco.source import CocoScenes


def _overlap(found: Detection, thing: Thing) -> float:
    shared_area = found.box.overlap(thing.box)
    return shared_area / (found.box.area + thing.box.area - shared_area)


# Found of the 56 large objects in the first 20 photos: yolox_nano 41, yolo11n-seg 44 (masks agree to 0.78 on average),
# efficientdet-lite0 35. The floors leave a margin of five objects or so.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "layout", "floor"),
    [("yolox_nano.onnx", "yolox", 0.64), ("yolo11n-seg.onnx", "yolo", 0.7), ("efficientdet-lite0.tflite", "ssd", 0.53)],
)
def test_large_objects_of_real_photos_are_found_where_people_marked_them(
    shared: Path, name: str, layout: str, floor: float
) -> None:
    detector = open_detector(shared / "models" / name)
    assert detector.layout == layout
    source = CocoScenes(str(shared / "photos/instances.json"), str(shared / "photos/images"))
    hits = total = 0
    agreements: list[float] = []
    for scene in [scene for scene in source.scan() if isinstance(scene, Scene)][:20]:
        found = detector.find(source.pixels(scene), 0.3)
        for thing in scene.things:
            if thing.crowd or thing.box.area < 96 * 96:
                continue
            total += 1
            match = max(
                (each for each in found if each.label == thing.label), key=lambda d: _overlap(d, thing), default=None
            )
            if match is None or _overlap(match, thing) < 0.5:
                continue
            hits += 1
            if match.mask is not None and thing.mask is not None:
                wanted = mask_pixels(thing.mask)
                agreements.append(float((match.mask & wanted).sum() / (match.mask | wanted).sum()))
    assert total > 30
    assert hits / total > floor
    if detector.has_masks:
        assert sum(agreements) / len(agreements) > 0.7
