"""Taking objects out of photos, and refusing those that would look wrong elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from anamorph.errors import AnamorphError
from anamorph.model import Box, Hole, Pixels, Scene, Thing, setting
from anamorph.pixels.shapes import thing_shape, widened
from anamorph.pixels.windows import ShapeWindow, shape_window
from anamorph.pools.folder import PoolEntry, write_cutout, write_list

CROWD, NO_MASK, BORDER, TINY, HIDDEN, CARRIES, PIECES, UNSURE, OTHER_CLASS, ENOUGH, UNREADABLE, TWICE = (
    "crowd region",
    "no mask",
    "touches the border of its photo",
    "tiny",
    "perhaps behind other objects",
    "has other objects in it",
    "in pieces",
    "unsure score",
    "class not asked for",
    "enough of its class",
    "photo cannot be read",
    "there already",
)

_RIM = 7
# An object that has this share of another's outline surrounds it.
_SURROUNDS = 0.7


@dataclass(frozen=True, slots=True)
class Quality:
    """What a cut-out must be like to be taken."""

    min_side: int = setting(48, "Both sides of its box, in pixels, are at least this.", least=1)
    min_area: int = setting(2000, "Its mask has at least this many pixels.", least=1)
    border: int = setting(2, "Its mask is at least this many pixels away from the photo's border.", least=0)
    most_hidden: float = setting(
        0.1,
        "At most this share of its convex hull is ground of other objects, which may be in front of it.",
        least=0,
        most=1,
    )
    most_contact: float = setting(
        0.25, "At most this share of its outline meets other objects, which may be in front of it.", least=0, most=1
    )
    largest_piece: float = setting(
        0.9,
        "At least this share of its mask is in one piece; one in pieces has something in front of it.",
        least=0,
        most=1,
    )
    min_score: float = setting(0.5, "A segmenter's score of it, where there is one, is at least this.", least=0, most=1)


def why_not(scene: Scene, thing: Thing, quality: Quality) -> str | None:
    """Why an object does not make a good cut-out, or None if it does."""
    if thing.crowd:
        return CROWD
    if thing.mask is None:
        return NO_MASK
    if thing.score is not None and thing.score < quality.min_score:
        return UNSURE
    window = shape_window(thing, scene.height, scene.width)
    if window.area < quality.min_area:
        return TINY
    if min(window.pixels.shape) < quality.min_side:
        return TINY
    if min(window.top, window.left, scene.height - window.bottom, scene.width - window.right) < quality.border:
        return BORDER
    if _largest_piece(window.pixels) < quality.largest_piece:
        return PIECES
    if _carries(scene, thing, window):
        return CARRIES
    hidden, contact = _hidden(scene, thing, window)
    if hidden > quality.most_hidden or contact > quality.most_contact:
        return HIDDEN
    return None


def _largest_piece(shape: Hole) -> float:
    """The share of a shape that its largest connected part has."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(shape.astype(np.uint8), connectivity=8)
    areas = stats[1:, cv2.CC_STAT_AREA]
    return float(areas.max() / areas.sum())


def _carries(scene: Scene, thing: Thing, window: ShapeWindow) -> bool:
    """Whether another object lies within the mask: a table with its cake would bring two classes for one."""
    near = (other for other in scene.things if other.id != thing.id and other.box.overlap(thing.box) > 0)
    windows = (shape_window(other, scene.height, scene.width) for other in near)
    return any(2 * each.common(window) > each.area for each in windows)


def standing_before(scene: Scene, thing: Thing) -> tuple[Thing, ...]:
    """The objects that may hide some of this one: they meet its outline, or the inside of its convex hull."""
    window = shape_window(thing, scene.height, scene.width)
    rim, hull, shape = _surroundings(window, scene)
    around = ShapeWindow.of(rim.top, rim.left, (hull | rim.pixels) & ~shape)
    return tuple(other for other, ground in _before(scene, thing, rim) if ground.common(around))


def _hidden(scene: Scene, thing: Thing, window: ShapeWindow) -> tuple[float, float]:
    """How much of the object's convex hull, and of its outline, belongs to others that may be in front of it."""
    rim, hull, shape = _surroundings(window, scene)
    before = np.zeros(shape.shape, np.bool_)
    for _, ground in _before(scene, thing, rim):
        ground.put_into(before, rim.top, rim.left)
    inside = hull & ~shape
    return float((inside & before).sum() / hull.sum()), float((rim.pixels & before).sum() / max(1, rim.area))


def _surroundings(window: ShapeWindow, scene: Scene) -> tuple[ShapeWindow, Hole, Hole]:
    """The rim around an object, and in the same window its convex hull and its shape."""
    grown = window.grown(_RIM, scene.height, scene.width)
    shape = np.zeros(grown.pixels.shape, np.bool_)
    window.put_into(shape, grown.top, grown.left)
    return ShapeWindow.of(grown.top, grown.left, grown.pixels & ~shape), _hull(shape), shape


