"""MetaVQA: questions about a photo whose answers must agree with each other, and with those about its follow-ups.

Source: "Perception Matters: Detecting Perception Failures of VQA Models Using Metamorphic Testing" (CVPR 2021),
sections 4.1 and 4.2. Deviations are on the docs page. Object classes and properties come from annotations; no pixels
are touched at planning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import ClassVar, Literal

from anamorph.edits.crop import Crop
from anamorph.edits.insert import Insert
from anamorph.edits.melt import Melt
from anamorph.edits.patch import Patch
from anamorph.methods.inserting.overlaps import PlacementRules
from anamorph.methods.inserting.standing import Stage, insert_supported
from anamorph.methods.melting.eligibility import MeltRules, eligible
from anamorph.methods.metavqa.cells import FourCells
from anamorph.methods.metavqa.openings import Axis, free_spot, pieces, standing_alone
from anamorph.methods.metavqa.posed import PosedQuestion, Understanding
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
from anamorph.methods.metavqa.relations import BY_NAME, judged_as
from anamorph.methods.metavqa.tables import question_summary
from anamorph.model import (
    FROM_SCENES,
    QUESTIONS_TAG,
    Asks,
    Case,
    Edit,
    Probe,
    RecordedRow,
    Relation,
    Scene,
    Skip,
    Summary,
    Tally,
    Thing,
    setting,
)
from anamorph.pixels.shapes import melting_kernel, size_at_area
from anamorph.pools.folder import Pool, PoolEntry
from anamorph.reading.questions import ACTIONS, COLOURS
from anamorph.relations.four_cells_agree import FourCellsAgree
from anamorph.relations.objects_add_up import ObjectsAddUp
from anamorph.relations.opposites_differ import OppositesDiffer
from anamorph.relations.order_does_not_matter import OrderDoesNotMatter
from anamorph.relations.pieces_add_up import PiecesAddUp
from anamorph.relations.properties_add_up import PropertiesAddUp
from anamorph.relations.removal_takes_one import RemovalTakesOne
from anamorph.relations.unaffected_by_insertion import UnaffectedByInsertion
from anamorph.relations.unaffected_by_removal import UnaffectedByRemoval
from anamorph.weights.inpainter import HELP as INPAINTER_HELP, inpainter_for

NOTHING_ASKED, NOT_CUT, NO_ROOM, NOT_REMOVABLE, NOT_ALONE = (
    "no question can be asked of it",
    "no uncovered ground to cut it along {}",
    "no free ground for an inserted object",
    "no object stands alone and can be removed",
    "cannot be removed without others",
)
NO_POOL, EMPTY_POOL, NO_CUTOUT = (
    "without a pool of cut-outs; build one with `anamorph list pool build POOL --scenes ...` and add "
    "--set metavqa.pool=POOL",
    "with an empty pool of cut-outs; to be made of the run's own scenes, it needs objects with masks that stand free; "
    "else build one with `anamorph list pool build POOL --scenes ...` and add --set metavqa.pool=POOL",
    "with a pool that has no cut-out of a class that the scene has and no question names",
)
_FROM_SCENES = {QUESTIONS_TAG: FROM_SCENES}


@dataclass(frozen=True, slots=True)
class _SceneQuestions:
    """Every question about one scene: counts of two kinds, kinds whose existence is asked for, and the scene's own."""

    pairs: tuple[PairQuestion, ...] = ()
    kinds: tuple[Target, ...] = ()
    posed: tuple[PosedQuestion, ...] = ()


