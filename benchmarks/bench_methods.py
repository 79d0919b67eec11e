"""ROME's selection against its pseudo-code, MetaIC's share of placed pairs, SPOLRE's layouts, and what images cost."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

import numpy as np

from anamorph import catalog
from anamorph.edits.cutouts import Wanted, build_pool
from anamorph.edits.melt import Melt, melting_hole
from anamorph.edits.placement import overlap_maps, size_of, size_range
from anamorph.edits.pools import Pool, Pools
from anamorph.edits.relayout import Relayout
from anamorph.engine.rendering import ImageOrder, Renderer
from anamorph.engine.studio import RunStudio
from anamorph.inpainters.holes import filled
from anamorph.inpainters.membrane import Membrane
from anamorph.methods.metaic import NO_PLACE, MetaIC
from anamorph.methods.removals import pairs
from anamorph.methods.rome import Rome
from anamorph.methods.spolre import Spolre
from anamorph.model import Case, Hole, Method, Probe, Scene, SceneSource, Skip, canonical_json, encode
from anamorph.scenes.coco import CocoScenes
from anamorph.store.images import ImageFolder, ImageFormat
from anamorph.toybox.scenes import ToyboxScenes

SHARED = Path(__file__).parent.parent.parent / "shared"
OBJECTS, DEPTH = 20, 3
RENDERED = 8
RUNS = 5

T = TypeVar("T")
Selected = tuple[frozenset[int], frozenset[int]]


def main() -> None:
    _selection()
    source, scenes = _scenes()
    with tempfile.TemporaryDirectory() as folder:
        pool = Path(folder) / "pool"
        for _ in build_pool(pool, scenes, source.pixels, Wanted()):
            pass
        metaic, rome, spolre = (
            MetaIC(pool=str(pool), tries=5),
            Rome(pairs_per_scene=6),
            Spolre(layouts_per_scene=4),
        )
        _metaic_share(metaic, scenes, pool)
        methods: tuple[Method, ...] = (rome, spolre)
        for method in methods:
            begun = time.perf_counter()
            cases = sum(isinstance(item, Case) for item in method.plan(scenes, Random(1)))
            print(
                f"{method.kind}: {(time.perf_counter() - begun) / cases * 1000:.1f} ms to plan a case ({cases} cases)"
            )
        studio = RunStudio({"membrane": Membrane()}, Pools((Pool.open(pool),)))
        renderer = Renderer(source, ImageFolder(Path(folder) / "images"), ImageFormat(), catalog.find, studio)
        for method in (*methods, metaic):
            _images(method, scenes, renderer)


def _scenes() -> tuple[SceneSource, list[Scene]]:
    photos = SHARED / "photos"
    source: SceneSource = ToyboxScenes(60)
    if photos.is_dir():
        instances, images, captions = (str(photos / name) for name in ("instances.json", "images", "captions.json"))
        source = CocoScenes(instances, images, captions)
    else:
        print("drawn scenes, for there are no photos in ../shared")
    return source, [scene for scene in source.scan() if isinstance(scene, Scene)]


def _selection() -> None:
    expected, plain = _timed(lambda: algorithm_1(frozenset(range(OBJECTS)), DEPTH), 1)
    found, ours = _timed(lambda: list(pairs([0] * OBJECTS, DEPTH)), RUNS)
    assert {(_bits(ancestor), _bits(descendant)) for ancestor, descendant in expected} == set(found)
    print(f"ROME's selection, n = {OBJECTS}, depth {DEPTH}: {len(found):,} pairs in {ours * 1000:.1f} ms,", end=" ")
    print(f"the pseudo-code in {plain * 1000:.0f} ms: {plain / ours:.0f} times")


def algorithm_1(objects: frozenset[int], max_depth: int) -> list[Selected]:
    """ROME's algorithm 1 as it is written: descendants in lists, looked for from the front."""
    selection: list[Selected] = []
    descendants: dict[int, list[frozenset[int]]] = {}

    def recursion(ancestor: frozenset[int]) -> None:
        index = hash(ancestor)
        if index in descendants:
            return
        descendants[index] = [ancestor]
        if len(ancestor) >= max_depth:
            return
        for each in objects - ancestor:
            following = ancestor | {each}
            recursion(following)
            for descendant in descendants[hash(following)]:
                if descendant not in descendants[index]:
                    descendants[index].append(descendant)
                    selection.append((ancestor, descendant))

    recursion(frozenset())
    return selection


