"""reic: crop and stretch a photo, and its caption still names what is there, and nothing that is gone.

Source: the idea of "ReIC" (IEEE TSE 2024, arXiv 2311.11791): whole images are cropped and stretched, so that no
annotation is needed, and objects that the edit leaves ambiguous are avoided. Its thresholds and its localizer were not
at hand: what is here is our own reading. Objects are located by what the scenes know of them (annotations or a
segmenter); without that, by the system's own captions: what a smaller and a larger view name, the one between must.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar, Literal

from anamorph.edits.crop import Crop
from anamorph.edits.stretch import Stretch
from anamorph.methods.objects.known import is_inside, known_classes, known_in_view
from anamorph.model import Box, Case, Probe, Relation, Scene, Skip, Table, Tally, setting
from anamorph.relations.crop_keeps_inside import CropKeepsInside
from anamorph.relations.nested_views import NestedViews
from anamorph.relations.same_objects import SameObjects
from anamorph.statistics.tables import kinds_of_error, per_tag

SMALL = "it is too small to be cropped"
NOTHING_PLAIN = "every object is cut by the crop, or is ambiguous"
# Draws for each crop that is wanted, before a photo is given up.
_DRAWS = 20
# Sides in pixels below which a crop shows nothing.
_LEAST_SIDE = 8


@dataclass(frozen=True, slots=True)
class Reic:
    """Crop and stretch a photo: its caption keeps what is wholly inside, and drops what is wholly outside."""

    kind: ClassVar[str] = "reic"
    suits: ClassVar[tuple[str, ...]] = ("caption",)
    by_scene: ClassVar[bool] = True
    relation_order: ClassVar[tuple[str, ...]] = (CropKeepsInside.kind, NestedViews.kind, SameObjects.kind)
    crops: int = setting(2, "At most this many crops of each photo, or nested pairs of them.", least=0, most=50)
    sides: tuple[float, float] = setting(
        (0.6, 0.85), "Each side of a crop has a share of the photo's from here to here."
    )
    stretches: tuple[float, ...] = setting(
        (0.8, 1.25),
        "Widths of stretched images, in shares of the photo's; an empty list leaves them out.",
        least=0.1,
        most=10,
    )
    locate: Literal["objects", "views"] | None = setting(
        None,
        "How objects are located: by what the scene knows of them, or by smaller and larger views of it; without it, "
        "by objects where the scene has any.",
    )
    clearance: float = setting(
        0.02, "An object nearer to a crop's edge is ambiguous, in shares of the photo's sides.", least=0, most=0.5
    )
    question: str | None = setting(None, "A question to ask with every image, for systems that need one.")

    def plan(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case | Skip]:
        base = rng.getrandbits(64)
        for scene in scenes:
            if min(scene.width, scene.height) * self.sides[0] ** 2 < _LEAST_SIDE:
                yield Skip(scene.id, SMALL, "scene")
                continue
            # Each scene has randomness of its own, so that other scenes do not change its crops.
            own = Random(f"{base}:{scene.id}")
            by_objects = self.locate == "objects" or (self.locate is None and bool(scene.things))
            crops = list(self._located(scene, own) if by_objects else self._nested(scene, own))
            if by_objects and self.crops and not crops:
                yield Skip(scene.id, NOTHING_PLAIN, "scene")
            yield from crops
            for factor in self.stretches:
                yield self._case(scene, SameObjects(), "stretch", (Stretch(factor),))

    def summarise(self, tallies: Sequence[Tally]) -> tuple[Table, ...]:
        """How often captions break, by what was done to the photo, and in which way."""
        return (per_tag("Per edit", "edit", "edit", tallies), *kinds_of_error(tallies))

    def did(self, tallies: Sequence[Tally]) -> str:
        """What it did in words."""
        return "cropped and stretched {photos}"

    def _located(self, scene: Scene, rng: Random) -> Iterator[Case]:
        """Crops of which objects are wholly inside or wholly outside."""
        known = None
        found = 0
        for _ in range(_DRAWS * self.crops):
            if found == self.crops:
                return
            view = self._drawn(Box(0.0, 0.0, float(scene.width), float(scene.height)), rng)
            inside, outside = self._sides_of(scene, view)
            if not inside and not outside:
                continue
            found += 1
            if scene.complete is not None:
                known = (known_classes(scene), known_in_view(scene, view))
            yield self._case(scene, CropKeepsInside(inside, outside, known, scene.complete), "crop", (Crop(view),))

    def _nested(self, scene: Scene, rng: Random) -> Iterator[Case]:
        """A crop, and a crop of that, which show where the system itself sees something."""
        for _ in range(self.crops):
            whole = Box(0.0, 0.0, float(scene.width), float(scene.height))
            middle = self._drawn(whole, rng)
            inner = self._drawn(middle, rng)
            known = None
            if scene.complete is not None:
                known = (known_classes(scene), known_in_view(scene, middle), known_in_view(scene, inner))
            relation = NestedViews(known, scene.complete)
            yield self._case(scene, relation, "nested crops", (Crop(middle),), (Crop(inner),))

    def _case(self, scene: Scene, relation: Relation, edit: str, *follow_ups: tuple[Crop | Stretch, ...]) -> Case:
        probes = tuple(Probe(scene.id, edits, self.question) for edits in follow_ups)
        return Case(self.kind, Probe(scene.id, (), self.question), probes, relation, {"edit": edit})

    def _drawn(self, within: Box, rng: Random) -> Box:
        """A box of whole pixels at a place that is drawn."""
        share = rng.uniform(*self.sides)
        width, height = max(1, round(within.width * share)), max(1, round(within.height * share))
        left = within.x + round((within.width - width) * rng.random())
        top = within.y + round((within.height - height) * rng.random())
        return Box(float(left), float(top), float(width), float(height))

    def _sides_of(self, scene: Scene, view: Box) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The classes whose objects all lie inside a crop, and those whose objects all lie outside."""
        across, down = self.clearance * scene.width, self.clearance * scene.height
        inner = Box(view.x + across, view.y + down, view.width - 2 * across, view.height - 2 * down)
        outer = Box(view.x - across, view.y - down, view.width + 2 * across, view.height + 2 * down)
        # The photo's own edge cuts nothing that was not cut before.
        inner = _to_the_edge(inner, view, scene)
        labels = dict.fromkeys(thing.label for thing in scene.things)
        boxes = {label: [thing.box for thing in scene.things if thing.label == label] for label in labels}
        inside = tuple(label for label in labels if all(is_inside(box, inner) for box in boxes[label]))
        outside = tuple(label for label in labels if all(box.overlap(outer) <= 0 for box in boxes[label]))
        return inside, outside


def _to_the_edge(inner: Box, view: Box, scene: Scene) -> Box:
    left = view.x if view.x <= 0 else inner.x
    top = view.y if view.y <= 0 else inner.y
    right = view.right if view.right >= scene.width else inner.right
    bottom = view.bottom if view.bottom >= scene.height else inner.bottom
    return Box(left, top, max(0.0, right - left), max(0.0, bottom - top))
