"""Makes docs/methods/pictures: a source and a follow-up of each object method, side by side, from drawn scenes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image

from anamorph.engine.studio import RunStudio
from anamorph.inpainters.membrane import Membrane
from anamorph.methods.metaic.method import MetaIC
from anamorph.methods.rome.method import Rome
from anamorph.methods.spolre.method import Spolre
from anamorph.model import Case, Method, Picture, Pixels, Probe, Scene, Studio
from anamorph.pools.folder import JoinedPools, Pool
from anamorph.toybox.pool import toybox_pool
from anamorph.toybox.scenes import ToyboxScenes

OUT = Path(__file__).parent.parent / "docs" / "methods" / "pictures"
GAP, SCENES, SEED = 8, 24, 7


def shown(probe: Probe, scene: Scene, photo: Pixels, studio: Studio) -> Pixels:
    """What a probe shows."""
    picture = Picture(photo, scene.things, studio)
    for edit in probe.edits:
        picture = edit.apply(picture)
    return picture.pixels


def draw(method: Method, place: int, wanted: Callable[[Case], bool], studio: Studio) -> None:
    """Write the picture of a case that is wanted, of the scene at this place among those that have one."""
    source = ToyboxScenes(SCENES, SEED)
    scenes = [scene for scene in source.scan() if isinstance(scene, Scene)]
    cases = [item for item in method.plan(scenes, Random(SEED)) if isinstance(item, Case) and wanted(item)]
    case = list({case.source.scene: case for case in cases}.values())[place]
    scene = next(scene for scene in scenes if scene.id == case.source.scene)
    photo = source.pixels(scene)
    pictures = [shown(probe, scene, photo, studio) for probe in (case.source, case.follow_ups[0])]
    gap = np.full((photo.shape[0], GAP, 3), 255, np.uint8)
    OUT.mkdir(exist_ok=True)
    Image.fromarray(np.hstack([pictures[0], gap, pictures[1]])).save(OUT / f"{method.kind}.jpg", quality=85)
    print(method.kind, dict(case.tags), (OUT / f"{method.kind}.jpg").stat().st_size)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        pool = toybox_pool(Path(folder))
        studio = RunStudio({"membrane": Membrane()}, JoinedPools((Pool.open(pool),)))
        draw(MetaIC(pool=str(pool)), 0, lambda case: case.tags["overlap"] == "15-30 %", studio)
        draw(Rome(), 1, lambda case: case.tags == {"melted": "0 to 1", "last object": "melted"}, studio)
        draw(Spolre(), 1, lambda case: "translation+rotation" in case.tags["transformations"], studio)


if __name__ == "__main__":
    main()
