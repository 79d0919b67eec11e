"""A segmenter that knows objects by their colour, scenes made of such objects, and inpainters that do it badly."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from anamorph import catalog
from anamorph.errors import BadPicture, UsageError
from anamorph.model import Hole, Pixels, Scene, Skip, Thing, setting
from anamorph.pixels.masks import mask_box, mask_from_pixels

COLOURS = {"dog": (200, 0, 0), "cat": (0, 0, 200), "tree": (0, 200, 0)}
GROUND = (90, 90, 90)
SIZE = 60


def coloured(pixels: Pixels, label: str) -> Hole:
    return np.asarray(np.all(pixels == COLOURS[label], axis=2))


def thing_of(label: str, shape: Hole, score: float | None = None) -> Thing:
    mask = mask_from_pixels(shape)
    return Thing(label, label, mask_box(mask), mask, score)


class Log:
    """What the segmenter was asked, and how it is to fail."""

    def __init__(self) -> None:
        self.looks = 0
        self.lock = threading.Lock()
        self.fails_on: set[int] = set()
        self.unusable = False
        self.version = 1
        self.score = 0.9


log = Log()


@dataclass(frozen=True)
class ColourSegmenter:
    """Finds every object of a known colour, if it covers more than a few pixels."""

    kind: ClassVar[str] = "colour"
    least: int = setting(9, "Fewer pixels are no object.")

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"version": log.version, "least": self.least}

    def segment(self, pixels: Pixels) -> tuple[Thing, ...]:
        with log.lock:
            log.looks += 1
        if log.unusable:
            raise UsageError("There are no weights.")
        if int(pixels[0, 0, 0]) in log.fails_on:
            raise ValueError("too odd a photo")
        shapes = {label: coloured(pixels, label) for label in COLOURS}
        return tuple(
            thing_of(label, shape, log.score) for label, shape in shapes.items() if int(shape.sum()) > self.least
        )


@dataclass(frozen=True)
class ColourScenes:
    """A large tree, a dog and perhaps a cat on grey ground; the top left pixel is the number of the scene."""

    kind: ClassVar[str] = "coloured"
    count: int = setting(3, "How many.")
    annotated: bool = setting(False, "Whether the objects are annotated, under other names.")
    broken: tuple[int, ...] = setting((), "Which ones cannot be decoded.")
    scanned: ClassVar[list[str]] = []

    def scan(self) -> Iterator[Scene | Skip]:
        for index in range(self.count):
            self.scanned.append(f"s{index}")
            things: tuple[Thing, ...] = (replace(named("tree"), label="plant"), replace(named("dog"), label="wolf"))
            things = things if self.annotated else ()
            scene = Scene(f"s{index}", f"{index}", SIZE, SIZE, things, ("a dog by a tree",))
            yield replace(scene, origin={"from": "paint"})

    def pixels(self, scene: Scene) -> Pixels:
        if int(scene.picture) in self.broken:
            raise BadPicture(f"{scene.picture} is broken.")
        return painted(int(scene.picture))


def named(label: str) -> Thing:
    return thing_of(label, coloured(painted(0), label))


def painted(number: int) -> Pixels:
    pixels = np.full((SIZE, SIZE, 3), GROUND, np.uint8)
    pixels[2:50, 2:25] = COLOURS["tree"]
    pixels[10:20, 40:50] = COLOURS["dog"]
    pixels[0, 0] = number
    return pixels


@dataclass(frozen=True)
class GroundFill:
    """Fills with the ground, as one should."""

    kind: ClassVar[str] = "ground"

    def fill(self, pixels: Pixels, hole: Hole) -> Pixels:
        return _filled(pixels, hole, GROUND)


@dataclass(frozen=True)
class Lazy:
    """Changes almost nothing."""

    kind: ClassVar[str] = "lazy"

    def fill(self, pixels: Pixels, hole: Hole) -> Pixels:
        return pixels.copy()


@dataclass(frozen=True)
class Dreamer:
    """Makes up a cat."""

    kind: ClassVar[str] = "dreamer"

    def fill(self, pixels: Pixels, hole: Hole) -> Pixels:
        return _filled(pixels, hole, COLOURS["cat"])


@dataclass(frozen=True)
class Copyist:
    """Fills with more of the tree."""

    kind: ClassVar[str] = "copyist"

    def fill(self, pixels: Pixels, hole: Hole) -> Pixels:
        return _filled(pixels, hole, COLOURS["tree"])


def _filled(pixels: Pixels, hole: Hole, colour: tuple[int, int, int]) -> Pixels:
    filled = pixels.copy()
    filled[hole] = colour
    return filled


def use_colours() -> Log:
    """Make all of them known, with a new log."""
    global log
    log = Log()
    ColourScenes.scanned.clear()
    catalog._loaded.setdefault("scenes", {})["coloured"] = ColourScenes
    catalog._loaded.setdefault("segmenters", {})["colour"] = ColourSegmenter
    for inpainter in (GroundFill, Lazy, Dreamer, Copyist):
        catalog._loaded.setdefault("inpainters", {})[inpainter.kind] = inpainter
    return log
