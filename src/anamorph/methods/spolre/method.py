"""SPOLRE: move the objects about, and the caption still names them all.

Source: "SPOLRE: Semantic Preserving Object Layout Reconstruction for Image Captioning System Testing", algorithms 1 to
3 and equations 1 to 4. Objects keep their own pixels and are laid over the melted photo, or, with `rendering =
"diffusion"`, a diffusion model makes a whole new picture of a map of the classes, as in the paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import ClassVar, Literal

from anamorph.edits.relayout import Relayout
from anamorph.edits.repaint import Repaint
from anamorph.methods.melting.eligibility import MeltRules
from anamorph.methods.objects.known import known_classes
from anamorph.methods.spolre.movable import MovingRules
from anamorph.methods.spolre.rearranging import TRANSFORMATIONS, Arrangement, LayoutRules, Rearranger
from anamorph.methods.spolre.recorded import SpolreRow
from anamorph.methods.spolre.released import Profile, judged_as
from anamorph.model import (
    Case,
    Completion,
    CompletionRules,
    Probe,
    RecordedRow,
    Relation,
    Scene,
    Skip,
    Table,
    Tally,
    setting,
)
from anamorph.pools.cutouts import Quality
from anamorph.relations.keeps_all import KeepsAll
from anamorph.statistics.tables import fewest_to_most, kinds_of_error, per_group, per_tag
from anamorph.weights.inpainter import HELP as INPAINTER_HELP, best_inpainter, inpainter_for

NO_REFERENCES, NOTHING_NAMED, NOTHING_MOVABLE, FEWER = (
    "it has no reference captions",
    "reference captions agree on no object of it",
    "no object of it can be moved",
    "fewer layouts than asked for",
)
# Draws for each layout that is wanted.
_DRAWS = 8


@dataclass(frozen=True, slots=True)
class Spolre:
    """Move objects about: the caption still names every one, and as many as there are where it says a number."""

    kind: ClassVar[str] = "spolre"
    suits: ClassVar[tuple[str, ...]] = ("caption",)
    needs: ClassVar[tuple[str, ...]] = ("things",)
    by_scene: ClassVar[bool] = True
    names_classes: ClassVar[bool] = True
    wants_references: ClassVar[bool] = True
    recorded: ClassVar[type[RecordedRow] | None] = SpolreRow
    profiles: ClassVar[tuple[str, ...]] = ("paper", "released", "released-guarded")
    layouts_per_scene: int = setting(10, "How many different layouts of each scene.", least=1)
    layout: LayoutRules = setting(
        LayoutRules(), "How layouts are drawn: moves, steps, transformations, max_degrees, scales, max_hidden, tries."
    )
    ground_truth: Literal["references", "self"] = setting(
        "references",
        "What must be named: classes that reference captions name, or those that the system names in the source. A "
        "scene without references is judged by the latter, except as published.",
    )
    agreement: float = setting(
        0.5, "A class must be named if at least this share of the reference captions names it.", least=0, most=1
    )
    melt: MeltRules = setting(
        replace(MeltRules().without_photo_rules(), apart=True, fixtures=False),
        "Which objects leave a hole that can be filled: max_area, min_area, max_contact, apart, fixtures.",
    )
    quality: Quality = setting(
        Quality(min_side=8, min_area=64, min_score=0.75), "Which objects are whole enough to be moved; as for cut-outs."
    )
    found: bool = setting(
        False,
        "On photos, also move what only a segmenter found, where layouts are supported: its outlines are rough, and a "
        "quarter of such images were broken.",
    )
    inpainter: str | None = setting(None, INPAINTER_HELP)
    complete_masks: bool = setting(
        True, "Where the run has a segmenter: complete objects that stand behind others, and move them, too."
    )
    completion: CompletionRules = setting(
        CompletionRules(), "When a completed object is believed: min_score, min_kept, max_stray, max_made_up."
    )
    rendering: Literal["cutout", "diffusion"] = setting(
        "cutout", "Lay the objects' own pixels over the melted photo, or have a painter make a whole new picture."
    )
    painter: str = setting("controlnet", "With diffusion: the painter that makes pictures of maps of classes.")
    painter_prompt: str = setting(
        "a photograph with {objects}", "With diffusion: the painter's prompt; {objects} stands for the classes."
    )
    images_per_layout: int = setting(1, "With diffusion: how many pictures are made of each layout.", least=1)
    painted_numbers: bool = setting(
        False,
        "With diffusion: numbers are judged, too, where a recogniser finds them on the photo; a picture is discarded "
        "unless it finds as many objects there.",
    )
    profile: Profile = setting(
        "anamorph",
        "How answers are judged: anamorph (numbers and known objects count, too), paper (as published), released (a "
        "bare singular says one, as in the released code), or released-guarded (so only of what references name in the "
        "plural).",
    )
    question: str | None = setting(None, "A question to ask with every picture, for systems that need one.")

    def plan(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case | Skip]:
        base = rng.getrandbits(64)
        for scene in scenes:
            objects, uncounted = counted(scene)
            shares = self._shares(scene)
            named = None if shares is None else tuple(label for label in shares if shares[label] >= self.agreement)
            if named is not None and not any(label in named for label, _ in objects):
                yield Skip(scene.id, NOTHING_NAMED if scene.captions else NO_REFERENCES, "scene")
                continue
            movable = self._rules.movable(scene, shares)
            for id, reason in movable.left_out.items():
                yield Skip(f"{scene.id}: {scene.thing(id).label} {id}", reason, "object")
            if not movable.things:
                yield Skip(scene.id, NOTHING_MOVABLE, "scene")
                continue
            # Each scene has randomness of its own, so that other scenes do not change its layouts.
            rearranger = Rearranger(scene, movable.things, self.layout, movable.ties, movable.company)
            found = self._layouts(rearranger, Random(f"{base}:{scene.id}"))
            known = known_classes(scene)
            vouched: tuple[str, ...] = ()
            if self.rendering == "diffusion" and self.profile == "anamorph":
                # A painter is given where things are, not how many: two dogs may become three. The paper counts them.
                if self.painted_numbers:
                    can_count = (label for label, _ in objects if scene.countable is None or label in scene.countable)
                    vouched = tuple(label for label in can_count if label not in uncounted)
                uncounted = tuple(label for label, _ in objects if label not in vouched)
                known = tuple(each if each.label in vouched else replace(each, least=0, most=None) for each in known)
                known = tuple(replace(each, attributes=None) for each in known)
            own = KeepsAll(
                objects,
                named,
                self._ground_truth(scene),
                uncounted,
                ledger=True,
                known=known,
                complete=scene.complete,
                painted=self.rendering == "diffusion",
            )
            relation = judged_as(own, self.profile) or own
            yield from (case for arranged in found for case in self._cases(scene, arranged, relation, vouched))
            if len(found) < self.layouts_per_scene:
                yield Skip(scene.id, FEWER, "scene")

    def summarise(self, tallies: Sequence[Tally]) -> tuple[Table, ...]:
        """Reports per transformation, as in the paper's ablation, per number of moved objects, and per kind."""
        used = [name for name in TRANSFORMATIONS if any(_used(tally, name) for tally in tallies)]
        return (
            per_group("Per transformation", "transformation", used, _used, tallies),
            per_tag("Per number of moved objects", "moved", "moved", tallies),
            *_per_completed(tallies),
            *kinds_of_error(tallies),
        )

    def did(self, tallies: Sequence[Tally]) -> str:
        """What it did in words."""
        numbers = (tally.tags.get("moved", "") for tally in tallies)
        found = fewest_to_most((int(number) for number in numbers if number.isdecimal()), "object", "objects")
        return f"moved {found} in {{photos}}"

    def judged_as(self, relation: Relation, profile: str) -> Relation | None:
        """A relation of a case as a profile judges; None where it does not hold what that needs."""
        return judged_as(relation, profile)

    @property
    def wants_amodal_masks(self) -> Completion | None:
        """What the run's segmenter completes while scenes are scanned."""
        return (
            Completion(self._incomplete, self.inpainter or best_inpainter(), self.completion)
            if self.complete_masks
            else None
        )

    @property
    def wants_footings(self) -> bool:
        """Whether scanning is to look at the ground: it costs a look at every photo."""
        return self.layout.moves == "supported"

    @property
    def wants_painter(self) -> str | None:
        """The painter, where images are painted."""
        return self.painter if self.rendering == "diffusion" else None

    @property
    def wants_ground(self) -> bool:
        """Whether the painter's map is to have ground below the objects."""
        return self.rendering == "diffusion"

    @property
    def wants_counts(self) -> bool:
        """Whether numbers are judged on painted pictures, so that it matters what can be counted."""
        return self.rendering == "diffusion" and self.painted_numbers

    def _incomplete(self, scene: Scene) -> tuple[str, ...]:
        return self._rules.incomplete(scene, self._shares(scene))

    @property
    def _rules(self) -> MovingRules:
        free = self.layout.moves == "free"
        return MovingRules(self.melt, self.quality, free, self.found or free or self.rendering == "diffusion")

    def _ground_truth(self, scene: Scene) -> Literal["references", "self"]:
        return self.ground_truth if scene.captions or self.profile != "anamorph" else "self"

    def _shares(self, scene: Scene) -> dict[str, float] | None:
        """The share of the reference captions that names each class; None where references do not matter."""
        if self._ground_truth(scene) == "self":
            return None
        counts: dict[str, int] = {}
        for caption in scene.references:
            for label in caption.labels:
                counts[label] = counts.get(label, 0) + 1
        return {label: count / len(scene.captions) for label, count in counts.items()}

    def _layouts(self, rearranger: Rearranger, rng: Random) -> list[Arrangement]:
        """Distinct layouts, from more draws than layouts, since many uncover too much; there may be fewer."""
        found: dict[Arrangement, None] = {}
        for _ in range(_DRAWS * self.layouts_per_scene):
            arranged = rearranger.draw(rng)
            if arranged is not None:
                found[arranged] = None
            if len(found) == self.layouts_per_scene:
                break
        return list(found)

    def _cases(
        self, scene: Scene, arranged: Arrangement, relation: Relation, counted: tuple[str, ...]
    ) -> Iterator[Case]:
        source = Probe(scene.id, question=self.question)
        tags = {"transformations": "+".join(arranged.transformations), "moved": str(len(arranged.moved))}
        moved = {move.object for move in arranged.moved}
        wholes = tuple(whole for whole in scene.wholes if whole.object in moved)
        if wholes:
            tags["completed"] = str(len(wholes))
        if self.rendering == "cutout":
            follow_up = Probe(
                scene.id, (Relayout(arranged.moves, inpainter_for(self.inpainter, scene), wholes),), self.question
            )
            yield Case(self.kind, source, (follow_up,), relation, tags)
            return
        names = ", ".join(dict.fromkeys(thing.label for thing in scene.things))
        prompt = self.painter_prompt.replace("{objects}", names)
        for sample in range(self.images_per_layout):
            painted = Repaint(arranged.moves, self.painter, prompt, sample, wholes, counted, scene.stuff)
            yield Case(self.kind, source, (Probe(scene.id, (painted,), self.question),), relation, tags)


