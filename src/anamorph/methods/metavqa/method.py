"""MetaVQA: questions about a photo whose answers must agree with each other, and with those about its follow-ups.

Source: "Perception Matters: Detecting Perception Failures of VQA Models Using Metamorphic Testing" (CVPR 2021),
sections 4.1 and 4.2. Deviations are on the docs page. Object classes and properties come from annotations; no pixels
are touched at planning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import ClassVar, Literal

from anamorph.edits.crop import Crop
from anamorph.edits.insert import Insert
from anamorph.edits.melt import Melt
from anamorph.edits.patch import Patch
from anamorph.language.questions import ACTIONS, COLOURS
from anamorph.methods.metavqa.openings import Axis, free_spot, pieces, standing_alone
from anamorph.methods.metavqa.questions import (
    Inventory,
    PairQuestion,
    Phrasing,
    PropertyChoices,
    Target,
    Templates,
    existences,
    object_pairs,
    property_existences,
    property_pairs,
)
from anamorph.methods.metavqa.recorded import MetavqaRow
from anamorph.methods.metavqa.relations import BY_NAME
from anamorph.methods.metavqa.tables import question_summary
from anamorph.model import Asks, Case, Edit, Probe, RecordedRow, Relation, Scene, Skip, Summary, Tally, Thing, setting
from anamorph.pixels.shapes import melting_kernel, size_at_area
from anamorph.pools.folder import Pool, PoolEntry
from anamorph.relations.objects_add_up import ObjectsAddUp
from anamorph.relations.opposites_differ import OppositesDiffer
from anamorph.relations.order_does_not_matter import OrderDoesNotMatter
from anamorph.relations.pieces_add_up import PiecesAddUp
from anamorph.relations.properties_add_up import PropertiesAddUp
from anamorph.relations.removal_takes_one import RemovalTakesOne
from anamorph.relations.unaffected_by_insertion import UnaffectedByInsertion
from anamorph.relations.unaffected_by_removal import UnaffectedByRemoval

NOTHING_ASKED, NOT_CUT, NO_ROOM, NOT_REMOVABLE = (
    "no question can be asked of it",
    "no uncovered ground to cut it along {}",
    "no free ground for an inserted object",
    "no object stands alone and is large enough to be removed",
)


@dataclass(frozen=True, slots=True)
class _SceneQuestions:
    """Every question about one scene: counts of two kinds, and kinds whose existence is asked for."""

    pairs: tuple[PairQuestion, ...]
    kinds: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class MetaVqa:
    """Ask for numbers and existence: the answers must agree, also on cut, enriched and thinned photos."""

    kind: ClassVar[str] = "metavqa"
    suits: ClassVar[tuple[str, ...]] = ("answer",)
    recorded: ClassVar[type[RecordedRow] | None] = MetavqaRow
    relations: ClassVar[tuple[str, ...]] = tuple(relation.kind for relation in BY_NAME.values())
    object_partition: bool = setting(True, "How many X and Y there are is the sum of how many X and how many Y.")
    property_partition: bool = setting(True, "The same for one class with two properties.")
    reordering: bool = setting(True, "How many X and Y there are is how many Y and X there are.")
    reversion: bool = setting(True, "Whether there is any X and whether there is no X have opposite answers.")
    cutting: bool = setting(True, "The pieces of a photo together have what the whole photo has.")
    insertion: bool = setting(True, "Inserting what was not asked for changes no answer; needs `pool`.")
    removal: bool = setting(True, "Removing what was not asked for changes no answer.")
    removal_plus: bool = setting(True, "Removing one of what was asked for takes one from the number.")

    object_pairs: int = setting(3, "Questions about two classes, per scene.", least=0)
    property_pairs: int = setting(2, "Questions about two properties of a class, per scene.", least=0)
    existences: int = setting(2, "Classes whose existence is asked for, per scene.", least=0)
    property_existences: int = setting(1, "Properties whose existence is asked for, per scene.", least=0)
    absent_mix: tuple[float, float, float] = setting(
        (0.1, 0.2, 0.7), "Weights of both absent, one absent and both present, in questions about two.", least=0
    )
    fewest_classes: int = setting(
        2,
        "A scene needs this many classes for questions about two; with 1, more are about absent ones.",
        least=0,
    )
    absent_share: float = setting(0.3, "The share of existence questions about what is absent.", least=0, most=1)
    absent: tuple[str, ...] = setting(
        (), "Classes to ask for where they are absent; without any, the classes and attributes that some scene has."
    )
    people: tuple[str, ...] = setting(("person",), "Classes of people; their properties are actions.")
    actions: tuple[str, ...] = setting(ACTIONS, "Attributes of people that may be asked for.")
    colours: tuple[str, ...] = setting(COLOURS, "Attributes of everything else that may be asked for.")
    estimate_colours: bool = setting(
        True, "Where no colour of a scene is annotated, take those that the objects' pixels have."
    )
    names: Mapping[str, str] = setting({}, 'What to call a class, as "one" or "one / many", such as tv = "telly".')
    templates: Templates = setting(Templates(), "How questions are worded.")

    axes: tuple[Literal["x", "y"], ...] = setting(("x", "y"), "Cut along x, along y, or, separately, both.")
    least_gap_pixels: float = setting(2.0, "Uncovered ground must be at least this wide to be cut through.", least=0)
    least_piece_pixels: int = setting(32, "A piece is at least this wide (or high).", least=1)
    pool: str | None = setting(None, "A folder of cut-outs (`anamorph pool build`); without one, nothing is inserted.")
    insertions: int = setting(1, "Photos with an inserted object, per scene.", least=0)
    insertion_sizes: tuple[float, float] = setting(
        (0.8, 1.2), "The area of an inserted object, as a share of its class's mean in the photo.", least=0.01
    )
    removals: int = setting(2, "Photos with an object removed that was not asked for, per scene.", least=0)
    remove_by: Literal["patch", "inpainting"] = setting("patch", "A white patch over the box, or inpainting.")
    inpainter: str = setting("telea", "The name of the inpainter, for inpainting.")
    least_removed: float = setting(
        0.005, "An object is removed only if its box has at least this share of the photo.", least=0, most=1
    )

    def __post_init__(self) -> None:
        if sum(self.absent_mix) <= 0:
            raise ValueError("absent_mix must have a weight above 0")
        if self.insertion_sizes[0] > self.insertion_sizes[1]:
            raise ValueError(f"insertion_sizes must rise, got {self.insertion_sizes[0]} to {self.insertion_sizes[1]}")

    @property
    def wants_colours(self) -> bool:
        """Whether scanning is to look for colours: it costs a look at every photo."""
        return self.estimate_colours and bool(self.property_pairs or self.property_existences)

    def plan(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case | Skip]:
        seed = rng.getrandbits(64)
        cutouts = self._cutouts()
        choices, phrasing = (
            PropertyChoices(self.people, self.actions, self.colours),
            Phrasing(self.templates, self.names),
        )
        space = sorted(set(self.absent))
        if not space:
            space, attributes = _survey(scenes)
            choices = choices.within(attributes)
        for scene in scenes:
            # Each use of chance has its own source, so that turning one relation off leaves the others' cases alone.
            asked = self._ask(Inventory(scene, space, choices), Random(f"{seed}:{scene.id}:questions"))
            if not asked.pairs and not asked.kinds:
                yield Skip(scene.id, NOTHING_ASKED, "scene")
                continue
            yield from self._about_questions(scene, asked, phrasing)
            yield from self._about_pieces(scene, asked, phrasing)
            if cutouts:
                own = Random(f"{seed}:{scene.id}:insertion")
                yield from self._about_insertions(scene, asked, phrasing, cutouts, own)
            yield from self._about_removals(scene, asked, phrasing, Random(f"{seed}:{scene.id}:removal"))

    def summarise(self, tallies: Sequence[Tally]) -> Summary:
        """The paper's table 4 for one system, its figure 8, and the two ways to cut."""
        return question_summary(tallies, self.axes)

    def _ask(self, inventory: Inventory, rng: Random) -> _SceneQuestions:
        pairs = object_pairs(inventory, self.absent_mix, self.object_pairs, self.fewest_classes, rng)
        pairs += property_pairs(inventory, self.absent_mix, self.property_pairs, rng)
        kinds = existences(inventory, self.absent_share, self.existences, rng)
        kinds += property_existences(inventory, self.absent_share, self.property_existences, rng)
        return _SceneQuestions(tuple(pairs), tuple(kinds))

    def _about_questions(self, scene: Scene, asked: _SceneQuestions, phrasing: Phrasing) -> Iterator[Case]:
        for pair in asked.pairs:
            both = Probe(scene.id, question=phrasing.count_both(pair.first, pair.second))
            tags = {"about": pair.about, "partition": pair.presence}
            partition = self.object_partition if pair.about == "objects" else self.property_partition
            if partition:
                relation = ObjectsAddUp() if pair.about == "objects" else PropertiesAddUp()
                each = tuple(Probe(scene.id, question=phrasing.count(one)) for one in (pair.first, pair.second))
                yield Case(self.kind, both, each, relation, tags)
            if self.reordering:
                other = Probe(scene.id, question=phrasing.count_both(pair.second, pair.first))
                yield Case(self.kind, both, (other,), OrderDoesNotMatter(), tags)
        for target in asked.kinds if self.reversion else ():
            question, negation = (Probe(scene.id, question=ask(target)) for ask in (phrasing.any, phrasing.none))
            tags = {"about": "properties" if target.attribute else "objects"}
            yield Case(self.kind, question, (negation,), OppositesDiffer(), tags)

    def _about_pieces(self, scene: Scene, asked: _SceneQuestions, phrasing: Phrasing) -> Iterator[Case | Skip]:
        for axis in self.axes if self.cutting else ():
            cut = self._cut(scene, axis)
            if len(cut) < 2:
                yield Skip(scene.id, NOT_CUT.format(axis), "scene")
            for question, asks in _texts(asked, phrasing) if len(cut) > 1 else ():
                yield self._case(scene, question, cut, PiecesAddUp(asks), {"axis": axis, "asks": asks})

    def _about_insertions(
        self,
        scene: Scene,
        asked: _SceneQuestions,
        phrasing: Phrasing,
        cutouts: Mapping[str, Sequence[PoolEntry]],
        rng: Random,
    ) -> Iterator[Case | Skip]:
        labels = sorted({thing.label for thing in scene.things if not thing.crowd and thing.label in cutouts})
        rng.shuffle(labels)
        done = 0
        for label in labels:
            if done == self.insertions:
                return
            texts = list(_texts(asked, phrasing, without=label))
            insert = self._insert(scene, label, cutouts[label], rng) if texts else None
            if insert is None:
                if texts:
                    yield Skip(f"{scene.id}: {label}", NO_ROOM, "insertion")
                continue
            done += 1
            for question, asks in texts:
                yield self._case(scene, question, [insert], UnaffectedByInsertion(asks), {"asks": asks})

    def _about_removals(
        self, scene: Scene, asked: _SceneQuestions, phrasing: Phrasing, rng: Random
    ) -> Iterator[Case | Skip]:
        if not self.removal and not self.removal_plus:
            return
        removable = self._removable(scene)
        if not removable:
            yield Skip(scene.id, NOT_REMOVABLE, "scene")
        for thing in rng.sample(removable, min(self.removals, len(removable))):
            for question, asks in _texts(asked, phrasing, without=thing.label) if self.removal else ():
                edit = self._without(thing)
                yield self._case(scene, question, [edit], UnaffectedByRemoval(asks), {"asks": asks})
        for pair in asked.pairs if self.removal_plus else ():
            candidates = [thing for thing in removable if _takes_one(scene, thing, pair, phrasing)]
            if candidates:
                edit = self._without(rng.choice(candidates))
                question = phrasing.count_both(pair.first, pair.second)
                yield self._case(scene, question, [edit], RemovalTakesOne(), {"about": pair.about})

    def _case(
        self, scene: Scene, question: str, edits: Iterable[Edit], relation: Relation, tags: Mapping[str, str]
    ) -> Case:
        follow_ups = tuple(Probe(scene.id, (edit,), question) for edit in edits)
        return Case(self.kind, Probe(scene.id, question=question), follow_ups, relation, tags)

    def _cut(self, scene: Scene, axis: Axis) -> list[Crop]:
        size = scene.width, scene.height
        return [Crop(box) for box in pieces(scene.things, *size, axis, self.least_gap_pixels, self.least_piece_pixels)]

    def _cutouts(self) -> dict[str, list[PoolEntry]]:
        found: dict[str, list[PoolEntry]] = {}
        if self.insertion and self.insertions and self.pool is not None:
            for entry in Pool.open(Path(self.pool)).entries:
                found.setdefault(entry.label, []).append(entry)
        return found

    def _insert(self, scene: Scene, label: str, entries: Sequence[PoolEntry], rng: Random) -> Insert | None:
        areas = [thing.box.area for thing in scene.things if thing.label == label and not thing.crowd]
        entry = rng.choice(entries)
        area = max(1.0, sum(areas) / len(areas) * rng.uniform(*self.insertion_sizes))
        size = size_at_area(area, (entry.width, entry.height))
        box = free_spot([thing.box for thing in scene.things], size, scene.width, scene.height, rng)
        return None if box is None else Insert(entry.id, box)

    def _removable(self, scene: Scene) -> list[Thing]:
        # An inpainted hole is wider than the object, so a neighbour must be farther away than beside a patch.
        margin = melting_kernel(scene.height, scene.width) // 2 + 1 if self.remove_by == "inpainting" else 0
        least = self.least_removed * scene.width * scene.height
        return [thing for thing in standing_alone(scene.things, margin) if thing.box.area >= max(1.0, least)]

    def _without(self, thing: Thing) -> Edit:
        return Patch((thing.id,)) if self.remove_by == "patch" else Melt((thing.id,), self.inpainter, spare=True)


