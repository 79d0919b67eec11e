"""Which objects of a scene SPOLRE may move, completed where they stand behind others, and why the rest must stay."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace

import numpy as np

from anamorph.methods.melting.eligibility import COMPANY, LARGE, RIDING, SMALL, MeltRules, company_of, eligible, rides
from anamorph.methods.spolre.rearranging import Company, Ties, ties_of
from anamorph.model import AmodalMask, Scene, Thing
from anamorph.pixels.amodal import COMPLETED_BY, with_amodal_masks
from anamorph.pixels.masks import mask_box
from anamorph.pixels.shapes import hole_kernel, thing_shape, union_shape, widened
from anamorph.pools.cutouts import BORDER, CARRIES, HIDDEN, PIECES, Quality, standing_before, still_hidden, why_not

UNNAMED, FOUND, NOT_ALONE, INCOMPLETE = (
    "no reference caption names it",
    "only a segmenter found it, and its outline is rough (found=true moves it)",
    "cannot be moved without others",
    "could not be completed behind other objects",
)

# Nearer to a side of the picture than this, in pixels, an object may go on beyond it.
_CUT = 5


@dataclass(frozen=True, slots=True)
class Movable:
    """The objects that may move, as they are when they do, and for every other one why not."""

    things: tuple[Thing, ...]
    ties: Mapping[str, Ties]
    company: Mapping[str, Company]
    left_out: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class MovingRules:
    """What may be moved: what leaves a hole that can be filled, and is whole enough."""

    melt: MeltRules
    quality: Quality
    # An object that a side of the picture cuts may be shifted along that side.
    along_sides: bool = True
    # What only a segmenter found may move as well.
    found: bool = True

    def movable(self, scene: Scene, named: Container[str] | None) -> Movable:
        """What may move of a scene, of the classes that are named or of all."""
        found = eligible(scene, self.melt)
        alone = {unit.things[0] for unit in found.units if len(unit.all) == 1}
        wholes = {whole.object: whole for whole in scene.wholes}
        left_out: dict[str, str] = {}
        for thing in scene.things:
            reason = self._why_not(scene, thing, named)
            if reason in (HIDDEN, PIECES) and thing.id in wholes:
                reason = self._why_not_whole(scene, thing, wholes[thing.id])
            elif reason == HIDDEN and COMPLETED_BY in scene.origin:
                reason = self._why_not_without(scene, thing) or INCOMPLETE
            elif reason is None and thing.id not in alone:
                reason = found.left_out.get(thing.id, NOT_ALONE)
            if reason is not None:
                left_out[thing.id] = reason
        used = [whole for whole in scene.wholes if whole.object not in left_out]
        things = tuple(thing for thing in with_amodal_masks(scene.things, used) if thing.id not in left_out)
        ties = {thing.id: self._ties(scene, thing) for thing in things}
        return Movable(things, ties, {whole.object: self._company(scene, whole) for whole in used}, left_out)

    def incomplete(self, scene: Scene, named: Container[str] | None) -> tuple[str, ...]:
        """The objects that could move if what is hidden of them were known."""
        return tuple(
            thing.id
            for thing in scene.things
            if self._why_not(scene, thing, named) in (HIDDEN, PIECES) and not self._why_not_without(scene, thing)
        )

    def _why_not(self, scene: Scene, thing: Thing, named: Container[str] | None) -> str | None:
        if named is not None and thing.label not in named:
            return UNNAMED
        if thing.score is not None and not self.found:
            return FOUND
        if not thing.crowd and self._is_cut(scene, thing):
            return BORDER
        # What one side cuts may still be moved along it.
        return why_not(scene, thing, replace(self.quality, border=0))

    def _why_not_without(self, scene: Scene, thing: Thing) -> str | None:
        """Why an object cannot leave its place even where its surroundings are lifted and laid back."""
        height, width = scene.height, scene.width
        kernel, canvas = hole_kernel(thing, height, width), height * width
        shape = thing_shape(thing, height, width)
        company = company_of(scene, thing, self.melt)
        before = {other.id for other in standing_before(scene, thing) if not other.crowd}
        if shape.sum() < self.melt.min_area * canvas:
            return SMALL
        if widened(shape, kernel).sum() > self.melt.max_area * canvas:
            return LARGE
        if any(other.id not in before for other in company):
            return NOT_ALONE
        if self.melt.apart and rides((thing, *company)):
            return RIDING
        together = union_shape((thing, *company), height, width)
        return COMPANY if widened(together, kernel).sum() > self.melt.max_area * canvas else None

    def _why_not_whole(self, scene: Scene, thing: Thing, whole: AmodalMask) -> str | None:
        (completed,) = with_amodal_masks([thing], [whole])
        if self._is_cut(scene, completed):
            return BORDER
        shape = thing_shape(completed, scene.height, scene.width)
        before = [thing_shape(scene.thing(id), scene.height, scene.width) for id in whole.behind]
        if any(2 * int((each & shape).sum()) > int(each.sum()) for each in before):
            return CARRIES
        if still_hidden(
            thing_shape(thing, scene.height, scene.width), shape, np.logical_or.reduce(before), self.quality
        ):
            return INCOMPLETE
        rest = tuple(other for other in scene.things if other.id not in (thing.id, *whole.behind))
        alone = replace(scene, things=(completed, *rest))
        reason = self._why_not_without(scene, thing) or why_not(alone, completed, replace(self.quality, border=0))
        # What it grew by may be behind others yet.
        return INCOMPLETE if reason == HIDDEN else reason

    def _company(self, scene: Scene, whole: AmodalMask) -> Company:
        lifted = company_of(scene, scene.thing(whole.object), self.melt)
        behind = {each.object: each.behind for each in scene.wholes}
        kept = [
            other.id
            for each in lifted
            for other in standing_before(scene, each)
            if other.id != whole.object and each.id not in behind.get(other.id, ())
        ]
        return Company(tuple(each.id for each in lifted), tuple(dict.fromkeys(kept)))

    def _is_cut(self, scene: Scene, thing: Thing) -> bool:
        """Whether sides of the picture cut an object so that it cannot move."""
        ties = self._ties(scene, thing)
        return ties.fast if self.along_sides else ties != Ties()

    def _ties(self, scene: Scene, thing: Thing) -> Ties:
        box = thing.box if thing.mask is None else mask_box(thing.mask)
        return ties_of(
            box, scene.width, scene.height, self.quality.border if self.along_sides else max(_CUT, self.quality.border)
        )
