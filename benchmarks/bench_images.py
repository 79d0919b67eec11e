"""What a distinct image costs, beside decoding its scene once, inpainting its hole and encoding it, with nothing else.

Insertions are also compared with plain pasting, each scene with cut-outs that were never used before.

CPU time, both ways in turn, scene by scene, medians over the rounds: other work on the machine touches both alike.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from anamorph import catalog
from anamorph.edits.insert import Insert
from anamorph.edits.melt import Melt, melting_hole
from anamorph.edits.relayout import Relayout
from anamorph.engine.render.maker import ImageMaker, ImageOrder
from anamorph.engine.render.renderer import Renderer
from anamorph.engine.studio import RunStudio
from anamorph.inpainters.membrane import Membrane
from anamorph.methods.metaic.method import MetaIC
from anamorph.methods.rome.method import Rome
from anamorph.methods.spolre.method import Spolre
from anamorph.model import Case, Edit, Hole, Method, Probe, Scene, canonical_json, encode
from anamorph.pixels.holes import filled
from anamorph.pools.cutouts import Wanted, build_pool
from anamorph.pools.folder import JoinedPools, Pool
from anamorph.store.images import ImageFolder, ImageFormat
from benchmarks.collections import collections

SCENES, ROUNDS = 10, 9


def main() -> None:
    for name, (source, scenes) in collections().items():
        with tempfile.TemporaryDirectory() as folder:
            pool = Path(folder) / "pool"
            for _ in build_pool(pool, scenes, source.pixels, Wanted()):
                pass
            methods: tuple[Method, ...] = (
                MetaIC(pool=str(pool), tries=20),
                Rome(pairs_per_scene=6, inpainter="membrane"),
                Spolre(layouts_per_scene=10, inpainter="membrane"),
            )
            for method in methods:
                # A pool of its own for each method, so that every one begins with nothing in memory.
                studio = RunStudio({"membrane": Membrane()}, JoinedPools((Pool.open(pool),)))
                images = ImageFolder(Path(folder) / "images")
                renderer = Renderer(source, images, ImageMaker(ImageFormat(), catalog.find, studio))
                _measure(name, method, scenes, renderer)
                if isinstance(method, MetaIC):
                    _measure_pasting(name, method, scenes, renderer, Pool.open(pool))


def _chosen(method: Method, scenes: Sequence[Scene]) -> list[tuple[Scene, list[Probe]]]:
    """The probes of the first scenes that have any."""
    probes: dict[str, dict[Probe, None]] = {}
    for item in method.plan(scenes, Random(1)):
        if isinstance(item, Case):
            probes.setdefault(item.source.scene, {}).update(dict.fromkeys(item.probes))
    return [(scene, list(probes[scene.id])) for scene in scenes if scene.id in probes][:SCENES]


def _measure_pasting(name: str, method: Method, scenes: Sequence[Scene], renderer: Renderer, pool: Pool) -> None:
    """Matched insertions against the same objects pasted as they are."""
    matched = pasted = 0.0
    chosen = _chosen(method, scenes)
    for scene, probes in chosen:
        plain = [replace(probe, edits=tuple(map(_pasting, probe.edits))) for probe in probes]
        rounds = [
            (
                _rendered(_unused(renderer, pool, probes), scene, probes),
                _rendered(_unused(renderer, pool, probes), scene, plain),
            )
            for _ in range(ROUNDS)
        ]
        matched += statistics.median(one for one, _ in rounds)
        pasted += statistics.median(other for _, other in rounds)
    count = sum(len(probes) for _, probes in chosen)
    print(f"{method.kind}, {name}: {matched / pasted:.2f} times decoding, plain pasting and encoding ({count} images)")


def _pasting(edit: Edit) -> Edit:
    return Insert(edit.cutout, edit.box) if isinstance(edit, Insert) else edit


def _unused(renderer: Renderer, pool: Pool, probes: Sequence[Probe]) -> Renderer:
    """A renderer that has read the cut-outs of these probes, and has not resized or matched any yet."""
    studio = RunStudio({}, JoinedPools((pool,)))
    for edit in (edit for probe in probes for edit in probe.edits if isinstance(edit, Insert)):
        studio.cutout(edit.cutout)
    return replace(renderer, maker=replace(renderer.maker, studio=studio))


def _measure(name: str, method: Method, scenes: Sequence[Scene], renderer: Renderer) -> None:
    chosen = _chosen(method, scenes)
    count = sum(len(images) for _, images in chosen)
    ours = alone = 0.0
    for scene, images in chosen:
        rounds = [(_rendered(renderer, scene, images), _alone(renderer, scene, images)) for _ in range(ROUNDS)]
        ours += statistics.median(one for one, _ in rounds)
        alone += statistics.median(other for _, other in rounds)
    print(f"{method.kind}, {name}: {ours / count * 1000:.1f} ms of CPU for each of {count} distinct images,", end=" ")
    print(f"{ours / alone:.2f} times decoding, inpainting and encoding alone")


def _rendered(renderer: Renderer, scene: Scene, probes: Sequence[Probe]) -> float:
    orders = [ImageOrder(place, canonical_json(encode(probe.edits))) for place, probe in enumerate(probes)]
    begun = time.process_time()
    results = renderer.render(scene, orders)
    seconds = time.process_time() - begun
    problems = [result.problem for result in results if result.problem]
    assert not problems, problems[0]
    return seconds


def _alone(renderer: Renderer, scene: Scene, probes: Sequence[Probe]) -> float:
    holes = [_hole(scene, probe) for probe in probes]
    begun = time.process_time()
    pixels = renderer.source.pixels(scene)
    for hole in holes:
        made = pixels if hole is None else filled(pixels, hole, Membrane().fill)
        renderer.folder.write(renderer.maker.format.encode(made), renderer.maker.format.suffix)
    return time.process_time() - begun


def _hole(scene: Scene, probe: Probe) -> Hole | None:
    for edit in probe.edits:
        ids = edit.objects if isinstance(edit, Melt) else ()
        if isinstance(edit, Relayout):
            ids = tuple(move.object for move in edit.moves)
        if ids:
            return melting_hole([scene.thing(id) for id in ids], (), scene.height, scene.width)
    return None


if __name__ == "__main__":
    main()