def _texts(asked: _SceneQuestions, phrasing: Phrasing, without: str | None = None) -> Iterator[tuple[str, Asks]]:
    """Every question, and what it asks, except those that name the class `without`."""
    for pair in asked.pairs:
        if without not in pair.labels:
            yield phrasing.count_both(pair.first, pair.second), "how-many"
    for target in asked.kinds:
        if target.label != without:
            yield phrasing.any(target), "is-there"
            yield phrasing.none(target), "is-there-no"


def _takes_one(scene: Scene, thing: Thing, pair: PairQuestion, phrasing: Phrasing) -> bool:
    """Whether removing an object surely takes one from the number that a question asks for.

    One annotated object of a word such as "skis" may be one ski or a pair, and a crowd cannot be counted.
    """
    if not any(
        thing.label == target.label and (target.attribute is None or target.attribute in thing.attributes)
        for target in (pair.first, pair.second)
    ):
        return False
    return not phrasing.noun(thing.label).plural and not any(
        other.crowd and other.label in pair.labels for other in scene.things
    )


def _survey(scenes: Iterable[Scene]) -> tuple[list[str], frozenset[str]]:
    """Every class and every attribute that some scene has."""
    labels: set[str] = set()
    attributes: set[str] = set()
    for scene in scenes:
        labels.update(scene.labels)
        for thing in scene.things:
            labels.add(thing.label)
            attributes.update(thing.attributes)
    return sorted(labels), frozenset(attributes)
