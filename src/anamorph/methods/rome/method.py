"""ROME: melt objects away, and the caption may lose them but nothing else.

Source: "ROME: Testing Image Captioning Systems via Recursive Object Melting" (ISSTA 2023), algorithm 1 and equations 1
to 3. Objects that would leave debris are not melted, or only together with what stands in or on them; the paper melts
every annotated object but the largest.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import ClassVar, Literal

from anamorph.edits.melt import Melt
from anamorph.methods.melting.eligibility import Eligibility, MeltRules, eligible
from anamorph.methods.objects.known import known_classes
from anamorph.methods.rome.measures import removal_measures
from anamorph.methods.rome.recorded import RomeRow
from anamorph.methods.rome.released import Profile, judged_as
from anamorph.methods.rome.removals import MOST_PAIRS, Pair, Removal, members, pairs, sampled_pairs, too_many
from anamorph.model import Case, Probe, RecordedRow, Relation, Scene, Skip, Table, Tally, setting
from anamorph.reading.nouns import counted
from anamorph.relations.only_loses import OnlyLoses
from anamorph.relations.removal_measured import RemovalMeasured
from anamorph.statistics.tables import fewest_to_most, kinds_of_error, mr1_and_mr2, per_tag, relations_by_tag
from anamorph.weights.inpainter import HELP as INPAINTER_HELP, inpainter_for

EMPTY, NOTHING_MELTS, TOO_MANY = (
    "no object",
    "no object of it can be melted",
    f"more than {MOST_PAIRS:,} pairs, and pairs_per_scene is 0",
)

# How many classes that stay are asked about with each removal that is measured.
_OTHERS = 2


@dataclass(frozen=True, slots=True)
class Rome:
    """Melt objects: the caption may lose their classes, gains none, and no longer names a class that is gone."""

    kind: ClassVar[str] = "rome"
    suits: ClassVar[tuple[str, ...]] = ("caption",)
    needs: ClassVar[tuple[str, ...]] = ("things",)
    by_scene: ClassVar[bool] = True
    names_classes: ClassVar[bool] = True
    wants_references: ClassVar[bool] = True
    recorded: ClassVar[type[RecordedRow] | None] = RomeRow
    profiles: ClassVar[tuple[str, ...]] = ("paper", "released")
    max_depth: int = setting(
        2, "At most this many objects, or units of objects, are melted at a time.", least=1, most=16
    )
    pairs_per_scene: int = setting(
        100, "At most this many pairs of a scene, every choice of them equally likely; 0 means all.", least=0
    )
    keep_largest: bool = setting(True, "Never melt the largest object, nor anything that would take it along.")
    melt: MeltRules = setting(MeltRules(), "Which objects can be melted: max_area, min_area, max_contact, ...")
    inpainter: str | None = setting(None, INPAINTER_HELP)
    spare: bool = setting(False, "Leave other objects as they are where a widened hole meets them.")
    shadows: bool = setting(True, "On a photo, the shadow at an object's foot goes with it.")
    last_object: Literal["scene", "caption"] = setting(
        "scene",
        "What shows that the last object of a class was melted: the scene's objects, or a source caption that names "
        "one (as in the released tool).",
    )
    profile: Profile = setting(
        "anamorph",
        "How answers are judged: anamorph (numbers and known objects count, too), paper (as published), or released "
        "(as ROME's released tool read and judged).",
    )
    question: str | None = setting(None, "A question to ask with every picture, for systems that need one.")
    measure_removal: bool = setting(
        False,
        "Also ask whether there is any of a class before and after its last object is melted, and of two others, for a "
        "table of BEAF's measures; for systems that take questions.",
    )

    def plan(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case | Skip]:
        base = rng.getrandbits(64)
        for scene in scenes:
            found = eligible(scene, self.melt, keep_largest=self.keep_largest)
            for id, reason in found.left_out.items():
                yield Skip(f"{scene.id}: {scene.thing(id).label} {id}", reason, "object")
            if not found.units:
                yield Skip(scene.id, NOTHING_MELTS if scene.things else EMPTY, "scene")
            if not self.pairs_per_scene and too_many(len(found.units), self.max_depth):
                yield Skip(scene.id, TOO_MANY, "scene")
                continue
            # Each scene has randomness of its own, so that other scenes do not change its pairs.
            for pair in self._pairs(found, Random(f"{base}:{scene.id}")):
                yield self._case(scene, found, *pair)
            if self.measure_removal:
                yield from self._measures(scene, found)

    def summarise(self, tallies: Sequence[Tally]) -> tuple[Table, ...]:
        """Which relation failed and what kind of error it is, as the paper's section 4 counts them, and how deep."""
        judged = [tally for tally in tallies if tally.relation != RemovalMeasured.kind]
        return (
            mr1_and_mr2(judged),
            relations_by_tag("Relations by depth", "units melted", "melted", judged),
            per_tag("Per depth", "units melted", "melted", judged),
            per_tag("Last object of a class", "last object", "last object", judged),
            *kinds_of_error(judged),
            *removal_measures(tallies),
        )

    def did(self, tallies: Sequence[Tally]) -> str:
        """What it did in words; of the tag "1 to 3", the follow-up lacks 3."""
        numbers = (tally.tags.get("melted", "").rpartition(" ")[2] for tally in tallies)
        found = fewest_to_most((int(number) for number in numbers if number.isdecimal()), "object", "objects")
        return f"removed {found} from {{photos}}"

    def judged_as(self, relation: Relation, profile: str) -> Relation | None:
        """A relation of a case as a profile judges; None where it does not hold what that needs."""
        return judged_as(relation, profile)

    def _pairs(self, found: Eligibility, rng: Random) -> Iterable[Pair]:
        unit_of = {id: 1 << place for place, unit in enumerate(found.units) for id in unit.things}
        # A needed object that is too small to be chosen by itself has no unit; it goes along all the same.
        needs = [sum({unit_of.get(id, 0) for id in unit.needs}) for unit in found.units]

        @functools.cache
        def fits(removal: Removal) -> bool:
            things = self._things(found, removal)
            # A bowl with its carrot is one unit and what it needs, and small enough by itself.
            alone = any(things == frozenset(found.units[unit].all) for unit in members(removal))
            return alone or found.small_enough(things)

        if self.pairs_per_scene:
            return sampled_pairs(needs, self.max_depth, self.pairs_per_scene, rng, fits)
        return (pair for pair in pairs(needs, self.max_depth) if fits(pair[1]))

    def _case(
        self,
        scene: Scene,
        found: Eligibility,
        ancestor: Removal,
        descendant: Removal,
    ) -> Case:
        before, after = self._things(found, ancestor), self._things(found, descendant)
        removed = dict.fromkeys(thing.label for thing in scene.things if thing.id in after - before)
        left = {thing.label for thing in scene.things if thing.id not in after}
        gone = tuple(label for label in removed if label not in left)
        by_caption = self.last_object == "caption"
        melted = Counter(thing.label for thing in scene.things if thing.id in after - before)
        own = OnlyLoses(
            tuple(removed),
            None if by_caption else gone,
            tuple(melted.items()),
            ledger=True,
            known=known_classes(scene, before),
            complete=scene.complete,
        )
        relation = judged_as(own, self.profile) or own
        tags = {
            "melted": f"{ancestor.bit_count()} to {descendant.bit_count()}",
            "last object": "by caption" if by_caption else "melted" if gone else "stays",
        }
        return Case(self.kind, self._probe(scene, before), (self._probe(scene, after),), relation, tags)

    def _measures(self, scene: Scene, found: Eligibility) -> Iterator[Case]:
        """Each melt of the last object of a class, with closed questions about that class and about two others."""
        for unit in found.units:
            gone = frozenset(unit.all)
            labels = {thing.label for thing in scene.things if thing.id in gone}
            left = list(dict.fromkeys(thing.label for thing in scene.things if thing.id not in gone))
            if len(labels) != 1 or not labels.isdisjoint(left):
                continue
            for label in (*labels, *left[:_OTHERS]):
                question = f"Is there {counted(label, 1)} in the image?"
                source, follow_up = (self._probe(scene, things) for things in (frozenset[str](), gone))
                probes = (replace(source, question=question), replace(follow_up, question=question))
                relation = RemovalMeasured(label, label in labels)
                tags = {"measured": "removed" if label in labels else "other"}
                yield Case(self.kind, probes[0], probes[1:], relation, tags)

    def _things(self, found: Eligibility, removal: Removal) -> frozenset[str]:
        return frozenset(id for unit in members(removal) for id in found.units[unit].all)

    def _probe(self, scene: Scene, things: frozenset[str]) -> Probe:
        # In the scene's order, so that one set of objects is one image however it came about.
        objects = tuple(thing.id for thing in scene.things if thing.id in things)
        shadows = self.shadows and not scene.is_drawn
        edits = (Melt(objects, inpainter_for(self.inpainter, scene), self.spare, shadows),) if objects else ()
        return Probe(scene.id, edits, self.question)
