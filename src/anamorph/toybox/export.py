"""Toybox scenes as a COCO dataset on disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from anamorph.model import Scene
from anamorph.pixels.masks import mask_area
from anamorph.toybox.drawing.classes import CLASSES
from anamorph.toybox.scenes import ToyboxScenes


@dataclass(frozen=True, slots=True)
class Exported:
    """Where a dataset was written, and how much is in it."""

    instances: Path
    captions: Path
    images: Path
    scenes: int
    things: int


def export_coco(source: ToyboxScenes, out: Path, progress: Callable[[int], None] | None = None) -> Exported:
    """Write images/*.png, instances.json and captions.json; `progress` is called with the number of scenes done."""
    images = out / "images"
    images.mkdir(parents=True, exist_ok=True)
    shots: list[dict[str, Any]] = []
    instances: list[dict[str, Any]] = []
    captions: list[dict[str, Any]] = []
    for number, scene in enumerate(source.scan(), start=1):
        if not isinstance(scene, Scene):
            continue
        name = f"{scene.id}.png"
        Image.fromarray(source.pixels(scene)).save(images / name)
        shots.append({"id": number, "file_name": name, "width": scene.width, "height": scene.height})
        instances += (_instance(scene, position, number) for position in range(len(scene.things)))
        captions += (
            {"id": len(captions) + k, "image_id": number, "caption": caption}
            for k, caption in enumerate(scene.captions, start=1)
        )
        if progress is not None:
            progress(number)
    about = {"description": f"Anamorph toybox, seed {source.seed}, scenes {source.offset} and after"}
    categories = [{"id": c.coco_id, "name": c.name, "supercategory": c.supercategory} for c in CLASSES.values()]
    target = Exported(out / "instances.json", out / "captions.json", images, len(shots), len(instances))
    _write(target.instances, {"info": about, "images": shots, "annotations": instances, "categories": categories})
    _write(target.captions, {"info": about, "images": shots, "annotations": captions})
    return target


def _instance(scene: Scene, position: int, image_id: int) -> dict[str, Any]:
    thing = scene.things[position]
    assert thing.mask is not None
    return {
        "id": int(thing.id),
        "image_id": image_id,
        "category_id": CLASSES[thing.label].coco_id,
        "bbox": [thing.box.x, thing.box.y, thing.box.width, thing.box.height],
        "area": mask_area(thing.mask),
        "iscrowd": 0,
        "segmentation": {"size": [thing.mask.height, thing.mask.width], "counts": thing.mask.counts},
        "attributes": list(thing.attributes),
    }


def _write(path: Path, document: dict[str, Any]) -> None:
    path.write_text(json.dumps(document), encoding="utf-8")
