"""Training samples: a small picture with changes that keep its truth, and the items that are on it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

import cv2
import numpy as np
from draw import HEIGHT, HELD_BACK_SEED, TRAINING_SEED, WIDTH

from anamorph.toybox.drawing.appearances import INKS
from anamorph.toybox.drawing.backgrounds import BACKGROUNDS
from anamorph.toybox.drawing.classes import ACTIONS, CLASSES
from anamorph.toybox.drawing.composing import box_of, compose
from anamorph.toybox.drawing.recipes import Item, Recipe

LABELS, COLOURS, PLACES, FORMS = tuple(CLASSES), tuple(INKS), tuple(BACKGROUNDS), ("man", "woman", "child")
STRIDE = 8
COLUMNS, ROWS = WIDTH // STRIDE, HEIGHT // STRIDE
PADDING = 114


@dataclass
class Sample:
    """A picture and what is on it: (item, left, top, right, bottom) in pixels of the small picture."""

    pixels: np.ndarray
    items: list[tuple[Item, float, float, float, float]]
    recipe: Recipe
    changed: bool = False


class Scenes:
    """The drawn scenes of one array; those that are not drawn yet are left out."""

    def __init__(self, folder: Path, name: str) -> None:
        self.pictures = np.load(folder / f"{name}.npy", mmap_mode="r")
        self.seed = TRAINING_SEED if name == "training" else HELD_BACK_SEED
        self.recipes: list[Recipe] = []

    def available(self) -> int:
        low, high = 0, len(self.pictures)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.pictures[middle].any() else (low, middle)
        while len(self.recipes) < low:
            self.recipes.append(compose(self.seed, len(self.recipes)))
        return low

    def sample(self, index: int, rng: Random | None = None) -> Sample:
        recipe = self.recipes[index]
        items = []
        for item in recipe.items:
            box = box_of(item)
            items.append((item, box.x * HEIGHT, box.y * HEIGHT, box.right * HEIGHT, box.bottom * HEIGHT))
        sample = Sample(np.array(self.pictures[index]), items, recipe)
        return sample if rng is None else vary(sample, rng)


def vary(sample: Sample, rng: Random) -> Sample:
    """Mirror, cut off a part between things, cover bare ground, change the light, blur."""
    if rng.random() < 0.5:
        sample.pixels = sample.pixels[:, ::-1].copy()
        sample.items = [
            (item, WIDTH - right, top, WIDTH - left, bottom) for item, left, top, right, bottom in sample.items
        ]
    if rng.random() < 0.25:
        _cut(sample, rng)
    if rng.random() < 0.15:
        _cover(sample, rng)
    picture = sample.pixels.astype(np.float32)
    if rng.random() < 0.6:
        mean = float(picture.mean())
        picture = (mean + (picture - mean) * rng.uniform(0.7, 1.25)) * rng.uniform(0.7, 1.2)
    if rng.random() < 0.15:
        picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.3, 0.9))
    sample.pixels = np.clip(picture, 0, 255).astype(np.uint8)
    return sample


def _cut(sample: Sample, rng: Random) -> None:
    axis = rng.randrange(2)
    size = (WIDTH, HEIGHT)[axis]
    spans = [(entry[1 + axis], entry[3 + axis]) for entry in sample.items]
    free = [at for at in range(size // 5, size - size // 5) if all(high <= at or low >= at for low, high in spans)]
    if not free:
        return
    at = rng.choice(free)
    first = rng.random() < 0.5
    keep = slice(0, at) if first else slice(at, size)
    piece = sample.pixels[:, keep] if axis == 0 else sample.pixels[keep]
    canvas = np.full((HEIGHT, WIDTH, 3), PADDING, np.uint8)
    top, left = (HEIGHT - piece.shape[0]) // 2, (WIDTH - piece.shape[1]) // 2
    canvas[top : top + piece.shape[0], left : left + piece.shape[1]] = piece
    dx, dy = (left - keep.start, top) if axis == 0 else (left, top - keep.start)
    kept = [entry for entry, (low, high) in zip(sample.items, spans, strict=True) if (high <= at) == first]
    sample.pixels, sample.changed = canvas, len(kept) < len(sample.items)
    sample.items = [(item, a + dx, b + dy, c + dx, d + dy) for item, a, b, c, d in kept]


def _cover(sample: Sample, rng: Random) -> None:
    width, height = rng.randrange(8, 36), rng.randrange(8, 36)
    x, y = rng.randrange(WIDTH - width), rng.randrange(HEIGHT - height)
    if all(x >= c or x + width <= a or y >= d or y + height <= b for _, a, b, c, d in sample.items):
        sample.pixels[y : y + height, x : x + width] = 255


@dataclass
class Targets:
    """What the dense heads should say; -1 where they are not asked."""

    heat: np.ndarray
    colour: np.ndarray
    action: np.ndarray
    form: np.ndarray
    place: int


def cell_of(left: float, top: float, right: float, bottom: float) -> tuple[int, int]:
    """The row and column of the cell where the middle of a box lies."""
    column = min(COLUMNS - 1, max(0, int((left + right) / 2 / STRIDE)))
    return min(ROWS - 1, max(0, int((top + bottom) / 2 / STRIDE))), column


def targets_of(sample: Sample) -> Targets:
    heat = np.zeros((len(LABELS), ROWS, COLUMNS), np.float32)
    colour, action, form = (np.full((ROWS, COLUMNS), -1, np.int64) for _ in range(3))
    ys, xs = np.mgrid[:ROWS, :COLUMNS]
    for item, left, top, right, bottom in sample.items:
        row, column = cell_of(left, top, right, bottom)
        sigma = max(0.45, 0.1 * np.sqrt((right - left) * (bottom - top)) / STRIDE)
        cx, cy = (left + right) / 2 / STRIDE - 0.5, (top + bottom) / 2 / STRIDE - 0.5
        bump = np.exp(-((xs - cx) ** 2 + (ys - cy) ** 2) / (2 * sigma**2))
        plane = heat[LABELS.index(item.label)]
        np.maximum(plane, np.minimum(bump, 0.95), out=plane)
        plane[row, column] = 1
        if item.label == "person":
            action[row, column] = ACTIONS.index(item.action)
            form[row, column] = FORMS.index(item.form)
        elif item.colour:
            colour[row, column] = COLOURS.index(item.colour)
    return Targets(heat, colour, action, form, PLACES.index(sample.recipe.background))