def still_hidden(shape: Hole, amodal: Hole, before: Hole, quality: Quality) -> bool:
    """Whether an object that was completed still has the marks of what stood in front of it.

    An inpainter that only blurs makes nothing for it to grow into: then the bite that the others left is still there.
    """
    hull, rim = _hull(amodal), widened(shape, _RIM) & ~shape
    hidden, contact = (hull & before & ~amodal).sum() / hull.sum(), (rim & before & ~amodal).sum() / max(1, rim.sum())
    return bool(hidden > quality.most_hidden or contact > quality.most_contact)


def _hull(shape: Hole) -> Hole:
    hull = np.zeros(shape.shape, np.uint8)
    cv2.fillConvexPoly(hull, cv2.convexHull(cv2.findNonZero(shape.astype(np.uint8))), 1)
    return hull.astype(np.bool_)


def _before(scene: Scene, thing: Thing, rim: ShapeWindow) -> Iterator[tuple[Thing, ShapeWindow]]:
    """The objects near this one that may be in front of it, and their ground; `rim` is what is just around it.

    Masks do not say which of two objects is in front. One that surrounds this object nearly whole is taken to lie
    behind it, like a sofa behind a dog; one that only meets a side of it may hide what is beyond.
    """
    for other in scene.things:
        near = Box(other.box.x - _RIM, other.box.y - _RIM, other.box.width + 2 * _RIM, other.box.height + 2 * _RIM)
        if other.id == thing.id or not near.overlap(thing.box):
            continue
        ground = shape_window(other, scene.height, scene.width)
        if ground.common(rim) < _SURROUNDS * rim.area:
            yield other, ground


def cut_out(pixels: Pixels, thing: Thing) -> Pixels:
    """The object's own box of the photo, with its mask as alpha and no colour where there is none."""
    height, width = pixels.shape[:2]
    shape = thing_shape(thing, height, width)
    rows, columns = np.flatnonzero(shape.any(axis=1)), np.flatnonzero(shape.any(axis=0))
    window = (slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1))
    own = shape[window][..., None]
    return np.concatenate([np.where(own, pixels[window], 0), own.astype(np.uint8) * 255], axis=2).astype(np.uint8)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which cut-outs are taken into a pool."""

    quality: Quality = Quality()
    labels: tuple[str, ...] = ()
    most_per_class: int | None = None


def build_pool(
    folder: Path, scenes: Iterable[Scene], photo: Callable[[Scene], Pixels], wanted: Wanted
) -> Iterator[Scene]:
    """Cut the good objects out of scenes into a folder; yields each scene when it is done, and writes the list last."""
    folder.mkdir(parents=True, exist_ok=True)
    entries: dict[str, PoolEntry] = {}
    counts: dict[str, int] = {}
    rejected: dict[str, int] = {}
    for scene in scenes:
        good: list[Thing] = []
        for thing in scene.things:
            reason = _unwanted(scene, thing, wanted, counts)
            if reason is None:
                good.append(thing)
                counts[thing.label] = counts.get(thing.label, 0) + 1
            else:
                rejected[reason] = rejected.get(reason, 0) + 1
        for entry in _cut(folder, scene, good, photo, rejected):
            if entry.id in entries:
                rejected[TWICE] = rejected.get(TWICE, 0) + 1
            entries.setdefault(entry.id, entry)
        yield scene
    write_list(folder, entries.values(), rejected)


def _unwanted(scene: Scene, thing: Thing, wanted: Wanted, counts: dict[str, int]) -> str | None:
    if wanted.labels and thing.label not in wanted.labels:
        return OTHER_CLASS
    if wanted.most_per_class is not None and counts.get(thing.label, 0) >= wanted.most_per_class:
        return ENOUGH
    return why_not(scene, thing, wanted.quality)


def _cut(
    folder: Path, scene: Scene, things: list[Thing], photo: Callable[[Scene], Pixels], rejected: dict[str, int]
) -> Iterator[PoolEntry]:
    if not things:
        return
    try:
        pixels = photo(scene)
    except AnamorphError:
        rejected[UNREADABLE] = rejected.get(UNREADABLE, 0) + len(things)
        return
    for thing in things:
        rgba = cut_out(pixels, thing)
        id, file, sha256 = write_cutout(folder, rgba, thing.label)
        yield PoolEntry(
            id,
            thing.label,
            file,
            sha256,
            rgba.shape[1],
            rgba.shape[0],
            scene.id,
            thing.id,
            scene.origin.get("licence", ""),
            thing.attributes,
            dict(scene.origin),
        )