def _bits(units: frozenset[int]) -> int:
    return sum(1 << unit for unit in units)


def _metaic_share(method: MetaIC, scenes: Sequence[Scene], folder: Path) -> None:
    entries = {entry.id: entry for entry in Pool.open(folder).entries}
    by_id = {scene.id: scene for scene in scenes}
    begun = time.perf_counter()
    planned = list(method.plan(scenes, Random(1)))
    seconds = time.perf_counter() - begun
    skips = [item for item in planned if isinstance(item, Skip)]
    placed = (len(planned) - len(skips)) // method.placement.intervals
    failed = [skip.what.split(": ") for skip in skips if skip.reason == NO_PLACE]
    sizes = [(by_id[scene], (entries[id].width, entries[id].height)) for scene, id in failed]
    missed = sum(_exists(scene, cutout, method) for scene, cutout in sizes)
    print(f"MetaIC: {placed} pairs placed of {placed + missed} that have a place", end=" ")
    print(f"({placed / max(1, placed + missed):.1%}), {len(failed) - missed} have none;", end=" ")
    print(
        f"{seconds / max(1, placed) * 1000:.1f} ms for each placed, {seconds / (placed + len(failed)) * 1000:.1f} each"
    )


def _exists(scene: Scene, cutout: tuple[int, int], method: MetaIC) -> bool:
    """Whether any of many sizes has a place for every interval."""
    boxes, rules = [thing.box for thing in scene.things], method.placement
    areas = np.linspace(*size_range(boxes, scene.width, scene.height, rules), 60)
    for size in dict.fromkeys(size_of(float(area), cutout) for area in areas):
        if size[0] > scene.width or size[1] > scene.height:
            return False
        maps = overlap_maps(boxes, size, scene.width, scene.height)
        feasible = [bool(maps.feasible(index, rules).any()) for index in range(rules.intervals)]
        if all(feasible):
            return True
        # Where a small object has no free ground, a larger one has none.
        if not feasible[0]:
            return False
    return False


def _images(method: Method, scenes: Sequence[Scene], renderer: Renderer) -> None:
    """A distinct image against decoding (once for a scene), inpainting and encoding with nothing around them."""
    probes: dict[str, dict[Probe, None]] = {}
    for case in method.plan(scenes, Random(1)):
        if isinstance(case, Skip):
            continue
        probes.setdefault(case.source.scene, {}).update(dict.fromkeys(case.probes))
    chosen = [(scene, list(probes[scene.id])) for scene in scenes if scene.id in probes][:RENDERED]
    count = sum(len(images) for _, images in chosen)
    best, alone = math.inf, math.inf
    for _ in range(3):
        best = min(best, sum(_rendered(renderer, *each) for each in chosen))
        alone = min(alone, sum(_alone(renderer, *each) for each in chosen))
    print(f"{method.kind}: {best / count * 1000:.1f} ms for each of {count} distinct images,", end=" ")
    print(f"{best / alone:.2f} times decoding, inpainting and encoding alone")


def _rendered(renderer: Renderer, scene: Scene, probes: Sequence[Probe]) -> float:
    orders = [ImageOrder(place, canonical_json(encode(probe.edits))) for place, probe in enumerate(probes)]
    begun = time.perf_counter()
    results = renderer.render(scene, orders)
    seconds = time.perf_counter() - begun
    problems = [result.problem for result in results if result.problem]
    assert not problems, problems[0]
    return seconds


def _alone(renderer: Renderer, scene: Scene, probes: Sequence[Probe]) -> float:
    holes = [_hole(scene, probe) for probe in probes]
    begun = time.perf_counter()
    pixels = renderer.source.pixels(scene)
    for hole in holes:
        made = pixels if hole is None else filled(pixels, hole, Membrane().fill)
        renderer.folder.write(renderer.format.encode(made), renderer.format.suffix)
    return time.perf_counter() - begun


def _hole(scene: Scene, probe: Probe) -> Hole | None:
    for edit in probe.edits:
        ids = edit.objects if isinstance(edit, Melt) else ()
        if isinstance(edit, Relayout):
            ids = tuple(move.object for move in edit.moves)
        if ids:
            return melting_hole([scene.thing(id) for id in ids], (), scene.height, scene.width)
    return None


def _timed(work: Callable[[], T], runs: int) -> tuple[T, float]:
    best = math.inf
    for _ in range(runs):
        begun = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - begun)
    return result, best


if __name__ == "__main__":
    main()