@dataclass(frozen=True, slots=True)
class MetaVqa:
    """Ask for numbers and existence: the answers must agree, also on cut, enriched and thinned photos."""

    kind: ClassVar[str] = "metavqa"
    suits: ClassVar[tuple[str, ...]] = ("answer",)
    needs: ClassVar[tuple[str, ...]] = ("things", "labels", "questions")
    recorded: ClassVar[type[RecordedRow] | None] = MetavqaRow
    relation_order: ClassVar[tuple[str, ...]] = (*(relation.kind for relation in BY_NAME.values()), FourCellsAgree.kind)
    profiles: ClassVar[tuple[str, ...]] = ("paper",)
    object_partition: bool = setting(True, "How many X and Y there are is the sum of how many X and how many Y.")
    property_partition: bool = setting(True, "The same for one class with two properties.")
    reordering: bool = setting(True, "How many X and Y there are is how many Y and X there are.")
    reversion: bool = setting(True, "Whether there is any X and whether there is no X have opposite answers.")
    cutting: bool = setting(True, "The pieces of a photo together have what the whole photo has.")
    insertion: bool = setting(True, "Inserting what was not asked for changes no answer; needs a pool of cut-outs.")
    removal: bool = setting(True, "Removing what was not asked for changes no answer.")
    removal_plus: bool = setting(True, "Removing one of what was asked for takes one from the number.")

    profile: Literal["anamorph", "paper"] = setting(
        "anamorph",
        "How answers are judged: anamorph (a vague number decides nothing), or paper (vague quantifiers agree).",
    )
    questions: Literal["own", "scenes", "both"] = setting(
        "both", "Which questions to ask: the method's own, those that the scenes bring from a data set, or both."
    )
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
    people: tuple[str, ...] = setting(
        ("person", "people", "man", "woman", "boy", "girl", "child", "kid", "baby", "lady", "guy"),
        "Classes of people; their properties are actions.",
    )
    actions: tuple[str, ...] = setting(ACTIONS, "Attributes of people that may be asked for.")
    colours: tuple[str, ...] = setting(COLOURS, "Attributes of everything else that may be asked for.")
    estimate_colours: bool = setting(
        True, "Where no colour of a scene is annotated, take those that the objects' pixels have."
    )
    names: Mapping[str, str] = setting({}, 'What to call a class, as "one" or "one / many", such as tv = "telly".')
    templates: Templates = setting(Templates(), "How questions are worded.")

    cells: FourCells = setting(
        FourCells(), "Whether the image or the wording breaks an answer (MetaRA's four cells): `ask`, `change`, ..."
    )

    axes: tuple[Literal["x", "y"], ...] = setting(("x", "y"), "Cut along x, along y, or, separately, both.")
    least_gap_pixels: float = setting(2.0, "Uncovered ground must be at least this wide to be cut through.", least=0)
    least_piece_pixels: int = setting(32, "A piece is at least this wide (or high).", least=1)
    pool: str | None = setting(
        None, "A folder of cut-outs (`anamorph list pool build`); without one, see `pool_from_scenes`."
    )
    pool_from_scenes: bool = setting(
        True, "Without `pool`, insert objects that are cut out of the run's own scenes, where these have masks."
    )
    insertions: int = setting(1, "Photos with an inserted object, per scene.", least=0)
    insertion_places: Literal["supported", "free"] = setting(
        "supported",
        "Where objects are inserted into a photo: where something supports them, in the size that they have there, or "
        "on any free ground, as in the paper and as in drawings.",
    )
    insertion_sizes: tuple[float, float] = setting(
        (0.8, 1.2), "On free ground: the area of an inserted object, as a share of its class's mean.", least=0.01
    )
    removals: int = setting(2, "Photos with an object removed that was not asked for, per scene.", least=0)
    remove_by: Literal["patch", "inpainting"] = setting("patch", "A white patch over the box, or inpainting.")
    inpainter: str | None = setting(None, f"With inpainting: {INPAINTER_HELP[0].lower()}{INPAINTER_HELP[1:]}")
    shadows: bool = setting(True, "With inpainting: on a photo, the shadow at an object's foot goes with it.")
    melt: MeltRules = setting(
        MeltRules(min_area=0), "With inpainting: which objects of a photo can be removed: max_area, max_at_once, ..."
    )
    least_removed: float = setting(
        0.005, "An object is removed only if its box has at least this share of the photo.", least=0, most=1
    )

    def __post_init__(self) -> None:
        if sum(self.absent_mix) <= 0:
            raise ValueError("absent_mix must have a weight above 0")
        if self.insertion_sizes[0] > self.insertion_sizes[1]:
            raise ValueError(f"insertion_sizes must rise, got {self.insertion_sizes[0]} to {self.insertion_sizes[1]}")

    @property
    def by_scene(self) -> bool:
        """Whether no scene's questions depend on others: without `absent`, classes of all scenes are asked for."""
        return bool(self.absent)

    @property
    def wants_colours(self) -> bool:
        """Whether scanning is to look for colours: it costs a look at every photo."""
        asks = self.questions != "scenes" and bool(self.property_pairs or self.property_existences)
        return self.estimate_colours and asks

    @property
    def wants_pool(self) -> bool:
        """Whether a run is to cut objects out of its scenes for insertions."""
        return self.pool_from_scenes and self.pool is None and self.insertion and self.insertions > 0

    @property
    def wants_footings(self) -> bool:
        """Whether scanning is to look at the ground: it costs a look at every photo."""
        pool = self.wants_pool or self.pool is not None
        return pool and self.insertion and self.insertions > 0 and self.insertion_places == "supported"

    def plan(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case | Skip]:
        for item in self._planned(scenes, rng):
            if isinstance(item, Case) and self.profile != "anamorph":
                yield replace(item, relation=judged_as(item.relation, self.profile) or item.relation)
            else:
                yield item

    def judged_as(self, relation: Relation, profile: str) -> Relation | None:
        """A relation of a case as a profile judges."""
        return judged_as(relation, profile)

    def _planned(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case | Skip]:
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
        words = _Words(phrasing, Understanding(space, choices))
        for scene in scenes:
            posed: list[PosedQuestion] = []
            for item in words.understanding.of(scene) if self.questions != "own" else ():
                if isinstance(item, Skip):
                    yield item
                else:
                    posed.append(item)
            # Each use of chance has its own source, so that turning one relation off leaves the others' cases alone.
            asked = self._ask(Inventory(scene, space, choices), posed, Random(f"{seed}:{scene.id}:questions"))
            if not asked.pairs and not asked.kinds and not asked.posed:
                yield Skip(scene.id, NOTHING_ASKED, "scene")
                continue
            yield from self._about_questions(scene, asked, phrasing)
            yield from words.in_cells(scene, asked, self.cells) if self.cells.ask else ()
            yield from self._about_pieces(scene, asked, words)
            if self.insertion and self.insertions:
                own = Random(f"{seed}:{scene.id}:insertion")
                yield from self._about_insertions(scene, asked, words, cutouts, own)
            yield from self._about_removals(scene, asked, words, Random(f"{seed}:{scene.id}:removal"))

    def summarise(self, tallies: Sequence[Tally]) -> Summary:
        """The paper's table 4 for one system, its figure 8, and the two ways to cut."""
        return question_summary(tallies, self.axes)

    def did(self, tallies: Sequence[Tally]) -> str:
        """What it did in words."""
        return "asked about {photos} in ways whose answers must fit together"

    def _ask(self, inventory: Inventory, posed: Sequence[PosedQuestion], rng: Random) -> _SceneQuestions:
        if self.questions == "scenes":
            return _SceneQuestions(posed=tuple(posed))
        pairs = object_pairs(inventory, self.absent_mix, self.object_pairs, self.fewest_classes, rng)
        pairs += property_pairs(inventory, self.absent_mix, self.property_pairs, rng)
        kinds = existences(inventory, self.absent_share, self.existences, rng)
        kinds += property_existences(inventory, self.absent_share, self.property_existences, rng)
        return _SceneQuestions(tuple(pairs), tuple(kinds), tuple(posed))

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
        for posed in asked.posed if self.reordering else ():
            if posed.reordered is not None:
                source, follow_up = (Probe(scene.id, question=text) for text in (posed.text, posed.reordered))
                yield Case(self.kind, source, (follow_up,), OrderDoesNotMatter(), _FROM_SCENES)

    def _about_pieces(self, scene: Scene, asked: _SceneQuestions, words: _Words) -> Iterator[Case | Skip]:
        for axis in self.axes if self.cutting else ():
            cut = self._cut(scene, axis)
            if len(cut) < 2:
                yield Skip(scene.id, NOT_CUT.format(axis), "scene")
            for question, asks, tags in words.texts(asked) if len(cut) > 1 else ():
                yield self._case(scene, question, cut, PiecesAddUp(asks), {"axis": axis, "asks": asks, **tags})

    def _about_insertions(
        self,
        scene: Scene,
        asked: _SceneQuestions,
        words: _Words,
        cutouts: Mapping[str, Sequence[PoolEntry]],
        rng: Random,
    ) -> Iterator[Case | Skip]:
        if not cutouts:
            yield Skip(scene.id, NO_POOL if self.pool is None else EMPTY_POOL, "insertion")
            return
        labels = sorted({thing.label for thing in scene.things if not thing.crowd and thing.label in cutouts})
        rng.shuffle(labels)
        done, tried = 0, False
        for label in labels:
            if done == self.insertions:
                return
            texts = list(words.texts(asked, without=label))
            insert = self._insert(scene, label, cutouts[label], rng) if texts else None
            tried = tried or bool(texts)
            if insert is None:
                if texts:
                    yield Skip(f"{scene.id}: {label}", NO_ROOM, "insertion")
                continue
            done += 1
            for question, asks, tags in texts:
                yield self._case(scene, question, [insert], UnaffectedByInsertion(asks), {"asks": asks, **tags})
        if not tried:
            yield Skip(scene.id, NO_CUTOUT, "insertion")

    def _about_removals(
        self, scene: Scene, asked: _SceneQuestions, words: _Words, rng: Random
    ) -> Iterator[Case | Skip]:
        if not self.removal and not self.removal_plus:
            return
        alone = self._standing_alone(scene)
        left_out = self._left_out(scene) if alone else {}
        for thing in alone:
            if thing.id in left_out:
                yield Skip(f"{scene.id}: {thing.label} {thing.id}", left_out[thing.id], "object")
        removable = [thing for thing in alone if thing.id not in left_out]
        if not removable:
            yield Skip(scene.id, NOT_REMOVABLE, "scene")
        for thing in rng.sample(removable, min(self.removals, len(removable))):
            for question, asks, tags in words.texts(asked, without=thing.label) if self.removal else ():
                edit = self._without(scene, thing)
                yield self._case(scene, question, [edit], UnaffectedByRemoval(asks), {"asks": asks, **tags})
        for text, targets, tags in words.counts(asked) if self.removal_plus else ():
            candidates = [thing for thing in removable if words.takes_one(scene, thing, targets)]
            if candidates:
                edit = self._without(scene, rng.choice(candidates))
                yield self._case(scene, text, [edit], RemovalTakesOne(), tags)

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
            pool = Pool.open(Path(self.pool))
            for entry in pool.believed if self.insertion_places == "supported" else pool.entries:
                found.setdefault(entry.label, []).append(entry)
        return found

    def _insert(self, scene: Scene, label: str, entries: Sequence[PoolEntry], rng: Random) -> Insert | None:
        if self.insertion_places == "supported" and not scene.is_drawn:
            return self._supported(scene, label, entries, rng)
        areas = [thing.box.area for thing in scene.things if thing.label == label and not thing.crowd]
        entry = rng.choice(entries)
        area = max(1.0, sum(areas) / len(areas) * rng.uniform(*self.insertion_sizes))
        size = size_at_area(area, (entry.width, entry.height))
        box = free_spot([thing.box for thing in scene.things], size, scene.width, scene.height, rng)
        return None if box is None else Insert(entry.id, box)

    def _supported(self, scene: Scene, label: str, entries: Sequence[PoolEntry], rng: Random) -> Insert | None:
        # An object beside itself would be a copy, not a second one.
        able = [entry for entry in entries if entry.scene != scene.id]
        stage = Stage(scene)
        for entry in rng.sample(able, len(able)) if stage.suits(label) else ():
            places = stage.places(label, (entry.width, entry.height), (0,), PlacementRules(), rng)
            if places:
                return insert_supported(entry.id, label, places[0])
        return None

    def _standing_alone(self, scene: Scene) -> list[Thing]:
        # An inpainted hole is wider than the object, so a neighbour must be farther away than beside a patch.
        margin = melting_kernel(scene.height, scene.width) // 2 + 1 if self.remove_by == "inpainting" else 0
        least = self.least_removed * scene.width * scene.height
        return [thing for thing in standing_alone(scene.things, margin) if thing.box.area >= max(1.0, least)]

    def _left_out(self, scene: Scene) -> Mapping[str, str]:
        """The objects of a photo that inpainting does not remove, each with the reason."""
        # A patch hides anything, and drawn ground goes on anywhere.
        if self.remove_by == "patch" or scene.is_drawn:
            return {}
        found = eligible(scene, self.melt)
        with_others = {id: NOT_ALONE for unit in found.units for id in unit.things if len(unit.all) > 1}
        return {**found.left_out, **with_others}

    def _without(self, scene: Scene, thing: Thing) -> Edit:
        if self.remove_by == "patch":
            return Patch((thing.id,))
        shadows = self.shadows and not scene.is_drawn
        return Melt((thing.id,), inpainter_for(self.inpainter, scene), spare=True, shadows=shadows)


