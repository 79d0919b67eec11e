"""Inpainters on holes of real photos whose truth is known: CPU, error, detail kept, and a sheet to look at.

An object of another photo is pasted where none is, and melted again: the hole is its shape, widened as melting does.
The sheet, build/inpainters.jpg, has rows of what is given, what each inpainter makes of it, and the truth.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import cv2
import numpy as np

from anamorph.inpainters.exemplar import Exemplar
from anamorph.inpainters.membrane import Membrane
from anamorph.inpainters.migan import MiGan
from anamorph.inpainters.telea import Telea
from anamorph.model import Hole, Inpainter, Pixels, Scene, SceneSource
from anamorph.pixels.shapes import melting_kernel, thing_shape, union_shape, widened, window_of
from anamorph.weights.known import KNOWN
from benchmarks.collections import SHARED, collections

# Holes that are measured, and how many of them are shown.
HOLES, SHOWN = 36, 12
# How large a hole is, as a share of the photo, and how often a place is looked for.
LEAST, MOST, LOOKS = 0.01, 0.1, 60
SIDE, SHEET = 200, Path("build/inpainters.jpg")


def main() -> None:
    found = collections().get("photos")
    if found is None:
        print("needs the real photos at ../shared")
        return
    fillers: list[Inpainter] = [Telea(), Membrane(), Exemplar()]
    network = SHARED / "models" / KNOWN["migan"].file
    if network.is_file():
        fillers.append(MiGan(str(network)))
    examples = _examples(*found, Random(12))
    print(f"{len(examples)} objects on other photos, {LEAST:.0%} to {MOST:.0%} of the photo")
    made = [_measured(filler, examples) for filler in fillers]
    rows = [
        _row([example.given, *(pictures[place] for pictures in made), example.truth], example.hole)
        for place, example in enumerate(examples[:SHOWN])
    ]
    SHEET.parent.mkdir(exist_ok=True)
    cv2.imwrite(str(SHEET), cv2.cvtColor(np.vstack(rows), cv2.COLOR_RGB2BGR))
    print(f"{SHEET}: what is given, {', '.join(filler.kind for filler in fillers)}, the truth")


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A photo, the same with a foreign object on it, and the hole that is to take it away."""

    truth: Pixels
    given: Pixels
    hole: Hole


def _examples(source: SceneSource, scenes: Sequence[Scene], rng: Random) -> list[Example]:
    found: list[Example] = []
    for scene in rng.sample(scenes, len(scenes)):
        example = _example(source, scene, scenes, rng)
        if example is not None:
            found.append(example)
        if len(found) == HOLES:
            break
    return found


def _example(source: SceneSource, scene: Scene, scenes: Sequence[Scene], rng: Random) -> Example | None:
    height, width = scene.height, scene.width
    taken = widened(union_shape(scene.things, height, width), melting_kernel(height, width))
    for _ in range(LOOKS):
        other = rng.choice([each for each in scenes if each is not scene and each.things])
        thing = rng.choice(other.things)
        if thing.mask is None or thing.crowd:
            continue
        whole = thing_shape(thing, other.height, other.width)
        window = window_of(whole)
        shape = whole[window]
        tall, wide = shape.shape
        if tall >= height or wide >= width or not LEAST <= shape.sum() / (height * width) <= MOST:
            continue
        top, left = rng.randrange(height - tall), rng.randrange(width - wide)
        core = np.zeros((height, width), np.bool_)
        core[top : top + tall, left : left + wide] = shape
        hole = widened(core, melting_kernel(height, width))
        if not (hole & taken).any():
            truth = source.pixels(scene)
            given = truth.copy()
            given[core] = source.pixels(other)[window][shape]
            return Example(truth, given, hole)
    return None


def _measured(filler: Inpainter, examples: Sequence[Example]) -> list[Pixels]:
    filler.fill(examples[0].given, examples[0].hole)
    begun = time.process_time()
    made = [filler.fill(example.given, example.hole) for example in examples]
    seconds = (time.process_time() - begun) / len(examples)
    both = [(example.truth, ours, example.hole) for example, ours in zip(examples, made, strict=True)]
    error = statistics.fmean(_psnr(truth, ours, hole) for truth, ours, hole in both)
    kept = [_detail(ours, hole) / max(1e-6, _detail(truth, hole)) for truth, ours, hole in both]
    print(
        f"{filler.kind}: {seconds * 1000:.0f} ms of CPU a hole, {error:.1f} dB within it, "
        f"{statistics.median(kept):.0%} of the photo's fine detail"
    )
    return made


def _psnr(truth: Pixels, made: Pixels, hole: Hole) -> float:
    difference = truth[hole].astype(np.float64) - made[hole]
    return float(10 * np.log10(255**2 / max(1e-9, float(np.mean(difference**2)))))


def _detail(pixels: Pixels, hole: Hole) -> float:
    """How much the brightness within the hole differs from that around each pixel."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).astype(np.float32)
    return float(np.abs(grey - cv2.GaussianBlur(grey, (0, 0), 2))[hole].mean())


def _row(pictures: Sequence[Pixels], hole: Hole) -> Pixels:
    """The surroundings of the hole in each picture, side by side, all of one size."""
    height, width = hole.shape
    rows, columns = window_of(hole)
    half = min(height, width, round(1.8 * max(rows.stop - rows.start, columns.stop - columns.start))) // 2
    middle = ((rows.start + rows.stop) // 2, (columns.start + columns.stop) // 2)
    top, left = (
        min(max(0, place - half), room - 2 * half) for place, room in zip(middle, (height, width), strict=True)
    )
    tiles = [
        cv2.resize(each[top : top + 2 * half, left : left + 2 * half], (SIDE, SIDE), interpolation=cv2.INTER_AREA)
        for each in pictures
    ]
    return np.hstack([cv2.copyMakeBorder(tile, 2, 2, 2, 2, cv2.BORDER_CONSTANT, value=(255,) * 3) for tile in tiles])


if __name__ == "__main__":
    main()
