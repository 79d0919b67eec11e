"""ROME's selection against its pseudo-code, MetaIC's share of placed pairs, and what planning costs."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

from anamorph.methods.inserting.overlaps import PlacementRules, has_free_place, overlap_maps, size_range
from anamorph.methods.metaic.method import NO_PLACE, MetaIC
from anamorph.methods.metaic.placing import all_sizes
from anamorph.methods.rome.method import Rome
from anamorph.methods.rome.removals import pairs
from anamorph.methods.spolre.method import Spolre
from anamorph.model import Case, Scene, Skip
from anamorph.pools.cutouts import Wanted, build_pool
from anamorph.pools.folder import Pool
from benchmarks.collections import collections

OBJECTS, DEPTH = 20, 3
RUNS = 5
# What the released MetaIC takes to place a pair, on another machine.
RELEASED_MS = 480

T = TypeVar("T")
Selected = tuple[frozenset[int], frozenset[int]]


def main() -> None:
    _selection()
    for name, (source, scenes) in collections().items():
        with tempfile.TemporaryDirectory() as folder:
            for _ in build_pool(Path(folder), scenes, source.pixels, Wanted()):
                pass
            for spare in (False, True):
                rules = PlacementRules(spare_masks=spare)
                _metaic_share(name, MetaIC(pool=folder, tries=5, placement=rules), scenes)
        for method in (Rome(), Spolre()):
            begun = time.process_time()
            cases = sum(isinstance(item, Case) for item in method.plan(scenes, Random(1)))
            each = (time.process_time() - begun) / cases
            print(f"{method.kind}, {name}: {each * 1000:.1f} ms of CPU to plan a case ({cases} cases)")


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


def _metaic_share(name: str, method: MetaIC, scenes: Sequence[Scene]) -> None:
    """How many of the pairs that have a place by boxes, at some size, are placed; and what a pair costs."""
    assert method.pool is not None
    entries = {entry.id: entry for entry in Pool.open(Path(method.pool)).entries}
    by_id = {scene.id: scene for scene in scenes}
    begun = time.process_time()
    planned = list(method.plan(scenes, Random(1)))
    seconds = time.process_time() - begun
    skips = [item for item in planned if isinstance(item, Skip)]
    placed = (len(planned) - len(skips)) // method.placement.intervals
    failed = [skip.what.split(": ") for skip in skips if skip.reason == NO_PLACE]
    missed = sum(_exists(by_id[scene], (entries[id].width, entries[id].height), method) for scene, id in failed)
    how = "boxes and masks" if method.placement.spare_masks else "boxes alone"
    print(f"MetaIC, {name}, {how}: {placed} pairs placed of {placed + missed} that have a place by boxes", end=" ")
    print(f"({placed / max(1, placed + missed):.1%}), {len(failed) - missed} have none;", end=" ")
    print(
        f"{seconds / (placed + len(failed)) * 1000:.1f} ms of CPU for each pair (the released tool: {RELEASED_MS} ms)"
    )


def _exists(scene: Scene, cutout: tuple[int, int], method: MetaIC) -> bool:
    """Whether any size has a place for every interval: all are looked at."""
    boxes, rules = [thing.box for thing in scene.things], method.placement
    for size in all_sizes(*size_range(boxes, scene.width, scene.height, rules), cutout, scene.width, scene.height):
        # Where a small object has no free ground, a larger one has none.
        if not has_free_place(boxes, size, scene.width, scene.height):
            return False
        maps = overlap_maps(boxes, size, scene.width, scene.height)
        if all(maps.feasible(index, rules).any() for index in range(rules.intervals)):
            return True
    return False


def _timed(work: Callable[[], T], runs: int) -> tuple[T, float]:
    best = math.inf
    for _ in range(runs):
        begun = time.process_time()
        result = work()
        best = min(best, time.process_time() - begun)
    return result, best


if __name__ == "__main__":
    main()