@dataclass(frozen=True, slots=True)
class _Words:
    """The questions about a scene as texts, with what they ask; those that the scene brings come last."""

    phrasing: Phrasing
    understanding: Understanding

    def texts(
        self, asked: _SceneQuestions, without: str | None = None
    ) -> Iterator[tuple[str, Asks, Mapping[str, str]]]:
        """Every question, what it asks and its tags, except those that concern the class `without`."""
        own: set[str] = set()
        for text, asks, targets in self._own(asked):
            own.add(text)
            if without is None or not any(target.label == without for target in targets):
                yield text, asks, {}
        for each in asked.posed:
            if each.text not in own and (without is None or not self.understanding.concerns(without, each.targets)):
                yield each.text, each.asks, _FROM_SCENES

    def in_cells(self, scene: Scene, asked: _SceneQuestions, cells: FourCells) -> Iterator[Case]:
        """Every question in its four cells."""
        own: set[str] = set()
        for text, asks, targets in self._own(asked):
            own.add(text)
            reworded = cells.reworded_own(asks, targets, self.phrasing)
            yield self._in_cells(scene, text, reworded, asks, cells, {})
        for each in asked.posed:
            if each.text not in own:
                reworded = cells.posed.format(question=each.text)
                yield self._in_cells(scene, each.text, reworded, each.asks, cells, _FROM_SCENES)

    def _in_cells(
        self, scene: Scene, text: str, reworded: str, asks: Asks, cells: FourCells, tags: Mapping[str, str]
    ) -> Case:
        source = Probe(scene.id, question=text)
        follow_ups = cells.follow_ups(scene, text, reworded)
        return Case(MetaVqa.kind, source, follow_ups, FourCellsAgree(asks), {"asks": asks, **tags})

    def counts(self, asked: _SceneQuestions) -> Iterator[tuple[str, tuple[Target, ...], Mapping[str, str]]]:
        """Every question of how many there are: its text, what is counted, and its tags."""
        for pair in asked.pairs:
            targets = (pair.first, pair.second)
            yield self.phrasing.count_both(*targets), targets, {"about": pair.about}
        for each in asked.posed:
            apart = all(
                not self.understanding.concerns(target.label, each.targets[:place])
                for place, target in enumerate(each.targets)
            )
            if each.asks == "how-many" and apart:
                about = "properties" if any(target.attribute for target in each.targets) else "objects"
                yield each.text, each.targets, {"about": about, **_FROM_SCENES}

    def takes_one(self, scene: Scene, thing: Thing, targets: Sequence[Target]) -> bool:
        """Whether removing an object surely takes one from the number that a question asks for.

        One annotated object of a word such as "skis" may be one ski or a pair, and a crowd cannot be counted.
        """
        if not any(
            thing.label == target.label and (target.attribute is None or target.attribute in thing.attributes)
            for target in targets
        ):
            return False
        labels = [target.label for target in targets]
        return not self.phrasing.noun(thing.label).plural and not any(
            other.crowd and other.label in labels for other in scene.things
        )

    def _own(self, asked: _SceneQuestions) -> Iterator[tuple[str, Asks, tuple[Target, ...]]]:
        for pair in asked.pairs:
            yield self.phrasing.count_both(pair.first, pair.second), "how-many", (pair.first, pair.second)
        for target in asked.kinds:
            yield self.phrasing.any(target), "is-there", (target,)
            yield self.phrasing.none(target), "is-there-no", (target,)


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
