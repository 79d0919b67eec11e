"""How far edited images lie from their photos and from each other (SPOLRE's figure 5c), and a map of them."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from anamorph.concurrency.ordered import in_order
from anamorph.detectors.detection import Floats
from anamorph.errors import MissingExtra, UsageError
from anamorph.model import Pixels
from anamorph.store.pictures import made_images
from anamorph.store.run import RunStore

Embed: TypeAlias = Callable[[Pixels], Floats]

SOURCE = "photo"
# t-SNE needs more points than neighbours.
_LEAST_POINTS = 8
_PERPLEXITY = 30.0


@dataclass(frozen=True, slots=True)
class MapPoint:
    """An image on the map: a photo, or what a method made of it; x and y are from 0 to 1."""

    run: str
    group: str
    scene: str
    image: str
    x: float = 0.0
    y: float = 0.0


@dataclass(frozen=True, slots=True)
class Spread:
    """Of one method: images, mean distance to their own photos (if there are any), and mean distance between two.

    `of_one_photo` is the mean distance between two images that were made of the same photo, None if there are none.
    """

    group: str
    images: int
    from_photo: float | None
    apart: float
    of_one_photo: float | None = None


@dataclass(frozen=True, slots=True)
class DiversityMap:
    """All images as points, and how each group is spread."""

    points: tuple[MapPoint, ...]
    spreads: tuple[Spread, ...]


def diversity(runs: Sequence[tuple[str, RunStore]], embed: Embed, most: int, threads: int, seed: int) -> DiversityMap:
    """Embed up to `most` images of each run and lay them out."""
    found = [each for name, store in runs for each in _embedded(name, store, embed, most, threads)]
    if len(found) < _LEAST_POINTS:
        raise UsageError(f"The runs have {len(found)} images; a map needs at least {_LEAST_POINTS}.")
    points, table = [point for point, _ in found], np.stack([vector for _, vector in found])
    return DiversityMap(tuple(_laid_out(points, table, seed)), tuple(_spreads(points, table)))


def _embedded(name: str, store: RunStore, embed: Embed, most: int, threads: int) -> Iterator[tuple[MapPoint, Floats]]:
    def embedded(image: tuple[MapPoint, str]) -> tuple[MapPoint, Floats]:
        point, file = image
        return point, embed(store.images.pixels(file))

    return in_order(embedded, _images(name, store, most), threads)


def _images(name: str, store: RunStore, most: int) -> Iterator[tuple[MapPoint, str]]:
    """Images that were made, with the method that first uses each; an even choice where there are more than `most`."""
    rows = made_images(store)
    step = max(1.0, len(rows) / most)
    for place in range(min(most, len(rows))):
        image = rows[int(place * step)]
        yield MapPoint(name, image.method if json.loads(image.edits) else SOURCE, image.scene, image.digest), image.file


def _laid_out(points: Sequence[MapPoint], table: Floats, seed: int) -> Iterator[MapPoint]:
    try:
        manifold: Any = importlib.import_module("sklearn.manifold")
    except ImportError as problem:
        raise MissingExtra("A map of images (t-SNE)", "diversity") from problem
    perplexity = min(_PERPLEXITY, (len(points) - 1) / 3)
    # The start by principal components needs some spread; equal images have none.
    start = "pca" if float(table.std(axis=0).max()) > 1e-6 else "random"
    flat = manifold.TSNE(2, perplexity=perplexity, init=start, random_state=seed).fit_transform(table)
    low, high = flat.min(axis=0), flat.max(axis=0)
    places = (flat - low) / np.maximum(high - low, 1e-9)
    for point, (x, y) in zip(points, places, strict=True):
        yield replace(point, x=float(x), y=float(y))


def _spreads(points: Sequence[MapPoint], table: Floats) -> Iterator[Spread]:
    photos = {(p.run, p.scene): v for p, v in zip(points, table, strict=True) if p.group == SOURCE}
    for group in dict.fromkeys(point.group for point in points):
        chosen = [place for place, point in enumerate(points) if point.group == group]
        own = table[chosen]
        sources = [photos.get((points[place].run, points[place].scene)) for place in chosen]
        moved = [float(np.linalg.norm(v - s)) for v, s in zip(own, sources, strict=True) if s is not None]
        siblings: dict[tuple[str, str], list[int]] = {}
        for place in chosen:
            siblings.setdefault((points[place].run, points[place].scene), []).append(place)
        apart = [(len(each) * (len(each) - 1), _mean_distance(table[each])) for each in siblings.values()]
        pairs = sum(count for count, _ in apart)
        within = sum(count * distance for count, distance in apart) / pairs if pairs else None
        yield Spread(group, len(chosen), float(np.mean(moved)) if moved else None, _mean_distance(own), within)


def _mean_distance(vectors: Floats) -> float:
    """The mean distance between two different rows, a block at a time."""
    count = len(vectors)
    if count < 2:
        return 0.0
    squares = (vectors**2).sum(axis=1)
    total = 0.0
    for start in range(0, count, 512):
        block = vectors[start : start + 512]
        against = squares[start : start + 512, None] + squares[None] - 2 * block @ vectors.T
        total += float(np.sqrt(np.maximum(against, 0)).sum())
    return total / (count * (count - 1))
