"""Which objects of a scene can be melted, alone or only with others, and why the rest cannot.

Tried on real photos: a bowl whose broccoli stays, a motorcycle under its rider and a pizza that fills a third of the
picture leave debris. So an object is melted only if the widened hole is small, and together with everything of which
much lies in the hole or against it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from anamorph.methods.melting.belonging import FIXTURES, MOUNTS, goes_with, is_mirrored, is_shown_on, lies_in, touches
from anamorph.model import Scene, Thing, setting
from anamorph.pixels.shapes import hole_kernel
from anamorph.pixels.windows import ShapeWindow, shape_window, union_area

CROWD, SMALL, LARGE, COMPANY, LARGEST, FIXTURE, RIDING, HELD, PARTS, LAID, SHOWN, MIRRORED = (
    "crowd region",
    "too small to matter",
    "too large to melt",
    "cannot go without one that cannot go",
    "the largest object",
    "built in, on a pole, or holds up others",
    "a rider or a mount",
    "touches somebody who stays",
    "touches one of its class that stays",
    "lies on a bed, or in a bowl or a fridge",
    "only shown on a screen",
    "perhaps seen again in a mirror",
)
# In drawings nothing is torn where two of one class only touch.
_DRAWN_SEAM = 0.25


@dataclass(frozen=True, slots=True)
class MeltRules:
    """What makes an object eligible for melting."""

    max_area: float = setting(0.12, "The widened hole covers at most this share of the picture.", least=0, most=1)
    min_area: float = setting(
        0.003, "An object below this share of the picture is not salient and not chosen.", least=0, most=1
    )
    max_contact: float = setting(
        0.1, "An object of which a larger share lies in the widened hole must be melted, too.", least=0, most=1
    )
    together: bool = setting(
        True,
        "What belongs together by its classes, such as rider and horse, or halves of a pizza, goes together.",
    )
    max_seam: float = setting(
        0.15,
        "With `together`, two of one class that share more than this share of the smaller one's outline go together.",
        least=0,
        most=1,
    )
    max_at_once: float = setting(
        0.0175, "On a photo, the holes of all that goes together cover at most this share of it.", least=0, most=1
    )
    fixtures: bool = setting(
        False, "On a photo, also melt what is built in, on a pole or holds up others: ovens, signs, screens, tables."
    )

    apart: bool = setting(
        True,
        "On a photo, leave what touches somebody or one of its class, rides, lies on a bed or in a bowl or fridge, or "
        "is seen again on a screen or in a mirror.",
    )

    def without_photo_rules(self) -> MeltRules:
        """The same rules for drawn scenes, whose plain ground goes on anywhere."""
        seam = max(self.max_seam, _DRAWN_SEAM)
        return replace(self, max_seam=seam, max_at_once=1.0, fixtures=True, apart=False)


@dataclass(frozen=True, slots=True)
class Unit:
    """Objects that can only be melted together, and the others (`needs`) that must be melted with them.

    A unit that needs nothing stands for itself: a cup on a table. One that needs others does not go without them: a
    bowl needs its broccoli, while the broccoli may go alone.
    """

    things: tuple[str, ...]
    needs: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """Everything that goes when this unit goes."""
        return self.things + self.needs


@dataclass(frozen=True, slots=True)
class Eligibility:
    """The units of a scene that can be melted, and for every other object why not."""

    units: tuple[Unit, ...]
    left_out: Mapping[str, str]
    # The widened holes of objects, and how many pixels they may have together.
    holes: Mapping[str, ShapeWindow] = field(default_factory=dict, repr=False, compare=False)
    most: float = field(default=float("inf"), repr=False, compare=False)

    def small_enough(self, things: Iterable[str]) -> bool:
        """Whether the holes of these objects together leave enough of the photo as it is."""
        return not _exceeds((self.holes[id] for id in things), self.most)

    def counts(self) -> dict[str, int]:
        """How many objects were left out for which reason."""
        counts: dict[str, int] = {}
        for reason in self.left_out.values():
            counts[reason] = counts.get(reason, 0) + 1
        return dict(sorted(counts.items()))

    def closed(self, things: frozenset[str]) -> bool:
        """Whether a set of objects can be melted as a whole: no unit is torn, and none lacks what it needs."""
        whole = {id for unit in self.units if things >= set(unit.all) for id in unit.all}
        torn = any(things & set(unit.things) and not things >= set(unit.all) for unit in self.units)
        return things <= whole and not torn


def eligible(scene: Scene, rules: MeltRules, *, keep_largest: bool = False) -> Eligibility:
    """Find the units of a scene; `keep_largest` leaves out whatever would take the largest object along (ROME)."""
    if scene.is_drawn:
        rules = rules.without_photo_rules()
    height, width = scene.height, scene.width
    canvas = height * width
    most = min(rules.max_area, rules.max_at_once) * canvas
    kernels = {thing.id: hole_kernel(thing, height, width) for thing in scene.things}
    shapes = {thing.id: shape_window(thing, height, width) for thing in scene.things}
    holes = {
        thing.id: shapes[thing.id].grown(kernels[thing.id], height, width) for thing in scene.things if not thing.crowd
    }
    follows = _follows(scene.things, shapes, holes, kernels, rules)
    largest = max((t.id for t in scene.things if not t.crowd), key=lambda id: shapes[id].area, default=None)
    crowds = {thing.id for thing in scene.things if thing.crowd}
    left_out: dict[str, str] = dict.fromkeys(sorted(crowds), CROWD)
    units: list[Unit] = []
    for together, needs in _groups([thing.id for thing in scene.things], follows):
        if crowds.issuperset(together):
            continue
        unit = Unit(together, needs)
        reason = None
        if not any(shapes[id].area >= rules.min_area * canvas for id in together):
            reason = SMALL
        elif not crowds.isdisjoint(needs):
            reason = COMPANY
        elif keep_largest and largest in unit.all:
            reason = LARGEST if largest in together else COMPANY
        elif _exceeds((holes[id] for id in unit.all), most):
            reason = LARGE if _exceeds((holes[id] for id in together), most) else COMPANY
        elif rules.apart and (tie := _tie(scene, unit, shapes, holes)) is not None:
            reason = tie
        elif not rules.fixtures and any(scene.thing(id).label in FIXTURES for id in unit.all):
            reason = FIXTURE
        if reason is None:
            units.append(unit)
        else:
            left_out.update(dict.fromkeys(together, reason))
    return Eligibility(tuple(units), left_out, holes, rules.max_at_once * canvas)


def rides(things: Iterable[Thing]) -> bool:
    """Whether somebody is among these objects, and something to ride or to stand on."""
    labels = {thing.label for thing in things}
    return "person" in labels and not labels.isdisjoint(MOUNTS)


def _tie(scene: Scene, unit: Unit, shapes: Mapping[str, ShapeWindow], holes: Mapping[str, ShapeWindow]) -> str | None:
    """What ties a unit to its surroundings, so that these would look wrong without it; None if nothing does."""
    going = [scene.thing(id) for id in unit.all]
    if rides(going):
        return RIDING
    staying = [other for other in scene.things if other.id not in unit.all and not other.crowd]
    for thing, other in itertools.product(going, staying):
        own, shape = shapes[thing.id], shapes[other.id]
        if other.label == thing.label and is_mirrored(own, shape):
            return MIRRORED
        if is_shown_on(thing, other):
            return SHOWN
        if not touches(shape, own, holes[thing.id]):
            continue
        if other.label == thing.label:
            return PARTS
        if other.label == "person":
            return HELD
        if lies_in(thing, other):
            return LAID
    return None


def _exceeds(holes: Iterable[ShapeWindow], most: float) -> bool:
    """Whether holes cover more pixels than this together."""
    each = list(holes)
    # One that is too large alone settles it, and so do all of them where even their sum is not.
    if any(hole.area > most for hole in each):
        return True
    return sum(hole.area for hole in each) > most and union_area(each) > most


def _follows(
    things: Sequence[Thing],
    shapes: Mapping[str, ShapeWindow],
    holes: Mapping[str, ShapeWindow],
    kernels: Mapping[str, int],
    rules: MeltRules,
) -> dict[str, tuple[str, ...]]:
    """For each object, those that cannot stay when it goes."""
    near = _Near(things, max(kernels.values(), default=0) // 2 + 1)

    def belongs(other: Thing, thing: Thing) -> bool:
        own, hole = shapes[thing.id], holes[thing.id]
        return goes_with(other, shapes[other.id], thing, own, hole, kernels[thing.id], rules.max_seam)

    return {
        thing.id: tuple(
            other.id
            for other in near.to(thing)
            if _goes_along(other, shapes[other.id], holes[thing.id], rules.max_contact)
            or (rules.together and not other.crowd and belongs(other, thing))
        )
        for thing in things
        if not thing.crowd
    }


def company_of(scene: Scene, thing: Thing, rules: MeltRules) -> tuple[Thing, ...]:
    """The objects of which much lies in the widened hole of one object."""
    height, width = scene.height, scene.width
    kernel = hole_kernel(thing, height, width)
    hole = shape_window(thing, height, width).grown(kernel, height, width)
    return tuple(
        other
        for other in _Near(scene.things, kernel // 2 + 1).to(thing)
        if _goes_along(other, shape_window(other, height, width), hole, rules.max_contact)
    )


def _goes_along(other: Thing, shape: ShapeWindow, hole: ShapeWindow, max_contact: float) -> bool:
    # Of a crowd, which is never melted, no small share matters, but how much of the hole is within it.
    whole = hole.area if other.crowd else shape.area
    return shape.area > 0 and hole.common(shape) > max_contact * whole


class _Near:
    """Finds the objects whose boxes come within reach of another's, before anybody looks at pixels."""

    def __init__(self, things: Sequence[Thing], reach: int) -> None:
        self._things, self._reach = things, reach + 1
        self._left = np.array([thing.box.x for thing in things])
        self._top = np.array([thing.box.y for thing in things])
        self._right = np.array([thing.box.right for thing in things])
        self._bottom = np.array([thing.box.bottom for thing in things])

    def to(self, thing: Thing) -> list[Thing]:
        """The others near an object, in the scene's order."""
        box, reach = thing.box, self._reach
        found = (
            (box.x - self._right <= reach)
            & (self._left - box.right <= reach)
            & (box.y - self._bottom <= reach)
            & (self._top - box.bottom <= reach)
        )
        near = [self._things[place] for place in np.flatnonzero(found).tolist()]
        return [other for other in near if other.id != thing.id]


