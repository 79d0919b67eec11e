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

# Between these shares, people would disagree whether to name a thing; below the lower one, no one would.
CLEARLY_VISIBLE, BARELY_VISIBLE = 0.5, 0.1
# The same in shares of the image's area: the smallest things that the toybox draws, and a speck.
CLEAR_AREA, SPECK_AREA = 0.0009, 0.0002


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing as it is now: the visible share of its whole outline, and its share of the image.

    `across` is the position of its center, from 0 at the left edge of the image to 1 at the right one. `shown` is its
    share of the image as it is now, while `area` is relative to the whole that a part was cut from.
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
        """Whether everyone would see it."""
        return self.fraction >= CLEARLY_VISIBLE and self.area >= CLEAR_AREA

    @property
    def perceptible(self) -> bool:
        """Whether anyone could see it."""
        return self.fraction >= BARELY_VISIBLE and self.area >= SPECK_AREA


@dataclass(frozen=True, slots=True)
class Span:
    """A number known within bounds; answers within them are right."""

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
        """The visible number of a class, perhaps only of those with a color or an action."""
        asked = [t for t in self.things if t.label == label and (attribute is None or attribute in t.attributes)]
        return Span(sum(thing.clear for thing in asked), sum(thing.perceptible for thing in asked))

    def is_there(self, label: str, attribute: str | None = None) -> bool | None:
        """Whether any is visible; None if people would not agree."""
        span = self.count(label, attribute)
        # The look of an inserted thing may be unknown.
        unknown = attribute is not None and any(
            t.label == label and t.inserted and not t.attributes for t in self.things
        )
        return True if span.least else None if span.most or unknown else False


def truth(scene: Scene, edits: Sequence[Edit] = (), studio: Studio | None = None) -> Truth:
    """The visible objects of a toybox scene after edits.

    The edits are applied to a blank image with the scene's things, so every edit that keeps its things accurate is
    supported. A thing's visible share is its original one times the remaining share of its area; an inserted thing is
    whole at first; edits that scale things declare the factor. `studio` is needed for cut-outs from a pool.
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

    A thing is as clear as in its own image, since relations claim that collages add up.
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

    `cuts` are the numbers of the edits that cropped the image.
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
    """The reference area of things: the image's, or that of the whole if it was cropped, since cropping does not make a
    speck clear.
    """
    sizes = [float(picture.pixels.shape[0] * picture.pixels.shape[1]) for picture in steps]
    canvas = sizes[0]
    for step, (before, after) in enumerate(pairwise(sizes)):
        canvas *= 1.0 if step in cuts else after / before
    return canvas


def visible_fractions(scene: Scene) -> dict[str, float]:
    """The unoccluded share of each thing's outline in an unedited toybox scene."""
    shares = _fractions(scene.picture)
    return {thing.id: share for thing, share in zip(scene.things, shares, strict=True)}


@functools.lru_cache(maxsize=4096)
def _fractions(reference: str) -> tuple[float, ...]:
    return tuple(sight.fraction for sight in see(recipe_of(reference)))


def _things(picture: Picture) -> Iterable[Thing]:
    return (thing for thing in picture.things if _area(thing) > 0)


def _area(thing: Thing) -> float:
    return float(mask_area(thing.mask)) if thing.mask is not None else thing.box.area
