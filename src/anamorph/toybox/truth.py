"""The truth about toybox scenes, also after edits."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from anamorph.model import Edit, Picture, Scene, Studio, Thing
from anamorph.model.protocols import EditOptions
from anamorph.pixels.masks import mask_area
from anamorph.pools.folder import SketchStudio
from anamorph.toybox.drawing.painting import see
from anamorph.toybox.scenes import recipe_of

# Between these shares, people would not agree whether a thing should be named; below the lower one, no one would.
CLEARLY_VISIBLE, BARELY_VISIBLE = 0.5, 0.1
# The same in shares of the picture's area: the smallest things that the toybox draws on purpose, and a speck.
CLEAR_AREA, SPECK_AREA = 0.0009, 0.0002


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing as it is now: the share of its whole outline that is visible, and of the picture that it fills.

    `across` is where its center is, from 0 at the left edge of the picture to 1 at the right one. `shown` is the share
    that it fills of the picture as it is now, where `area` is measured against the whole that a part was cut from.
    """

    id: str
    label: str
    attributes: tuple[str, ...]
    fraction: float
    area: float
    inserted: bool = False
    across: float = 0.5
    shown: float = 1.0

    @property
    def clear(self) -> bool:
        """Whether everybody would see it."""
        return self.fraction >= CLEARLY_VISIBLE and self.area >= CLEAR_AREA

    @property
    def perceptible(self) -> bool:
        """Whether anybody could see it."""
        return self.fraction >= BARELY_VISIBLE and self.area >= SPECK_AREA


@dataclass(frozen=True, slots=True)
class Span:
    """A number that is known within bounds: an answer between the two is not wrong."""

    least: int
    most: int

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and self.least <= number <= self.most


@dataclass(frozen=True, slots=True)
class Truth:
    """Everything that is visible now."""

    things: tuple[Seen, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes that must be named, sorted."""
        return tuple(sorted({thing.label for thing in self.things if thing.clear}))

    @property
    def possible_labels(self) -> tuple[str, ...]:
        """The classes that may be named, sorted."""
        return tuple(sorted({thing.label for thing in self.things if thing.perceptible}))

    def count(self, label: str, attribute: str | None = None) -> Span:
        """How many of a class are visible, all of them or only those with a color or an action."""
        asked = [t for t in self.things if t.label == label and (attribute is None or attribute in t.attributes)]
        return Span(sum(thing.clear for thing in asked), sum(thing.perceptible for thing in asked))

    def is_there(self, label: str, attribute: str | None = None) -> bool | None:
        """Whether any is visible; None if people would not agree."""
        span = self.count(label, attribute)
        # Of a thing that an edit brought in, no one may know what it looks like.
        unknown = attribute is not None and any(
            t.label == label and t.inserted and not t.attributes for t in self.things
        )
        return True if span.least else None if span.most or unknown else False


def truth(scene: Scene, edits: Sequence[Edit] = (), studio: Studio | None = None) -> Truth:
    """The visible objects of a toybox scene after edits.

    The edits are applied to a blank picture with the scene's things on it, so any edit that keeps its picture's things
    truthful is understood. A thing's visible share is its first one times how much of its area is left; a thing that an
    edit brings in is whole at first; an edit that scales things says by how much. `studio` is needed where one takes
    a cut-out from a pool.
    """
    picture = Picture(np.zeros((scene.height, scene.width, 3), np.uint8), scene.things, studio or SketchStudio())
    steps = [picture]
    scales: dict[str, float] = {}
    for edit in edits:
        scale_of = EditOptions.scale_of.of(edit)
        if scale_of is not None:
            for thing in steps[-1].things:
                scales[thing.id] = scales.get(thing.id, 1.0) * scale_of(thing.id)
        steps.append(edit.apply(steps[-1]))
    cuts = [step for step, edit in enumerate(edits) if EditOptions.reach.of(edit) == "cut"]
    return truth_of(scene, steps, scales, cuts)


def truth_of_collage(one: Truth, other: Truth, shares: tuple[float, float]) -> Truth:
    """The visible objects of a collage of two images: all that each shows; `shares` of the collage are theirs.

    A thing is as clear as in its own image, since a collage that adds up is what relations claim.
    """
    return Truth(
        tuple(
            replace(thing, shown=thing.shown * share)
            for seen, share in zip((one, other), shares, strict=True)
            for thing in seen.things
        )
    )


def truth_of(scene: Scene, steps: Sequence[Picture], scales: Mapping[str, float], cuts: Collection[int] = ()) -> Truth:
    """The visible objects of the last picture that the edits led through; the first is the scene itself.

    `cuts` are the numbers of the edits that kept only a part of a picture.
    """
    whole = {id: (_area(scene.thing(id)), share) for id, share in visible_fractions(scene).items()}
    for picture in steps:
        for thing in _things(picture):
            whole.setdefault(thing.id, (_area(thing), 1.0))
    canvas = _canvas(steps, cuts)
    seen, own = [], {thing.id for thing in scene.things}
    for thing in _things(steps[-1]):
        area, share = whole[thing.id]
        area *= scales.get(thing.id, 1.0) ** 2
        left = _area(thing)
        fraction = min(1.0, share * left / area)
        across = (thing.box.x + thing.box.width / 2) / steps[-1].pixels.shape[1]
        shown = left / (steps[-1].pixels.shape[0] * steps[-1].pixels.shape[1])
        inserted = thing.id not in own
        seen.append(Seen(thing.id, thing.label, thing.attributes, fraction, left / canvas, inserted, across, shown))
    return Truth(tuple(seen))


def _canvas(steps: Sequence[Picture], cuts: Collection[int]) -> float:
    """The area that things are measured against: the picture's, and where it was cut, that of the whole, since a speck
    does not become clear by cutting away the rest.
    """
    sizes = [float(picture.pixels.shape[0] * picture.pixels.shape[1]) for picture in steps]
    canvas = sizes[0]
    for step, (before, after) in enumerate(pairwise(sizes)):
        canvas *= 1.0 if step in cuts else after / before
    return canvas


def visible_fractions(scene: Scene) -> dict[str, float]:
    """For each thing of an unedited toybox scene, the share of its outline that nothing in front of it hides."""
    shares = _fractions(scene.picture)
    return {thing.id: share for thing, share in zip(scene.things, shares, strict=True)}


@functools.lru_cache(maxsize=4096)
def _fractions(reference: str) -> tuple[float, ...]:
    return tuple(sight.fraction for sight in see(recipe_of(reference)))


def _things(picture: Picture) -> Iterable[Thing]:
    return (thing for thing in picture.things if _area(thing) > 0)


def _area(thing: Thing) -> float:
    return float(mask_area(thing.mask)) if thing.mask is not None else thing.box.area
