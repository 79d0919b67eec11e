"""Makes docs/methods/pictures from drawn scenes: a source and its follow-ups of each object method, side by side, and
what crosscheck asks a small network about a scene.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from anamorph.edits.crop import Crop
from anamorph.edits.mirror import Mirror
from anamorph.engine.studio import RunStudio
from anamorph.inpainters.membrane import Membrane
from anamorph.methods.crosscheck.method import halves
from anamorph.methods.crosscheck.wording import Wording
from anamorph.methods.metaic.method import MetaIC
from anamorph.methods.oamt.method import Oamt
from anamorph.methods.reic.method import Reic
from anamorph.methods.rome.method import Rome
from anamorph.methods.spolre.method import Spolre
from anamorph.model import Answer, Ask, Case, Edit, Method, Picture, Pixels, Probe, Scene, Studio
from anamorph.pools.folder import JoinedPools, Pool, SketchStudio
from anamorph.toybox.pool import toybox_pool
from anamorph.toybox.scenes import ToyboxScenes
from anamorph.toybox.systems import ToyboxSystem

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
    pictures = [shown(probe, scene, photo, studio) for probe in case.probes[:3]]
    across = sum(picture.shape[1] + GAP for picture in pictures) - GAP
    whole = Image.new("RGB", (across, photo.shape[0]), "white")
    left = 0
    for picture in pictures:
        whole.paste(Image.fromarray(picture), (left, (photo.shape[0] - picture.shape[0]) // 2))
        left += picture.shape[1] + GAP
    OUT.mkdir(exist_ok=True)
    whole.save(OUT / f"{method.kind}.jpg", quality=85)
    print(method.kind, dict(case.tags), (OUT / f"{method.kind}.jpg").stat().st_size)


def draw_crosscheck(label: str) -> None:
    """Write the images of a scene about which the answerer contradicts itself, with its answers."""
    source, system = ToyboxScenes(200, SEED), ToyboxSystem("answerer")
    scenes = [scene for scene in source.scan() if isinstance(scene, Scene)]
    left, right = (Crop(box) for box in halves(scenes[0]))
    images: dict[str, tuple[Edit, ...]] = {
        "the photo": (),
        "its mirror image": (Mirror(),),
        "its left part": (left,),
        "its right part": (right,),
    }
    question = Wording().of_existence(label)
    for scene in scenes:
        photo = source.pixels(scene)
        shows = [shown(Probe(scene.id, edits, question), scene, photo, SketchStudio()) for edits in images.values()]
        asks = [Ask(name, question, Path(name), pixels.copy) for name, pixels in zip(images, shows, strict=True)]
        said = [reply.text or "" for reply in system.ask(asks, 60) if isinstance(reply, Answer)]
        if label in {thing.label for thing in scene.things} and said[0] == "no" and "yes" in said:
            break
    else:
        raise SystemExit("the answerer contradicts itself nowhere like that")
    tiles = [_tile(pixels, name, answer) for name, pixels, answer in zip(images, shows, said, strict=True)]
    gap = np.full((tiles[0].shape[0], GAP, 3), 255, np.uint8)
    row = np.hstack([part for tile in tiles for part in (tile, gap)][:-1])
    whole = Image.new("RGB", (row.shape[1], row.shape[0] + 36), "white")
    ImageDraw.Draw(whole).text((0, 2), question, fill="black", font=ImageFont.load_default(24))
    whole.paste(Image.fromarray(row), (0, 36))
    whole.save(OUT / "crosscheck.jpg", quality=88)
    print("crosscheck", scene.id, said)


def _tile(pixels: Pixels, name: str, answer: str, height: int = 240) -> Pixels:
    """An image above its name and the answer."""
    width = round(height * pixels.shape[1] / pixels.shape[0])
    tile = Image.new("RGB", (width, height + 68), "white")
    tile.paste(Image.fromarray(pixels).resize((width, height), Image.Resampling.LANCZOS))
    pen = ImageDraw.Draw(tile)
    pen.text((0, height + 6), name, fill="#555555", font=ImageFont.load_default(18))
    pen.text((0, height + 30), answer, fill="black", font=ImageFont.load_default(28))
    return np.asarray(tile)


def main() -> None:
    draw_crosscheck("dog")
    with tempfile.TemporaryDirectory() as folder:
        pool = toybox_pool(Path(folder))
        studio = RunStudio({"membrane": Membrane()}, JoinedPools((Pool.open(pool),)))
        draw(MetaIC(pool=str(pool)), 0, lambda case: case.tags["overlap"] == "15-30 %", studio)
        draw(Rome(), 1, lambda case: case.tags == {"melted": "0 to 1", "last object": "melted"}, studio)
        draw(Oamt(), 2, lambda case: case.tags["pieces"] == "cut", studio)
        draw(Reic(), 2, lambda case: case.tags["edit"] == "crop", studio)
        draw(Spolre(), 1, lambda case: "translation+rotation" in case.tags["transformations"], studio)


if __name__ == "__main__":
    main()
