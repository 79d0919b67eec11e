"""Taking objects out of photos, and refusing those that would look wrong elsewhere."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from anamorph.errors import AnamorphError
from anamorph.model import Box, Hole, Pixels, Scene, Thing, setting
from anamorph.pixels.matching import Floats, is_grey, light_of
from anamorph.pixels.shapes import thing_shape, widened, window_of
from anamorph.pixels.windows import ShapeWindow, shape_window
from anamorph.pools.class_traits import traits_of
from anamorph.pools.folder import Pool, PoolEntry, write_cutout, write_list

(
    CROWD,
    NO_MASK,
    BORDER,
    TINY,
    HIDDEN,
    CARRIES,
    PIECES,
    UNSURE,
    OTHER_CLASS,
    ENOUGH,
    UNREADABLE,
    TWICE,
    STRAIGHT,
    FALLING,
    LYING,
    LOOSE_EDGE,
    GREY,
    NOT_SEEN,
    IN_PARTS,
    NOT_ROUND,
    TALL,
    TRANSPARENT,
    HEADLESS,
    FOUND,
) = (
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
    "cut off along a straight line",
    "not above its own feet",
    "sits or lies",
    "outline does not follow its edge",
    "black and white",
    "not recognised",
    "often seen in parts, and nothing here recognises it",
    "not round",
    "taller than on all fours, and nothing here recognises it",
    "shows what is behind it",
    "no head in view",
    "found by a segmenter",
)

_RIM = 7
# The least score of what is seen on grey, and on how many photos it is looked at.
_SEEN_ON_GREY, _GROUNDS = 0.4, 3
# How far from a circle a round thing may be: its longer side over its shorter one, and its share of the ellipse.
_ROUND = (1.2, 0.93)
# An animal on all fours that is this much taller than wide has its hind part hidden, or sits up.
_TALLEST = 1.8
# Classes that are often seen in several parts need this much less of their mask in one.
_LOOSE = 0.92
# Where a standing person's head and shoulders are, as shares of the height; how wide a head is, and how much wider
# shoulders are than it.
_HEAD, _SHOULDERS, _HEAD_WIDTH, _WIDER = (0.02, 0.09), (0.17, 0.32), (0.05, 0.2), 1.3
# An outline that follows the object's edge has nearly the strongest changes of its neighbourhood.
_LEAST_EDGE_RATIO = 0.8
# How much of its outline may meet other objects, and how much of its convex hull be theirs, if it is surely recognised.
_BESIDE, _WITHIN = 0.55, 0.05
_FEET, _MOST_LEANING, _LEAST_BASE = 0.15, 0.06, 0.42
# An object that has this share of another's outline surrounds it.
_SURROUNDS = 0.7
# An object and its ground whose colours differ by less than this, in CIELAB, cannot be told apart at the rim; how wide
# a rim is trimmed, how far around it is looked, in pixels, and how much of the object must be left.
_APART, _TRIMMED, _NEAR, _LEAST_KEPT = 12.0, 3.5, 12, 0.7


@dataclass(frozen=True, slots=True)
class Quality:
    """How whole an object must be to be taken out of its photo."""

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
    most_inside: float = setting(
        0.0, "Other objects within its mask have at most this share of its pixels.", least=0, most=1
    )
    largest_piece: float = setting(
        0.9,
        "At least this share of its mask is in one piece; one in pieces has something in front of it.",
        least=0,
        most=1,
    )
    min_score: float = setting(0.5, "A segmenter's score of it, where there is one, is at least this.", least=0, most=1)


@dataclass(frozen=True, slots=True)
class CutoutRules(Quality):
    """What an object must be like to be shown in another photo: whole, and recognisable by itself."""

    border: int = setting(5, "Its mask is at least this many pixels away from the photo's border.", least=0)
    most_hidden: float = setting(
        0.06,
        "At most this share of its convex hull is ground of other objects, which may be in front of it.",
        least=0,
        most=1,
    )
    largest_piece: float = setting(
        0.97,
        "At least this share of its mask is in one piece; one in pieces has something in front of it.",
        least=0,
        most=1,
    )
    alone: bool = setting(
        True, "On a photo, it carries no other annotated object: a cup in the hand would bring a cup."
    )
    straight: float = setting(
        0.5,
        "At most this share of its outline on any side is one straight line, unless it is of a boxy class.",
        least=0,
        most=1,
    )
    edge: float = setting(
        4.0, "Colours change by at least this much a pixel, in CIELAB, along its outline.", least=0, most=100
    )
    recognised: float = setting(
        0.75,
        "A recogniser that knows its class, where one is at hand, sees it on grey at least this surely, as one object "
        "that fills its box; 0 asks none.",
        least=0,
        most=1,
    )
    recognised_beside: float = setting(
        0.8,
        "A boxy one that meets others along more of its outline, but is hardly within them, is seen this surely.",
        least=0,
        most=1,
    )


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
    if _inside(scene, thing, window) > quality.most_inside * window.area:
        return CARRIES
    hidden, contact = _hidden(scene, thing, window)
    if hidden > quality.most_hidden or contact > quality.most_contact:
        return HIDDEN
    return None


def why_no_cutout(scene: Scene, thing: Thing, rules: CutoutRules) -> str | None:
    """Why an object would look wrong in another photo, as far as its shape shows that, or None."""
    traits = traits_of(thing.label)
    if traits is not None and traits.loose:
        rules = replace(rules, largest_piece=_LOOSE * rules.largest_piece)
    reason = why_not(scene, thing, rules)
    if reason is not None:
        return reason
    if rules.alone and not scene.is_drawn and _carries(scene, thing):
        return CARRIES
    if traits is not None and traits.transparent and not scene.is_drawn:
        return TRANSPARENT
    shape = shape_window(thing, scene.height, scene.width).pixels
    if traits is not None and not traits.boxy and straightest(shape, below=not scene.is_drawn) > rules.straight:
        return STRAIGHT
    if traits is not None and shape.shape[0] < traits.upright * shape.shape[1]:
        return LYING
    if traits is not None and traits.circular and not scene.is_drawn and not _is_round(shape):
        return NOT_ROUND
    if traits is not None and traits.headed and not scene.is_drawn and not shows_head(shape):
        return HEADLESS
    if traits is not None and traits.rest == "ground" and not stands_on_feet(shape, upright=bool(traits.upright)):
        return FALLING
    return None


def stands_on_feet(shape: Hole, *, upright: bool) -> bool:
    """Whether a shape is above its own feet, and an upright one has both of them on the ground."""
    beside, base = _balance(shape)
    return beside <= _MOST_LEANING and not (upright and base < _LEAST_BASE)


def shows_head(shape: Hole) -> bool:
    """Whether the shape of somebody who stands has a head: narrow at the top, wider at the shoulders."""
    head, shoulders = (float(np.median(_row_widths(shape, *rows))) for rows in (_HEAD, _SHOULDERS))
    low, high = _HEAD_WIDTH
    return low * len(shape) <= head <= high * len(shape) and shoulders >= _WIDER * head


def _row_widths(shape: Hole, start: float, stop: float) -> npt.NDArray[np.intp]:
    """How many pixels a shape has in some of its rows."""
    rows = shape[round(start * len(shape)) : max(round(stop * len(shape)), round(start * len(shape)) + 1)]
    return np.asarray(rows.sum(axis=1), np.intp)


def _is_round(shape: Hole) -> bool:
    """Whether a shape fills a circle: half an orange does not."""
    height, width = shape.shape
    fills = float(shape.mean() / (np.pi / 4))
    return 1 / _ROUND[0] <= width / height <= _ROUND[0] and fills >= _ROUND[1]


def _largest_piece(shape: Hole) -> float:
    """The share of a shape that its largest connected part has."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(shape.astype(np.uint8), connectivity=8)
    areas = stats[1:, cv2.CC_STAT_AREA]
    return float(areas.max() / areas.sum())


