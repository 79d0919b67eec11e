"""Places where a new object rests on something, at the size that it has there.

A camera held level sees whatever is as far away as an object with its feet in the same row of the picture. So an object
whose class has a known size gives the scale of its row, in pixels per metre, and rows below it are nearer: the scale
grows by one pixel per metre for as many pixels as the camera is metres above the ground. Objects that stand, lie on a
table or swim are put in the rows of others that do, on ground that looks like theirs (`Scene.footings`).

On a photo, only whole, upright objects of classes with a narrow size show a scale, and they must agree: where two do
not, where the camera looks down, or where there are none, nothing is inserted. Nothing is shrunk to fit.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from anamorph.edits.insert import Insert
from anamorph.methods.inserting.overlaps import (
    Feasible,
    Floats,
    Hides,
    PlacementRules,
    Size,
    largest_of,
    overlap_interval,
    size_range,
)
from anamorph.methods.melting.belonging import MOUNTS
from anamorph.model import Box, Hole, Scene, Thing
from anamorph.model.scene import SKY
from anamorph.pixels.blending import Blend
from anamorph.pixels.masks import mask_area, mask_common, mask_in_window, mask_pixels
from anamorph.pixels.shapes import thing_shape, union_shape
from anamorph.pools.class_traits import ClassTraits, Rest, carries, class_name, drives, is_on_pole, lies_on, traits_of
from anamorph.pools.cutouts import CutoutRules, why_no_cutout

# Running sums of a shape over both axes, so that the share of any box is four look-ups.
Sums: TypeAlias = npt.NDArray[np.int32]

# How high a camera is held, in metres, and what other heights are believed; above a table it is nearer.
_EYES = 1.5
_BELIEVED = (0.8, 3.5)
_ABOVE_TABLE = 0.8
# A foot this near to the edge of the photo, in pixels, is cut off.
_EDGE = 3
# Feet level with an anchor's, then nearer and farther, as shares of its height: farther off, errors of scale add up.
_LEVELS = (0.0, 0.05, -0.04, 0.1, -0.08, 0.15)
# Individuals differ a little from the size of their class; the usual size is tried first.
_FACTORS = (1.0, 0.94, 1.06)
# An object that shows a scale is as whole as a cut-out, but may be smaller, and may carry a bag.
_WHOLE = CutoutRules(min_side=20, min_area=300, border=_EDGE, alone=False, most_inside=1.0, largest_piece=0.85)
# How much of somebody's height is near their feet.
_FEET = 0.3
# Two scales of one row that differ by more than this factor are not of one scene, or one of them is not what it seems.
_AGREE = 1.3
# Where the horizon is as shares of the photo's height, if a camera neither looks down nor up.
_HORIZONS = (-0.05, 0.7)
# Ground is this far below the horizon, as a share of the photo's height.
_BELOW = 0.04
# Where these are, the ground may be water.
_IN_WATER = frozenset(("boat", "surfboard"))
# Signs whose scale is this much larger than that of a new object are in front of it.
_IN_FRONT = 1.3
_ROWS = 5
_LOOKS = 40
_MOST_LARGE = 0.35
_LEAST_SIDE = 28
# How much of the strip under the new object's feet must be ground; in front of others, less of it is seen.
_ON_GROUND, _ON_GROUND_IN_FRONT, _ON_TABLE = 0.8, 0.4, 0.95
# Where feet begin and end, as a share of the object's width on either side.
_ASIDE, _ASIDE_ON_SURFACE = 0.15, 0.05
# How far back its feet reach, as shares of its height and of its width, at least, and how far ground goes on in front.
_DEPTH = (0.05, 0.12)
_FRONT = 0.04
_REACHED = 0.75
# Less ground than this share of the photo is no ground.
_LEAST_FOOTING = 0.015
# What lies on a surface, and is this much higher than wide, hangs.
_HANGING = 1.4
# How far above and below a thing on a table that is sure to be level, as a share of the photo's height; how many things
# are looked at, and how long they must be, in pixels, to show a scale.
_BEYOND, _MOST_ON_CARRIER, _LEAST_MEASURED = 0.05, 6, 20


@dataclass(frozen=True, slots=True, eq=False)
class Anchor:
    """An object that rests on something in view; `scale` is in pixels per metre, None where its size is not known.

    `carrier` is the class of the annotated object that it lies on.
    """

    thing: Thing
    rest: Rest
    scale: float | None
    footing: Sums | None
    carrier: str | None = None

    @property
    def foot(self) -> float:
        return self.thing.box.bottom


@dataclass(slots=True)
class Stage:
    """All that matters of a scene for places: what rests where, how the scale changes with the rows, the sky."""

    scene: Scene
    anchors: list[Anchor] = field(init=False)
    eyes: float = field(init=False)
    sky: Sums | None = field(init=False)
    _boxes: list[Box] = field(init=False)
    _taken: Sums | None = field(init=False, default=None)
    # The signs with their scales.
    _signs: list[tuple[Box, float]] = field(init=False)

    def __post_init__(self) -> None:
        self._boxes = [thing.box for thing in self.scene.things]
        self._signs = [
            (replace(thing.box, height=self.scene.height - thing.box.y), scale)
            for thing in self.scene.things
            if is_on_pole(thing.label) and (scale := _scale(thing, traits_of(thing.label))) is not None
        ]
        footings = {each.object: each.mask for each in self.scene.footings}
        self.sky = _sums(mask_pixels(footings[SKY])) if SKY in footings else None
        self.anchors = []
        for thing in self.scene.things:
            if not rests(thing, self.scene) or (self.scene.footings and thing.id not in footings):
                continue
            if not shows_scale(thing, self.scene):
                continue
            if any(carries(other.label) and _lies_on(thing, other, self.scene) for other in self.scene.things):
                continue
            footing = _sums(mask_pixels(footings[thing.id])) if thing.id in footings else None
            if footing is not None and footing[-1, -1] < _LEAST_FOOTING * self.scene.width * self.scene.height:
                continue
            traits = traits_of(thing.label)
            rest: Rest = "ground" if traits is None or traits.stands else traits.rest
            self.anchors.append(Anchor(thing, rest, _scale(thing, traits), footing))
        self.anchors += self._on_carriers()
        self.eyes = _height_of_eyes(self.anchors)
        low, high = _BELIEVED
        if not self.scene.is_drawn:
            # From a bridge or a window, sizes are seen foreshortened.
            held = low <= self.eyes <= high
            self.anchors = [each for each in self.anchors if self._agrees(each) and (held or each.rest != "ground")]
        self.eyes = min(max(self.eyes, low), high)

    def _agrees(self, anchor: Anchor) -> bool:
        """Whether no other anchor of its kind says otherwise about its row, and the camera is held level."""
        for other in self.anchors:
            scale = self.scale_at(other, anchor.foot)
            if other.rest != anchor.rest or other.carrier != anchor.carrier or scale is None or anchor.scale is None:
                continue
            if not 1 / _AGREE <= scale / anchor.scale <= _AGREE:
                return False
        low, high = _HORIZONS
        return anchor.rest != "ground" or low <= self._horizon(anchor) / self.scene.height <= high

    def _horizon(self, anchor: Anchor) -> float:
        """The row where the scale would be nothing."""
        return anchor.foot if anchor.scale is None else anchor.foot - self.eyes * anchor.scale

    def _on_carriers(self) -> Iterator[Anchor]:
        """Things on tables, beds and couches as anchors: what these show of themselves is their ground."""
        scene, things = self.scene, self.scene.things
        for carrier in things:
            if not carries(carrier.label) or carrier.mask is None or carrier.crowd:
                continue
            on_it = [thing for thing in things if _lies_on(thing, carrier, scene) and shows_scale(thing, scene)]
            if not on_it:
                continue
            others = union_shape((thing for thing in things if thing is not carrier), scene.height, scene.width)
            ground = thing_shape(carrier, scene.height, scene.width) & ~others
            feet = [thing.box.bottom for thing in on_it]
            # Between things that lie on it, it is level; nearer than those, a table may show its legs.
            level, margin = np.zeros_like(ground), _BEYOND * scene.height
            rows = slice(max(0, round(min(feet) - margin)), round(max(feet) + margin))
            level[rows] = ground[rows]
            footing = _sums(level)
            for thing in sorted(on_it, key=lambda thing: -thing.box.area)[:_MOST_ON_CARRIER]:
                yield Anchor(thing, "surface", _scale(thing, traits_of(thing.label)), footing, carrier.label)

    def scale_at(self, anchor: Anchor, foot: float) -> float | None:
        """The scale of a row by one anchor."""
        if anchor.scale is None:
            return None
        return anchor.scale + (foot - anchor.foot) / (_ABOVE_TABLE if anchor.rest == "surface" else self.eyes)

    def taken(self) -> Sums:
        """The pixels of all objects."""
        if self._taken is None:
            self._taken = _sums(union_shape(self.scene.things, self.scene.height, self.scene.width))
        return self._taken

    def suits(self, label: str) -> bool:
        """Whether anything here is of the kind that an object of this class could rest beside."""
        rest = rest_of(label)
        if rest == "sky":
            return self.sky is not None
        if traits_of(label) is None and not self.scene.is_drawn:
            return False
        return any(map(_suiting(label, drawn=self.scene.is_drawn), self.anchors))

    def places(
        self,
        label: str,
        cutout: Size,
        intervals: Sequence[int],
        rules: PlacementRules,
        rng: Random,
        hides: Hides | None = None,
        least_side: float = 0.0,
    ) -> dict[int, Box]:
        """A box for as many of the intervals as one size and one row have places for; all of one size.

        Its longer side has at least the share `least_side` of the picture's.
        """
        best: dict[int, Box] = {}
        least = least_side * max(self.scene.width, self.scene.height)
        for size, rows, anchor in self._candidates(label, cutout, rules, rng):
            if max(size) < least:
                continue
            found = self._placed(size, rows, anchor, self._poles(label, size), intervals, rules, rng, hides)
            if len(found) > len(best):
                best = found
            if len(best) == len(intervals):
                break
        return best

    def _candidates(
        self, label: str, cutout: Size, rules: PlacementRules, rng: Random
    ) -> Iterator[tuple[Size, range, Anchor | None]]:
        """Sizes with the rows of the top edge that go with them."""
        rest, traits = rest_of(label), traits_of(label)
        if rest == "sky":
            for share in rng.sample((0.02, 0.03, 0.045), 3) if self.sky is not None else ():
                size = _scaled(cutout, (share * self.scene.width * self.scene.height / (cutout[0] * cutout[1])) ** 0.5)
                if self._is_good(size, cutout, rules):
                    yield size, range(0, self.scene.height - size[1] + 1, 4), None
            return
        if not self.suits(label):
            return
        anchors = list(filter(_suiting(label, drawn=self.scene.is_drawn), self.anchors))
        rng.shuffle(anchors)
        yield from self._beside(anchors, cutout, traits, rules, rng)

    def _beside(
        self, anchors: Sequence[Anchor], cutout: Size, traits: ClassTraits | None, rules: PlacementRules, rng: Random
    ) -> Iterator[tuple[Size, range, Anchor | None]]:
        """Sizes and rows level with anchors, then nearer and farther."""
        for level, factor in itertools.product(_LEVELS, _FACTORS):
            for anchor in anchors:
                foot = anchor.foot + (level + rng.uniform(-0.02, 0.02)) * anchor.thing.box.height
                scale = self.scale_at(anchor, foot)
                if scale is None or traits is None:
                    size = _scaled(cutout, self._usual(cutout, rules) * factor)
                else:
                    size = _scaled(cutout, factor * traits.metres * scale / traits.extent(*cutout))
                if not self._is_good(size, cutout, rules):
                    continue
                band = max(1.0, 0.01 * self.scene.height)
                first = max(0, round(foot - band) - size[1])
                last = min(self.scene.height - _EDGE - size[1], round(foot + band) - size[1])
                if last >= first:
                    yield size, range(first, last + 1, max(1, (last - first) // (_ROWS - 1))), anchor

    def _usual(self, cutout: Size, rules: PlacementRules) -> float:
        """Equation 1's middle size as a factor, for classes whose size nobody knows."""
        least, most = size_range(self._boxes, self.scene.width, self.scene.height, rules)
        return float(((least + most) / 2 / (cutout[0] * cutout[1])) ** 0.5)

    def _is_good(self, size: Size, cutout: Size, rules: PlacementRules) -> bool:
        """Large enough to be noticed, small enough for the photo, and not blurred by being enlarged."""
        share = size[0] * size[1] / (self.scene.width * self.scene.height)
        fits = size[0] <= self.scene.width - 2 * _EDGE and size[1] <= self.scene.height - _EDGE
        return (
            fits
            and min(size) >= _LEAST_SIDE
            and rules.least_area <= share <= _MOST_LARGE
            and size[0] <= rules.most_enlarged * cutout[0] + 1
        )

    def _placed(
        self,
        size: Size,
        rows: range,
        anchor: Anchor | None,
        poles: Sequence[Box],
        intervals: Sequence[int],
        rules: PlacementRules,
        rng: Random,
        hides: Hides | None,
    ) -> dict[int, Box]:
        tops = np.array(rows, np.intp)
        lefts = np.arange(_EDGE, self.scene.width - _EDGE - size[0] + 1, dtype=np.intp)
        if not len(tops) or not len(lefts):
            return {}
        shares, behind = self._shares(size, tops, lefts, anchor)
        first = largest_of(self._boxes)
        others = np.delete(shares, first, axis=0).max(axis=0, initial=0.0)
        free: Feasible = np.ones(behind.shape, np.bool_)
        for pole in poles:
            beside = (lefts >= pole.right) | (lefts + size[0] <= pole.x)
            free &= beside | (tops + size[1] <= pole.y)[:, None]
        found: dict[int, Box] = {}
        for index in sorted(intervals, reverse=True):
            low, high = overlap_interval(index, rules)
            if index == 0:
                allowed = (shares.max(axis=0) == 0) & free
            else:
                allowed = (shares[first] > low) & (shares[first] <= high) & (others <= high) & behind & free
            if not allowed.any():
                continue
            allowed &= self._on_footing(size, tops, lefts, anchor, alone=index == 0)
            box = _drawn(allowed, tops, lefts, size, rng, hides)
            if box is not None:
                found[index] = box
        return found

    def _poles(self, label: str, size: Size) -> list[Box]:
        """Signs and lights that are nearer than an object of this size, with all that is below them."""
        traits = traits_of(label)
        if traits is None or traits.rest == "sky":
            return []
        most = _IN_FRONT * traits.extent(*size) / traits.metres
        return [box for box, scale in self._signs if scale > most]

    def _shares(
        self, size: Size, tops: npt.NDArray[np.intp], lefts: npt.NDArray[np.intp], anchor: Anchor | None
    ) -> tuple[Floats, Feasible]:
        """How much of each box is covered at each place, and whether all that is covered is farther away."""
        sides = np.array([[b.x, b.y, b.right, b.bottom] for b in self._boxes])
        across = np.minimum(lefts + size[0], sides[:, 2:3]) - np.maximum(lefts, sides[:, 0:1])
        down = np.minimum(tops + size[1], sides[:, 3:4]) - np.maximum(tops, sides[:, 1:2])
        areas = np.array([box.area for box in self._boxes])[:, None, None]
        shares = np.maximum(down, 0)[:, :, None] * np.maximum(across, 0)[:, None, :] / np.maximum(areas, 1e-9)
        nearer = sides[:, 3:4] > tops + size[1] + np.maximum(3, 0.03 * (sides[:, 3:4] - sides[:, 1:2]))
        if anchor is not None and anchor.rest == "surface":
            # What lies on a table covers it, however near its edge is.
            nearer[[position for position, each in enumerate(self.scene.things) if carries(each.label)]] = False
        return shares, ~((shares > 0) & nearer[:, :, None]).any(axis=0)

    def _on_footing(
        self,
        size: Size,
        tops: npt.NDArray[np.intp],
        lefts: npt.NDArray[np.intp],
        anchor: Anchor | None,
        *,
        alone: bool,
    ) -> Feasible:
        """Where the new object's feet are on the anchor's ground, or its whole box is in the sky."""
        if anchor is None:
            assert self.sky is not None
            return _share_of(self.sky, tops, tops + size[1], lefts, lefts + size[0]) >= 0.97
        box = anchor.thing.box
        near: Feasible = (
            np.abs(lefts + size[0] / 2 - box.x - box.width / 2) <= 1.5 * box.height + (box.width + size[0]) / 2
        )
        if anchor.footing is None:
            return np.broadcast_to(near, (len(tops), len(lefts)))
        feet = tops + size[1]
        # Beside a table's edge there is nothing; what stands may have a foot beyond.
        aside = _ASIDE_ON_SURFACE if anchor.rest == "surface" else _ASIDE
        start, stop = lefts + round(aside * size[0]), lefts + round((1 - aside) * size[0])
        above = np.maximum(0, feet - max(2, round(_DEPTH[0] * size[1]), round(_DEPTH[1] * size[0])))
        below = np.minimum(self.scene.height, feet + 2)
        ground = _share_of(anchor.footing, above, below, start, stop)
        taken = _share_of(self.taken(), above, below, start, stop)
        reached = self._reached(size, feet, lefts, anchor)
        if anchor.rest == "ground":
            # A ledge ends before one's feet; ground goes on, and it is below the horizon.
            front = np.minimum(self.scene.height, feet + max(2, round(_FRONT * size[1])))
            onward = _share_of(anchor.footing, feet - 1, front, start, stop)
            taken_onward = _share_of(self.taken(), feet - 1, front, start, stop)
            low = feet >= self._horizon(anchor) + _BELOW * self.scene.height
            reached &= (onward + taken_onward >= _ON_GROUND) & low[:, None] & near
        if anchor.carrier is not None:
            # Farther along, the same rows may show the front of the table.
            return (ground >= _ON_TABLE) & reached & near
        if alone:
            return (ground >= _ON_GROUND) & reached
        return (ground >= _ON_GROUND_IN_FRONT) & (ground + taken >= _ON_GROUND) & reached

    def _reached(self, size: Size, feet: npt.NDArray[np.intp], lefts: npt.NDArray[np.intp], anchor: Anchor) -> Feasible:
        """Where the ground goes on all the way from the anchor, so that both are on the same."""
        assert anchor.footing is not None
        own = round(anchor.thing.box.x + anchor.thing.box.width / 2)
        new = lefts + size[0] // 2
        start, stop = np.minimum(new, own), np.maximum(new, own) + 1
        above, below = np.maximum(0, feet - 2), np.minimum(self.scene.height, feet + 2)
        between = _share_of(anchor.footing, above, below, start, stop) + _share_of(
            self.taken(), above, below, start, stop
        )
        return between >= _REACHED