def counted(scene: Scene) -> tuple[tuple[tuple[str, int], ...], tuple[str, ...]]:
    """The classes of a scene and how many objects there are, and the classes for which that number is not certain.

    A crowd region is of an unknown number, and a reference that says another number shows that people would differ.
    """
    counts: dict[str, int] = {}
    for thing in scene.things:
        counts[thing.label] = counts.get(thing.label, 0) + 1
    unsure = {thing.label for thing in scene.things if thing.crowd}
    for label, count in counts.items():
        said = (reading.count_of(label) for reading in scene.references)
        if any(number not in (None, count) for number in said):
            unsure.add(label)
    return tuple(counts.items()), tuple(label for label in counts if label in unsure)


def _per_completed(tallies: Sequence[Tally]) -> tuple[Table, ...]:
    """Reports per number of moved objects that stood behind others, where there are any."""
    numbers = sorted({_completed(tally) for tally in tallies})
    if numbers in ([], ["0"]):
        return ()
    title = "Per number of completed objects"
    return (per_group(title, "completed", numbers, lambda tally, number: _completed(tally) == number, tallies),)


def _completed(tally: Tally) -> str:
    return tally.tags.get("completed", "0")


def _used(tally: Tally, transformation: str) -> bool:
    return transformation in tally.tags.get("transformations", "").split("+")