def straightest(shape: Hole, *, below: bool) -> float:
    """The largest share of an outline that is one straight line along the photo's own sides; the lower one if asked."""
    shares = []
    for view in (shape, shape[:, ::-1], shape.T, *((shape[::-1].T,) if below else ())):
        lines = view[view.any(axis=1)]
        counts = np.bincount(lines.argmax(axis=1))
        # A line may be a pixel off.
        shares.append(float(np.convolve(counts, (1, 1, 1)).max() / len(lines)))
    return max(shares)


def _balance(shape: Hole) -> tuple[float, float]:
    """How far the middle of an object is beside its feet, and how far these are apart, as shares of its width.

    What leans beyond its feet would fall over; somebody who stands on tiptoe jumps.
    """
    middle = float(shape.sum(axis=0) @ np.arange(shape.shape[1]) / shape.sum())
    feet = np.flatnonzero(shape[int((1 - _FEET) * len(shape)) :].any(axis=0))
    beside = max(feet[0] - middle, middle - feet[-1], 0)
    return float(beside / shape.shape[1]), float((feet[-1] - feet[0] + 1) / shape.shape[1])


def edge_strength(pixels: Pixels, window: ShapeWindow) -> tuple[float, float]:
    """How much colours change along an object's outline, per pixel in CIELAB, and that over the change beside it."""
    around = window.grown(4 * _RIM - 1, pixels.shape[0], pixels.shape[1])
    part = pixels[around.top : around.bottom, around.left : around.right]
    shape = np.zeros(part.shape[:2], np.bool_)
    window.put_into(shape, around.top, around.left)
    lab = cv2.cvtColor((part / 255).astype(np.float32), cv2.COLOR_RGB2LAB)
    across, down = cv2.Sobel(lab, cv2.CV_32F, 1, 0), cv2.Sobel(lab, cv2.CV_32F, 0, 1)
    change = np.sqrt((across * across + down * down).sum(axis=2)) / 8
    inward = cv2.distanceTransform(shape.astype(np.uint8), cv2.DIST_L2, 5)
    outward = cv2.distanceTransform((~shape).astype(np.uint8), cv2.DIST_L2, 5)
    away = np.maximum(inward, outward)
    rim, beside = change[away <= 2], change[(away > 4) & (away < 9)]
    strength = float(rim.mean()) if rim.size else 0.0
    return strength, strength / (float(beside.mean()) + 0.5) if beside.size else 1.0