def insert_supported(
    cutout: str,
    label: str,
    box: Box,
    *,
    blend: Blend = "paste",
    relight: bool = True,
    same_sharpness: bool = True,
    soft_edge: float = 1.5,
    shadow: float = 0.45,
) -> Insert:
    """The edit that puts a cut-out of a class where it rests; what flies or swims has no shadow under it."""
    shadow = shadow if rest_of(label) in ("ground", "surface") else 0.0
    return Insert(cutout, box, blend, relight, same_sharpness, soft_edge, shadow)


def shows_scale(thing: Thing, scene: Scene) -> bool:
    """Whether an object's size in the photo shows how far away it is; drawn ones all do."""
    if scene.is_drawn:
        return True
    traits = traits_of(thing.label)
    if traits is None or not traits.narrow or why_no_cutout(scene, thing, _WHOLE) is not None:
        return False
    # What stands in water, or on what rolls or slides, is not on level ground.
    if traits.stands and any(class_name(other.label) in _IN_WATER for other in scene.things):
        return False
    return not traits.headed or not _rides(thing, scene)


def _rides(thing: Thing, scene: Scene) -> bool:
    """Whether something to ride or to stand on is at somebody's feet."""
    box = thing.box
    feet = Box(box.x, box.bottom - _FEET * box.height, box.width, (_FEET + 0.1) * box.height)
    return any(class_name(other.label) in MOUNTS and feet.overlap(other.box) > 0 for other in scene.things)


