"""How well and how fast the ONNX segmenter works: COCO's mask AP on real photos, and its time beside its network's."""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from anamorph.config import SegmentingSettings
from anamorph.model import Pixels, Thing
from anamorph.photos.decoding import read_pixels
from anamorph.pixels.masks import mask_pixels
from anamorph.segmenters.onnx import OnnxSegmenter
from anamorph.weights.sessions import session

SHARED = Path(__file__).parent.parent.parent / "shared"
WEIGHTS = SHARED / "models" / "yolo11n-seg.onnx"
MEASURES = ("AP", "AP at IoU .50", "AP at IoU .75", "AP small", "AP medium", "AP large")


def main() -> None:
    if not WEIGHTS.is_file():
        print("Needs ../shared/models/yolo11n-seg.onnx and ../shared/photos, which are not here.")
        return
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO(str(SHARED / "photos" / "instances.json"))
    photos = {id: read_pixels(SHARED / "photos" / "images" / truth.imgs[id]["file_name"]) for id in sorted(truth.imgs)}
    # AP wants everything down to the faintest, as published figures have it; a run wants what is there.
    everything = OnnxSegmenter(str(WEIGHTS), threshold=0.001, min_area=0, nms_iou=0.7, twin_iou=1, most=300)
    as_set = OnnxSegmenter(str(WEIGHTS))
    for name, segmenter in (("everything found", everything), ("what scenes get by default", as_set)):
        least = SegmentingSettings().min_score if segmenter is as_set else 0
        things = {id: _sure(segmenter.segment(pixels), least) for id, pixels in photos.items()}
        print(f"{name}: {sum(map(len, things.values()))} objects on {len(photos)} photos")
        for measure, value in zip(MEASURES, _mask_ap(truth, things), strict=True):
            print(f"  mask {measure:<14} {value:.3f}")
        if segmenter is as_set:
            precision, recall = _precision_and_recall(truth, things)
            print(f"  precision {precision:.3f}, recall {recall:.3f} (same class, mask IoU at least .5, no crowds)")
    _times(as_set, list(photos.values()))


def _sure(things: tuple[Thing, ...], least: float) -> tuple[Thing, ...]:
    return tuple(thing for thing in things if (thing.score or 0) >= least)


def _mask_ap(truth: COCO, things: dict[int, tuple[Thing, ...]]) -> Sequence[float]:
    numbers = {category["name"]: id for id, category in truth.cats.items()}
    results: list[dict[str, Any]] = [
        {
            "image_id": image,
            "category_id": numbers[thing.label],
            "segmentation": {"size": [thing.mask.height, thing.mask.width], "counts": thing.mask.counts},
            "score": thing.score,
        }
        for image, found in things.items()
        for thing in found
        if thing.mask is not None and thing.label in numbers
    ]
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation = COCOeval(truth, truth.loadRes(results), "segm")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return [float(value) for value in evaluation.stats[:6]]


def _precision_and_recall(truth: COCO, things: dict[int, tuple[Thing, ...]]) -> tuple[float, float]:
    """Surest first, each object takes the best annotated one of its class that is still free."""
    right = found = annotated = 0
    for image, each in things.items():
        notes = [note for note in truth.imgToAnns[image] if not note["iscrowd"]]
        free = {
            note["id"]: (truth.cats[note["category_id"]]["name"], truth.annToMask(note).astype(bool)) for note in notes
        }
        annotated += len(notes)
        for thing in each:
            assert thing.mask is not None
            shape = mask_pixels(thing.mask)
            scores = {
                id: float((shape & mask).sum() / (shape | mask).sum())
                for id, (label, mask) in free.items()
                if label == thing.label
            }
            best = max(scores, key=lambda id: scores[id], default=None)
            found += 1
            if best is not None and scores[best] >= 0.5:
                right += 1
                del free[best]
    return right / found, right / annotated


def _times(segmenter: OnnxSegmenter, photos: Sequence[Pixels]) -> None:
    running = session(WEIGHTS)
    view = np.random.default_rng(1).random((1, 3, 640, 640), dtype=np.float32)
    whole, network = [], []
    # In turns, so that a busy machine is busy for both.
    for pixels in photos:
        begun = time.perf_counter()
        segmenter.segment(pixels)
        whole.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        running.run(None, {"images": view})
        network.append(time.perf_counter() - begun)
    middle, alone = float(np.median(whole)), float(np.median(network))
    print(
        f"one photo, one thread: {1000 * middle:.0f} ms (median of {len(photos)}), network alone {1000 * alone:.0f} ms"
    )
    print(f"photo to objects as a multiple of the network alone: {middle / alone:.2f}")