def _inside(scene: Scene, thing: Thing, window: ShapeWindow) -> int:
    """How many pixels the objects within the mask have: a table with its cake would bring two classes for one."""
    near = (other for other in scene.things if other.id != thing.id and other.box.overlap(thing.box) > 0)
    windows = (shape_window(other, scene.height, scene.width) for other in near)
    return sum(each.area for each in windows if 2 * each.common(window) > each.area)


def _carries(scene: Scene, thing: Thing) -> bool:
    """Whether a smaller object, most of which is in the box of this one, touches it."""
    window = shape_window(thing, scene.height, scene.width)
    near = window.grown(_RIM, scene.height, scene.width)
    return any(
        other.id != thing.id
        and other.box.area < thing.box.area
        and 2 * other.box.overlap(thing.box) > other.box.area
        and shape_window(other, scene.height, scene.width).common(near) > 0
        for other in scene.things
    )


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


def cut_out(pixels: Pixels, thing: Thing, *, trim: bool = False) -> Pixels:
    """The object's own box of the photo, with its mask as alpha and no colour where there is none.

    With `trim`, a rim that looks like the ground beside the object is left out: outlines are drawn by hand.
    """
    height, width = pixels.shape[:2]
    shape = thing_shape(thing, height, width)
    if trim:
        shape = shape & ~_foreign_rim(pixels, shape)
    rows, columns = np.flatnonzero(shape.any(axis=1)), np.flatnonzero(shape.any(axis=0))
    window = (slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1))
    own = shape[window][..., None]
    return np.concatenate([np.where(own, pixels[window], 0), own.astype(np.uint8) * 255], axis=2).astype(np.uint8)