def rest_of(label: str) -> Rest:
    """What an object of a class rests on; one of an unknown class is taken to stand."""
    traits = traits_of(label)
    return "ground" if traits is None else traits.rest


def rests(thing: Thing, scene: Scene) -> bool:
    """Whether an object shows where others like it could rest: its foot and its top are in view, nothing carries it."""
    box, traits = thing.box, traits_of(thing.label)
    if thing.crowd or (traits is not None and not traits.stands and traits.rest not in ("surface", "water")):
        return False
    if traits is not None and traits.hangs:
        return False
    # What a side of the photo cuts off has its height yet, but not its length; of furniture, any part may be in view.
    sides = traits is not None and (traits.longest or traits.rest == "fixed")
    edges = (box.y, scene.height - box.bottom, *((box.x, scene.width - box.right) if sides else ()))
    on_surface = traits is not None and traits.rest == "surface"
    if min(edges) < _EDGE or box.area < (0.008 if on_surface else 0.004) * scene.width * scene.height:
        return False
    # A spoon that is upright hangs on a wall, unless it is seen on a table.
    if on_surface and traits is not None and traits.longest and box.height > _HANGING * box.width:
        return False
    # Somebody who sits or lies, or of whom only the upper half is seen, is not on the ground.
    if traits is not None and box.height < traits.upright * box.width:
        return False
    middle = box.x + box.width / 2
    for other in scene.things:
        # A crowd region has gaps.
        if other is thing or other.crowd or not (other.box.x <= middle <= other.box.right):
            continue
        # On a table it is where it belongs; on a horse, or behind a car, its foot says nothing about the ground.
        on_it = carries(other.label) and traits is not None and traits.rest == "surface"
        if not on_it and _hides_foot(other, box):
            return False
    return True


def _hides_foot(other: Thing, box: Box) -> bool:
    """Whether another object goes on below an object's foot, so that it carries it or is in front of it."""
    beyond = max(3.0, 0.06 * box.height)
    if not (other.box.y < box.bottom - 2 and other.box.bottom > box.bottom + beyond):
        return False
    if other.mask is None:
        return True
    # The box of a couch around a corner reaches to where the couch is not.
    height, width = other.mask.height, other.mask.width
    top, left = max(0, round(box.bottom - beyond)), max(0, round(box.x))
    bottom, right = min(height, round(box.bottom + beyond)), min(width, round(box.right))
    if bottom <= top or right <= left:
        return True
    around = mask_in_window(np.ones((bottom - top, right - left), np.bool_), left, top, height, width)
    return mask_area(mask_common(other.mask, around)) > 0


def _suiting(label: str, *, drawn: bool) -> Callable[[Anchor], bool]:
    """Whether an object of a class could rest beside an anchor."""
    rest, driving = rest_of(label), drives(label)
    return lambda anchor: (
        anchor.rest == rest
        and (anchor.carrier is None or lies_on(label, anchor.carrier))
        and (not driving or drives(anchor.thing.label))
        and (drawn or rest != "surface" or _seen_alike(label, anchor.thing))
    )


