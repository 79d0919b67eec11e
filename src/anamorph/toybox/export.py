"""Toybox scenes as a COCO dataset on disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from anamorph.model import Scene
from anamorph.scenes.coco.writer import CocoCategory, CocoFile
from anamorph.toybox.drawing.classes import CLASSES
from anamorph.toybox.scenes import ToyboxScenes

_CATEGORIES = [CocoCategory(each.coco_id, each.name, each.supercategory) for each in CLASSES.values()]


@dataclass(frozen=True, slots=True)
class Exported:
    """The folder and size of a written dataset."""

    instances: Path
    captions: Path
    images: Path
    scenes: int
    things: int


def export_coco(source: ToyboxScenes, out: Path, progress: Callable[[int], None] | None = None) -> Exported:
    """Write images/*.png, instances.json and captions.json; `progress` is called with the number of scenes done."""
    images = out / "images"
    images.mkdir(parents=True, exist_ok=True)
    scenes = things = 0
    about = f"Anamorph toybox, seed {source.seed}, scenes {source.offset} and after"
    with (
        CocoFile(out / "instances.json", about, _CATEGORIES) as instances,
        CocoFile(out / "captions.json", about) as captions,
    ):
        for number, scene in enumerate(source.scan(), start=1):
            if not isinstance(scene, Scene):
                continue
            name = f"{scene.id}.png"
            Image.fromarray(source.pixels(scene)).save(images / name)
            for file in (instances, captions):
                file.add_image(number, name, width=scene.width, height=scene.height)
            for thing in scene.things:
                instances.add_thing(number, thing, id=int(thing.id), attributes=list(thing.attributes))
            for caption in scene.captions:
                captions.add_caption(number, caption)
            scenes += 1
            things += len(scene.things)
            if progress is not None:
                progress(number)
    return Exported(out / "instances.json", out / "captions.json", images, scenes, things)