# Objects that follow each other all around, and what follows them; both in the scene's order.
Group: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]


def _groups(ids: Sequence[str], follows: Mapping[str, tuple[str, ...]]) -> list[Group]:
    """The groups of a scene, each where its first object comes.

    They are the strongly connected components of what follows what (Tarjan, 1972), found in linear time; what can be
    reached from each is a number whose bits are objects.
    """
    place = {id: index for index, id in enumerate(ids)}
    found: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    group_of: dict[str, int] = {}
    members: list[list[str]] = []
    reach: list[int] = []
    for start in ids:
        if start in found:
            continue
        found[start] = low[start] = len(found)
        stack.append(start)
        path = [(start, iter(follows.get(start, ())))]
        while path:
            id, rest = path[-1]
            for other in rest:
                if other not in found:
                    found[other] = low[other] = len(found)
                    stack.append(other)
                    path.append((other, iter(follows.get(other, ()))))
                    break
                if other not in group_of:
                    low[id] = min(low[id], found[other])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[id])
                if low[id] == found[id]:
                    own = stack[stack.index(id) :]
                    del stack[-len(own) :]
                    bits = sum(1 << place[each] for each in own)
                    # Whatever follows them is in a group that is done.
                    for each in own:
                        group_of[each] = len(members)
                    for beyond in {group_of[other] for each in own for other in follows.get(each, ())}:
                        if beyond != len(members):
                            bits |= reach[beyond]
                    members.append(sorted(own, key=place.__getitem__))
                    reach.append(bits)
    order = sorted(range(len(members)), key=lambda group: place[members[group][0]])
    groups: list[Group] = []
    for group in order:
        together = set(members[group])
        needs = tuple(ids[index] for index in _bits(reach[group]) if ids[index] not in together)
        groups.append((tuple(members[group]), needs))
    return groups


def _bits(number: int) -> Iterator[int]:
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest
