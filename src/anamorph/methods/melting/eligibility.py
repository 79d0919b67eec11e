"""Which objects of a scene can be melted, alone or only with others, and why the rest cannot.

Tried on real photos: a bowl whose broccoli stays, a motorcycle under its rider and a pizza that fills a third of the
picture leave debris. So an object is melted only if the widened hole is small, and together with everything of which
much lies in the hole or against it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anamorph.model import Hole, Scene, Thing, setting
from anamorph.pixels.shapes import melting_kernel, thing_shape, widened

CROWD, SMALL, LARGE, COMPANY, LARGEST = (
    "crowd region",
    "too small to matter",
    "too large to melt",
    "cannot go without one that cannot go",
    "the largest object",
)


@dataclass(frozen=True, slots=True)
class MeltRules:
    """What makes an object eligible for melting."""

    max_area: float = setting(0.12, "The widened hole covers at most this share of the picture.", least=0, most=1)
    min_area: float = setting(
        0.005, "An object below this share of the picture is not salient and not chosen.", least=0, most=1
    )
    max_contact: float = setting(
        0.1, "An object of which a larger share lies in the widened hole must be melted, too.", least=0, most=1
    )


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
    height, width = scene.height, scene.width
    canvas = height * width
    kernel = melting_kernel(height, width)
    shapes = {thing.id: thing_shape(thing, height, width) for thing in scene.things}
    areas = {id: int(shape.sum()) for id, shape in shapes.items()}
    holes = {thing.id: widened(shapes[thing.id], kernel) for thing in scene.things if not thing.crowd}
    follows = _follows(scene.things, shapes, holes, kernel, rules.max_contact)
    largest = max((t.id for t in scene.things if not t.crowd), key=lambda id: areas[id], default=None)
    crowds = {thing.id for thing in scene.things if thing.crowd}
    left_out: dict[str, str] = dict.fromkeys(sorted(crowds), CROWD)
    units: list[Unit] = []
    seen: set[str] = set()
    for thing in scene.things:
        if thing.crowd or thing.id in seen:
            continue
        reach = _reach(thing.id, follows)
        together = tuple(t.id for t in scene.things if t.id in reach and thing.id in _reach(t.id, follows))
        seen.update(together)
        unit = Unit(together, tuple(t.id for t in scene.things if t.id in reach and t.id not in together))
        reason = None
        if not any(areas[id] >= rules.min_area * canvas for id in together):
            reason = SMALL
        elif crowds & reach:
            reason = COMPANY
        elif keep_largest and largest in reach:
            reason = LARGEST if largest in together else COMPANY
        elif np.logical_or.reduce([holes[id] for id in unit.all]).sum() > rules.max_area * canvas:
            alone = np.logical_or.reduce([holes[id] for id in together]).sum()
            reason = LARGE if alone > rules.max_area * canvas else COMPANY
        if reason is None:
            units.append(unit)
        else:
            left_out.update(dict.fromkeys(together, reason))
    return Eligibility(tuple(units), left_out)


def _follows(
    things: Sequence[Thing],
    shapes: Mapping[str, Hole],
    holes: Mapping[str, Hole],
    kernel: int,
    max_contact: float,
) -> dict[str, tuple[str, ...]]:
    """For each object, those that cannot stay when it goes."""
    reach = kernel // 2 + 1
    follows: dict[str, tuple[str, ...]] = {}
    for thing in things:
        if thing.crowd:
            continue
        near = [other for other in things if other.id != thing.id and _near(thing, other, reach)]
        follows[thing.id] = tuple(
            other.id for other in near if _goes_along(other, shapes[other.id], holes[thing.id], max_contact)
        )
    return follows


def company_of(scene: Scene, thing: Thing, rules: MeltRules) -> tuple[Thing, ...]:
    """The objects of which much lies in the widened hole of one object."""
    kernel = melting_kernel(scene.height, scene.width)
    hole = widened(thing_shape(thing, scene.height, scene.width), kernel)
    near = [other for other in scene.things if other.id != thing.id and _near(thing, other, kernel // 2 + 1)]
    shapes = {other.id: thing_shape(other, scene.height, scene.width) for other in near}
    return tuple(other for other in near if _goes_along(other, shapes[other.id], hole, rules.max_contact))


def _goes_along(other: Thing, shape: Hole, hole: Hole, max_contact: float) -> bool:
    area = int(shape.sum())
    # Of a crowd, which is never melted, no small share matters, but how much of the hole is within it.
    whole = int(hole.sum()) if other.crowd else area
    return area > 0 and int((hole & shape).sum()) > max_contact * whole


def _near(one: Thing, other: Thing, reach: int) -> bool:
    a, b = one.box, other.box
    apart = max(a.x - b.right, b.x - a.right, a.y - b.bottom, b.y - a.bottom)
    return apart <= reach + 1


def _reach(start: str, follows: Mapping[str, tuple[str, ...]]) -> set[str]:
    found, waiting = {start}, [start]
    while waiting:
        for id in follows.get(waiting.pop(), ()):
            if id not in found:
                found.add(id)
                waiting.append(id)
    return found
