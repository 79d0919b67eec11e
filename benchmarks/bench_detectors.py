"""Detectors on real photos: COCO box and mask AP of the weights in ../shared/models, and the time for a photo."""

from __future__ import annotations

import contextlib
import io
import time
from pathlib import Path
from typing import Any

import numpy as np
from pycocotools import mask as coco_mask
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from anamorph.detectors import Detection, Detector, open_detector
from anamorph.model import Pixels, Scene
from anamorph.scenes.coco.source import CocoScenes

SHARED = Path(__file__).parent.parent.parent / "shared"
FILES = ("yolox_nano.onnx", "efficientdet-lite0.tflite", "yolo11n-seg.onnx")
# Average precision looks at the whole curve, down to what no one would call found.
LEAST_SCORE = 0.01


def main() -> None:
    annotations = SHARED / "photos/instances.json"
    if not annotations.is_file():
        print("skipped: needs the real photos and weights in ../shared, which are not here")
        return
    source = CocoScenes(str(annotations), str(SHARED / "photos/images"))
    photos = [(scene, source.pixels(scene)) for scene in source.scan() if isinstance(scene, Scene)]
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO(str(annotations))
    for name in FILES:
        if (SHARED / "models" / name).is_file():
            _measure(open_detector(SHARED / "models" / name), photos, truth)


def _measure(detector: Detector, photos: list[tuple[Scene, Pixels]], truth: Any) -> None:
    detector.find(photos[0][1], LEAST_SCORE)
    begun = time.perf_counter()
    for _, pixels in photos:
        detector.find(pixels, 0.3, masks=False)
    each = (time.perf_counter() - begun) / len(photos)
    rows: list[dict[str, Any]] = []
    numbers = {category["name"]: category["id"] for category in truth.loadCats(truth.getCatIds())}
    photo_ids = {image["file_name"]: image["id"] for image in truth.loadImgs(truth.getImgIds())}
    for scene, pixels in photos:
        found = detector.find(pixels, LEAST_SCORE)
        rows += [_row(one, photo_ids[Path(scene.picture).name], numbers[one.label]) for one in found]
    line = f"{detector.file.name} ({detector.layout}): box {_precision(truth, rows, 'bbox')}"
    if detector.has_masks:
        line += f"; mask {_precision(truth, rows, 'segm')}"
    print(f"{line}; {each * 1000:.0f} ms a photo", flush=True)


def _row(found: Detection, photo: int, category: int) -> dict[str, Any]:
    box = found.box
    row: dict[str, Any] = {"image_id": photo, "category_id": category, "score": found.score}
    row["bbox"] = [box.x, box.y, box.width, box.height]
    if found.mask is not None:
        row["segmentation"] = coco_mask.encode(np.asfortranarray(found.mask, dtype=np.uint8))
    return row


def _precision(truth: Any, rows: list[dict[str, Any]], what: str) -> str:
    # pycocotools takes a row for a box or a mask by what it has, so each has only one of them.
    other = "segmentation" if what == "bbox" else "bbox"
    kept = [{key: value for key, value in row.items() if key != other} for row in rows]
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation = COCOeval(truth, truth.loadRes(kept), what)
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return f"AP {evaluation.stats[0]:.3f}, AP50 {evaluation.stats[1]:.3f}"


if __name__ == "__main__":
    main()
