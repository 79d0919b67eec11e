"""How fast MetaVQA's cases are planned, beside a plain way to make the same questions; ratios within one run."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from random import Random

import psutil

from anamorph.methods.metavqa.method import MetaVqa
from anamorph.model import Box, Case, Scene, Thing
from anamorph.reading.labels import label_space

SCENES, PLAIN_SCENES, MANY, ROUNDS = 1_000, 200, 1_000_000, 5
WIDTH, HEIGHT = 640, 480
COLOURS = ("red", "blue", "green", "white", "black")


class Annotations:
    """Made-up photos with as many objects as COCO's have (7.3 on average, of 2.9 classes), made when asked for."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __iter__(self) -> Iterator[Scene]:
        names = label_space("coco").names
        for number in range(self._count):
            rng = Random(number)
            classes = rng.sample(names, rng.randint(1, 5))
            things = []
            for index in range(rng.randint(1, 14)):
                width, height = rng.uniform(8, 120), rng.uniform(8, 120)
                box = Box(rng.uniform(0, WIDTH - width), rng.uniform(0, HEIGHT - height), width, height)
                things.append(Thing(str(index), rng.choice(classes), box, attributes=(rng.choice(COLOURS),)))
            yield Scene(str(number), f"{number}.jpg", WIDTH, HEIGHT, tuple(things))


def plainly(scene: Scene, space: list[str], rng: Random) -> list[tuple[str, ...]]:
    """The same kinds of questions, as texts only: no records, no correct plurals, gaps found on a row of pixels."""
    made: list[tuple[str, ...]] = []
    present = sorted({thing.label for thing in scene.things})
    absent = [label for label in space if label not in present]
    covered = {"x": [False] * scene.width, "y": [False] * scene.height}
    for thing in scene.things:
        for x in range(int(thing.box.x), int(thing.box.right) + 1):
            covered["x"][min(x, scene.width - 1)] = True
        for y in range(int(thing.box.y), int(thing.box.bottom) + 1):
            covered["y"][min(y, scene.height - 1)] = True
    pieces = {axis: 1 + sum(a and not b for a, b in itertools.pairwise(row)) for axis, row in covered.items()}
    for _ in range(3):
        case = rng.choices((0, 1, 2), (0.1, 0.2, 0.7))[0]
        one, other = rng.choice(absent if case == 0 else present), rng.choice(present if case == 2 else absent)
        if one != other:
            both = f"How many {one}s and {other}s are in the image?"
            made.append((both, f"How many {one}s are in the image?", f"How many {other}s are in the image?"))
            made.append((both, f"How many {other}s and {one}s are in the image?"))
            made += [(both, *[both] * pieces[axis]) for axis in pieces if pieces[axis] > 1]
            for thing in scene.things:
                alone = all(not thing.box.overlap(t.box) for t in scene.things if t.id != thing.id)
                if alone:
                    made.append((both, f"{both} without {thing.id}"))
    for label in rng.sample(space, 2):
        question, negation = f"Is there any {label} in the image?", f"Is there no {label} in the image?"
        made.append((question, negation))
        made += [(text, *[text] * pieces[axis]) for axis in pieces if pieces[axis] > 1 for text in (question, negation)]
    return made


def planned(scenes: Annotations) -> Iterator[Case]:
    return (item for item in MetaVqa().plan(scenes, Random(0)) if isinstance(item, Case))


def interleaved(works: Sequence[Callable[[], int]]) -> list[tuple[float, int]]:
    """The median CPU time of each, taken in turn so that a busy machine slows all alike, and how much each made."""
    times: list[list[float]] = [[] for _ in works]
    made = [0] * len(works)
    for _ in range(ROUNDS):
        for place, work in enumerate(works):
            start = time.process_time()
            made[place] = work()
            times[place].append(time.process_time() - start)
    return [(statistics.median(each), count) for each, count in zip(times, made, strict=True)]


def main() -> None:
    scenes, few = Annotations(SCENES), Annotations(PLAIN_SCENES)
    space = sorted(label_space("coco").names)
    (making, _), (total, cases), (making_few, _), (total_few, made) = interleaved(
        [
            lambda: sum(1 for _ in scenes),
            lambda: sum(1 for _ in planned(scenes)),
            lambda: sum(1 for _ in few),
            lambda: sum(len(plainly(scene, space, Random(scene.id))) for scene in few),
        ]
    )
    # Scenes are made twice by the plan, which first looks which classes there are; that is not the plan's doing.
    ours, plain = cases / (total - 2 * making), made / (total_few - making_few)
    print(f"cases planned             {ours:10,.0f} a second of CPU ({cases} of {SCENES} photos)")
    print(f"the plain way             {plain:10,.0f} a second of CPU ({made} of {PLAIN_SCENES} photos)")
    print(f"ratio                     {ours / plain:10.1f} x")
    _million()


def _million() -> None:
    """A million cases, and how much memory they take: they are planned one by one, and none is kept."""
    method = MetaVqa(absent=label_space("coco").names)
    before = psutil.Process().memory_info().rss
    start, questions = time.process_time(), 0
    cases = (item for item in method.plan(Annotations(10**9), Random(0)) if isinstance(item, Case))
    first = next(cases)
    print(f"the first case            {1000 * (time.process_time() - start):10.1f} ms ({first.relation.kind})")
    highest = before
    for number, case in enumerate(itertools.islice(cases, MANY)):
        questions += len(case.probes)
        if number % 50_000 == 0:
            highest = max(highest, psutil.Process().memory_info().rss)
    seconds = time.process_time() - start
    print(f"{MANY:,} cases           {seconds:10.1f} s of CPU, photos included; {questions:,} probes")
    print(f"memory grows by           {(highest - before) / 2**20:10.1f} MB")


if __name__ == "__main__":
    main()