def _seen_alike(label: str, anchor: Thing) -> bool:
    """Whether a thing on a table is seen from where another one is: from above, a bottle looks like no bottle."""
    traits, other = traits_of(label), traits_of(anchor.label)
    if traits is None or other is None or class_name(label) == class_name(anchor.label):
        return traits is not None and other is not None
    if traits.circular:
        return True
    return not traits.longest and not other.longest and anchor.box.height > anchor.box.width


def _lies_on(thing: Thing, carrier: Thing, scene: Scene) -> bool:
    """Whether an object of known size lies on a table, with all of the side in view that shows its size."""
    box, on, traits = thing.box, carrier.box, traits_of(thing.label)
    if thing is carrier or thing.crowd or traits is None or traits.rest != "surface" or traits.hangs:
        return False
    edges = (box.y, scene.height - box.bottom, *((box.x, scene.width - box.right) if traits.longest else ()))
    if min(edges) < _EDGE or traits.extent(box.width, box.height) < _LEAST_MEASURED:
        return False
    middle = box.x + box.width / 2
    return on.x <= middle <= on.right and on.y <= box.bottom <= on.bottom


def _scale(thing: Thing, traits: ClassTraits | None) -> float | None:
    if traits is None:
        return None
    return traits.extent(thing.box.width, thing.box.height) / traits.metres