def _foreign_rim(pixels: Pixels, shape: Hole) -> Hole:
    """The part of an object's rim that looks like the ground beside it, and not like the object further in."""
    window = window_of(shape, _NEAR)
    own = np.ascontiguousarray(shape[window])
    lab = np.asarray(cv2.cvtColor((pixels[window] / 255).astype(np.float32), cv2.COLOR_RGB2LAB), np.float32)
    inward = np.asarray(cv2.distanceTransform(np.pad(own, 1).view(np.uint8), cv2.DIST_L2, 5))[1:-1, 1:-1]
    outward = np.asarray(cv2.distanceTransform((~own).view(np.uint8), cv2.DIST_L2, 5))
    inner, outer = _local_mean(lab, (inward > 5) & (inward <= 14)), _local_mean(lab, (outward > 2) & (outward <= 10))
    apart = np.linalg.norm(inner - outer, axis=2) > _APART
    nearer = np.linalg.norm(lab - outer, axis=2) < np.linalg.norm(lab - inner, axis=2)
    found = np.zeros_like(shape)
    # A pixel whose surroundings have no inside, as in a thin leg, is not a number and stays.
    found[window] = own & (inward <= _TRIMMED) & apart & nearer
    kept = cv2.morphologyEx((own & ~found[window]).view(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    # Where much of it would go, the object itself is like its ground there.
    return found if kept.sum() > _LEAST_KEPT * own.sum() else np.zeros_like(shape)


def _local_mean(lab: Floats, where: Hole) -> Floats:
    """The mean colour of some pixels in a neighbourhood; not a number where there are none."""
    weight = where.astype(np.float32)
    count = np.asarray(cv2.boxFilter(weight, -1, (31, 31), normalize=False), np.float32)
    total = np.asarray(cv2.boxFilter(lab * weight[..., None], -1, (31, 31), normalize=False), np.float32)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(count[..., None] > 4, total / count[..., None], np.nan), np.float32)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which cut-outs are taken into a pool."""

    rules: CutoutRules = CutoutRules()
    labels: tuple[str, ...] = ()
    most_per_class: int | None = None
    # What a segmenter found has an outline too rough to be pasted before somebody looked at it.
    annotated: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """How surely a recogniser sees a cut-out whose longer side has this share of the picture's."""

    size: float
    score: float


# How a recogniser sees a cut-out of a class on some ground, or on grey, in several sizes, the largest first; None where
# it does not know the class.
Sees: TypeAlias = Callable[[Pixels, str, Pixels | None], tuple[Look, ...] | None]


def build_pool(
    folder: Path,
    scenes: Iterable[Scene],
    photo: Callable[[Scene], Pixels],
    wanted: Wanted,
    sees: Sees | None = None,
) -> Iterator[Scene]:
    """Cut the good objects out of scenes into a folder; yields each scene when it is done, and writes the list last."""
    folder.mkdir(parents=True, exist_ok=True)
    entries: dict[str, PoolEntry] = {}
    counts: dict[str, int] = {}
    rejected: dict[str, int] = {}
    grounds = _Grounds()
    for scene in scenes:
        pixels = functools.cache(functools.partial(_pixels, scene, photo))
        for thing in scene.things:
            made = _made(folder, scene, thing, pixels, wanted, counts, sees)
            if isinstance(made, PoolEntry) and made.id in entries:
                made = TWICE
            if isinstance(made, PoolEntry):
                entries[made.id] = made
                counts[thing.label] = counts.get(thing.label, 0) + 1
            else:
                rejected[made] = rejected.get(made, 0) + 1
        if sees is not None and pixels.cache_info().currsize and (read := pixels()) is not None:
            grounds.offer(read.pixels)
        yield scene
    if sees is not None:
        entries = _measured(folder, entries, grounds.chosen, sees)
    write_list(folder, entries.values(), rejected, accepted=not wanted.rules.recognised)


def _measured(
    folder: Path, entries: Mapping[str, PoolEntry], grounds: Sequence[Pixels], sees: Sees
) -> dict[str, PoolEntry]:
    """Entries with how surely the recogniser sees them at which size, which a plan needs to know."""
    write_list(folder, entries.values(), {})
    pool = Pool.open(folder)
    return {
        id: entry
        if entry.score is None
        else replace(entry, seen=_seen(pool.cutout(id).rgba, entry.label, grounds, sees))
        for id, entry in entries.items()
    }


@dataclass(slots=True)
class _Grounds:
    """A few photos out of a stream, each as likely as any other, to show cut-outs on."""

    chosen: list[Pixels] = field(default_factory=list)
    _count: int = 0
    _rng: Random = field(default_factory=lambda: Random(0))

    def offer(self, pixels: Pixels) -> None:
        self._count += 1
        if len(self.chosen) < _GROUNDS:
            self.chosen.append(_small(pixels))
        elif (place := self._rng.randrange(self._count)) < _GROUNDS:
            self.chosen[place] = _small(pixels)


def _small(pixels: Pixels) -> Pixels:
    return np.asarray(cv2.resize(pixels, (640, 640), interpolation=cv2.INTER_AREA), np.uint8)


def _made(
    folder: Path,
    scene: Scene,
    thing: Thing,
    photo: Callable[[], _Photo | None],
    wanted: Wanted,
    counts: dict[str, int],
    sees: Sees | None,
) -> PoolEntry | str:
    """The entry of a cut-out that was written, or why the object is left out."""
    rules = wanted.rules
    if wanted.labels and thing.label not in wanted.labels:
        return OTHER_CLASS
    if wanted.most_per_class is not None and counts.get(thing.label, 0) >= wanted.most_per_class:
        return ENOUGH
    if wanted.annotated and thing.score is not None:
        return FOUND
    reason = why_no_cutout(scene, thing, rules)
    if reason is None:
        return _cut(folder, scene, thing, photo(), rules, sees)
    traits = traits_of(thing.label)
    boxy = traits is not None and traits.boxy
    if reason == HIDDEN and boxy and sees is not None and rules.recognised and not scene.is_drawn:
        # One that only stands close to others is whole, if it looks like it; somebody may have lost their feet.
        beside = replace(rules, most_contact=max(_BESIDE, rules.most_contact), most_hidden=_WITHIN)
        if why_no_cutout(scene, thing, beside) is None:
            surely = replace(rules, recognised=max(rules.recognised, rules.recognised_beside))
            made = _cut(folder, scene, thing, photo(), surely, sees, known=True)
            return HIDDEN if made == NOT_SEEN else made
    return reason


@dataclass(frozen=True, slots=True, eq=False)
class _Photo:
    pixels: Pixels
    light: tuple[float, ...]
    grey: bool


def _pixels(scene: Scene, photo: Callable[[Scene], Pixels]) -> _Photo | None:
    try:
        pixels = photo(scene)
    except AnamorphError:
        return None
    return _Photo(pixels, light_of(pixels), is_grey(pixels))


def _cut(
    folder: Path,
    scene: Scene,
    thing: Thing,
    photo: _Photo | None,
    rules: CutoutRules,
    sees: Sees | None,
    *,
    known: bool = False,
) -> PoolEntry | str:
    """The entry of a cut-out that was written, or why its pixels will not do; it may have to be of a `known` class."""
    if photo is None:
        return UNREADABLE
    if photo.grey:
        return GREY
    traits = traits_of(thing.label)
    # Of a chair or a plant, any part may be annotated; only a recogniser knows whether it is enough.
    parts = traits is not None and (traits.loose or traits.varied)
    if sees is None and rules.recognised and not scene.is_drawn:
        if parts:
            return IN_PARTS
        if traits is not None and traits.on_fours and thing.box.height > _TALLEST * thing.box.width:
            return TALL
    strength, ratio = edge_strength(photo.pixels, shape_window(thing, scene.height, scene.width))
    if strength < rules.edge or ratio < _LEAST_EDGE_RATIO:
        return LOOSE_EDGE
    rgba = cut_out(photo.pixels, thing, trim=not scene.is_drawn)
    looks = sees(rgba, thing.label, None) if sees is not None and rules.recognised else None
    score = None if looks is None else _score(looks)
    if (score is None and known) or (score is not None and score < rules.recognised):
        return NOT_SEEN
    id, file, sha256 = write_cutout(folder, rgba, thing.label)
    return PoolEntry(
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
        photo.light,
        None if score is None else round(score, 3),
    )


def _score(looks: Sequence[Look]) -> float:
    """The best score of the sizes down to the first at which it is not seen."""
    return max((look.score for look in itertools.takewhile(lambda look: look.score >= _SEEN_ON_GREY, looks)), default=0)


def _seen(rgba: Pixels, label: str, grounds: Sequence[Pixels], sees: Sees) -> tuple[tuple[float, float], ...]:
    """How surely a cut-out is seen on photos, at each size."""
    by_size = zip(*(sees(rgba, label, ground) or () for ground in grounds), strict=True)
    return tuple((round(same[0].size, 3), round(sum(look.score for look in same) / len(same), 3)) for same in by_size)
