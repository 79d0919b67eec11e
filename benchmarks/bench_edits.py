"""Placing inserted objects: exact maps against a plain version of MetaIC's algorithm 1."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from anamorph.methods.inserting.overlaps import (
    PlacementRules,
    has_free_place,
    largest_of,
    overlap_interval,
    overlap_maps,
    size_range,
    unusable,
)
from anamorph.methods.metaic.placing import all_sizes, place
from anamorph.model import Box, Scene
from anamorph.pixels.shapes import size_at_area
from anamorph.scenes.coco.source import CocoScenes

SHARED = Path(__file__).parent.parent.parent / "shared"
PAIRS = 150
# The paper's patience for step 1, and for the binary search, of which it gives no figure.
C1, C2 = 3000, 30
RULES = PlacementRules(mode="paper")

Pair = tuple[list[Box], tuple[int, int], int, int]


def main() -> None:
    pairs = _pairs(PAIRS)
    print(f"{len(pairs)} pairs of a background and a cut-out, n = {RULES.intervals}, ratio_max = {RULES.ratio_max}")
    feasible = [_exists(*pair) for pair in pairs]
    print(f"a place for every interval exists, at some size, for {sum(feasible)} of them")
    ours = _measured("exact maps", pairs, feasible, lambda pair, rng: place(*pair, RULES, rng) is not None)
    plain = _measured("algorithm 1", pairs, feasible, lambda pair, rng: algorithm_1(*pair, rng))
    print(f"time per pair that was placed: {plain / ours:.0f} times less")


def _measured(name: str, pairs: list[Pair], feasible: list[bool], attempt: Callable[[Pair, Random], bool]) -> float:
    rng = Random(1)
    begun = time.process_time()
    placed = [attempt(pair, rng) for pair in pairs]
    seconds = time.process_time() - begun
    share = sum(placed) / max(1, sum(feasible))
    each = seconds / max(1, sum(placed))
    print(f"{name}: {sum(placed)} placed ({share:.1%} of the possible), {each * 1000:.1f} ms for each placed,", end=" ")
    print(f"{seconds / len(pairs) * 1000:.1f} ms for each pair")
    return each


def algorithm_1(boxes: list[Box], cutout: tuple[int, int], width: int, height: int, rng: Random) -> bool:
    """The paper's pseudo-code: random sizes and places for the last interval, then binary search on the line."""
    least, most = size_range(boxes, width, height, RULES)
    for _ in range(C1):
        size = size_at_area(rng.uniform(least, most), cutout)
        if size[0] > width or size[1] > height:
            continue
        spot = (rng.randrange(width - size[0] + 1), rng.randrange(height - size[1] + 1))
        if _ratio(boxes, spot, size, RULES.intervals - 1) == 0:
            lines = [_on_line(boxes, spot, size, index, width, height) for index in range(RULES.intervals - 1)]
            return all(lines)
    return False


def _ratio(boxes: list[Box], spot: tuple[float, float], size: tuple[int, int], index: int) -> int:
    """0 if R1 and R2 hold; 1 if there is too much overlap, -1 if there is too little."""
    low, high = overlap_interval(index, RULES)
    box = Box(*spot, *size)
    first = largest_of(boxes)
    for position, other in enumerate(boxes):
        ratio = box.overlap(other) / other.area
        if ratio > high:
            return 1
        if position == first and index > 0 and ratio <= low:
            return -1
    return 0


def _on_line(
    boxes: list[Box], spot: tuple[int, int], size: tuple[int, int], index: int, width: int, height: int
) -> bool:
    largest = boxes[largest_of(boxes)]
    x, y = largest.x + largest.width / 2 - size[0] / 2, largest.y + largest.height / 2 - size[1] / 2
    step = (spot[0] - x, spot[1] - y)
    limits = [
        (limit - start) / pace
        for start, pace, room in ((x, step[0], width - size[0]), (y, step[1], height - size[1]))
        for limit in (0, room)
        if pace and (limit - start) / pace > 0
    ]
    near, far = 0.0, min((limit for limit in limits if limit >= 1), default=1.0)
    for _ in range(C2):
        middle = (near + far) / 2
        verdict = _ratio(boxes, (round(x + middle * step[0]), round(y + middle * step[1])), size, index)
        if verdict == 0:
            return True
        near, far = (middle, far) if verdict > 0 else (near, middle)
    return False


def _exists(boxes: list[Box], cutout: tuple[int, int], width: int, height: int) -> bool:
    """Whether any size of equation 1 in whole pixels has a place for every interval: all of them are tried."""
    for size in all_sizes(*size_range(boxes, width, height, RULES), cutout, width, height):
        # Where a small object has no free ground, a larger one has none.
        if not has_free_place(boxes, size, width, height):
            return False
        maps = overlap_maps(boxes, size, width, height)
        if all(maps.feasible(index, RULES).any() for index in range(RULES.intervals)):
            return True
    return False


def _pairs(count: int) -> list[Pair]:
    rng = Random(0)
    scenes = _scenes()
    sizes = [(round(t.box.width), round(t.box.height)) for _, _, s in scenes for t in s if t.box.area > 2000]
    pairs: list[Pair] = []
    while len(pairs) < count:
        width, height, things = rng.choice(scenes)
        boxes = [thing.box for thing in things]
        if unusable(boxes, width, height, RULES) is None:
            pairs.append((boxes, rng.choice(sizes), width, height))
    return pairs


def _scenes() -> list[tuple[int, int, tuple[_Boxed, ...]]]:
    if (SHARED / "photos").is_dir():
        source = CocoScenes(str(SHARED / "photos/instances.json"), str(SHARED / "photos/images"))
        found = [scene for scene in source.scan() if isinstance(scene, Scene)]
        return [(s.width, s.height, tuple(_Boxed(t.box) for t in s.things)) for s in found]
    print("(no real photos at ../shared: made-up scenes)")
    rng = Random(3)
    made = []
    for _ in range(60):
        things = []
        for _ in range(rng.randint(1, 9)):
            width, height = rng.uniform(20, 300), rng.uniform(20, 250)
            things.append(_Boxed(Box(rng.uniform(0, 640 - width), rng.uniform(0, 480 - height), width, height)))
        made.append((640, 480, tuple(things)))
    return made


class _Boxed:
    def __init__(self, box: Box) -> None:
        self.box = box


if __name__ == "__main__":
    main()