def _height_of_eyes(anchors: Sequence[Anchor]) -> float:
    """How high the camera is, in metres, as the sizes of objects at different distances show; else the usual height."""
    standing = [(each.foot, each.scale) for each in anchors if each.rest == "ground" and each.scale is not None]
    slopes = [
        (one[1] - other[1]) / (one[0] - other[0])
        for one, other in itertools.combinations(standing, 2)
        if abs(one[0] - other[0]) > 0.25 * max(one[1], other[1])
    ]
    if not slopes or (slope := statistics.median(slopes)) <= 0:
        return _EYES
    return 1 / slope


def _drawn(
    allowed: Feasible,
    tops: npt.NDArray[np.intp],
    lefts: npt.NDArray[np.intp],
    size: Size,
    rng: Random,
    hides: Hides | None,
) -> Box | None:
    """A random allowed place where no mask is hidden too far."""
    spots = np.flatnonzero(allowed)
    for _ in range(_LOOKS if len(spots) else 0):
        row, column = divmod(int(spots[rng.randrange(len(spots))]), allowed.shape[1])
        box = Box(int(lefts[column]), int(tops[row]), *size)
        if hides is None or not hides(box):
            return box
    return None


def _scaled(cutout: Size, factor: float) -> Size:
    return max(1, round(cutout[0] * factor)), max(1, round(cutout[1] * factor))


def _sums(shape: Hole) -> Sums:
    sums = np.zeros((shape.shape[0] + 1, shape.shape[1] + 1), np.int32)
    np.cumsum(np.cumsum(shape, axis=0, dtype=np.int32), axis=1, out=sums[1:, 1:])
    return sums


def _share_of(
    sums: Sums,
    tops: npt.NDArray[np.intp],
    bottoms: npt.NDArray[np.intp],
    lefts: npt.NDArray[np.intp],
    rights: npt.NDArray[np.intp],
) -> Floats:
    """The share of a shape in every box of these rows and columns."""
    rows = sums.take(bottoms, axis=0) - sums.take(tops, axis=0)
    found = rows.take(rights, axis=1) - rows.take(lefts, axis=1)
    areas = np.maximum(1, (bottoms - tops)[:, None] * (rights - lefts)[None, :])
    return np.asarray(found / areas, np.float64)
