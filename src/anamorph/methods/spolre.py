"""SPOLRE: move the objects about, and the caption still names them all.

Source: "Spatial Layout Reconstruction" testing of image captioning (SPOLRE), algorithms 2 and 3 and equations 1 to 4.
Objects keep their own pixels and are laid over the melted photo, or, with `rendering = "diffusion"`, a diffusion model
makes a whole new picture of a map of the classes, as in the paper.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar, Literal

from anamorph.edits.cutouts import Quality, why_not
from anamorph.edits.eligibility import MeltRules, eligible
from anamorph.edits.relayout import Relayout
from anamorph.edits.repaint import Repaint
from anamorph.language.caption import CaptionReader
from anamorph.methods.rearranging import TRANSFORMATIONS, Arrangement, LayoutRules, Rearranger
from anamorph.methods.tables import kinds_of_error, per_group, per_tag
from anamorph.model import CaptionReading, Case, Probe, Scene, Skip, Table, Tally, Thing, setting
from anamorph.relations.keeps_all import KeepsAll

UNNAMED, NOT_ALONE, NOTHING_NAMED, NOTHING_MOVABLE, FEWER = (
    "no reference caption names it",
    "cannot be moved without others",
    "reference captions agree on no object of it",
    "no object of it can be moved",
    "fewer layouts than asked for",
)


@dataclass(frozen=True, slots=True)
class Spolre:
    """Move objects about: the caption still names every one, and as many as there are where it says a number."""

    kind: ClassVar[str] = "spolre"
    suits: ClassVar[tuple[str, ...]] = ("caption",)
    layouts_per_scene: int = setting(10, "How many different layouts of each scene.", least=1)
    layout: LayoutRules = setting(
        LayoutRules(), "How layouts are drawn: steps, transformations, max_degrees, scales, max_hidden, tries."
    )
    ground_truth: Literal["references", "self"] = setting(
        "references",
        "What must be named: classes that reference captions name, or those that the system names in the source.",
    )
    agreement: float = setting(
        0.5, "A class must be named if at least this share of the reference captions names it.", least=0, most=1
    )
    labels: str = setting("coco", "The label space that reference captions are read in; as for the caption reader.")
    melt: MeltRules = setting(
        MeltRules(max_area=0.2), "Which objects leave a hole that can be filled: max_area, min_area, max_contact."
    )
    quality: Quality = setting(
        Quality(min_side=8, min_area=64), "Which objects are whole enough to be moved; as for cut-outs."
    )
    inpainter: str = setting("membrane", "The inpainter that makes up what was behind the objects.")
    rendering: Literal["cutout", "diffusion"] = setting(
        "cutout", "Lay the objects' own pixels over the melted photo, or have a painter make a whole new picture."
    )
    painter: str = setting("controlnet", "With diffusion: the painter that makes pictures of maps of classes.")
    painter_prompt: str = setting(
        "a photograph with {objects}", "With diffusion: what the painter is told; {objects} stands for the classes."
    )
    images_per_layout: int = setting(1, "With diffusion: how many pictures are made of each layout.", least=1)
    question: str | None = setting(None, "A question to ask with every picture, for systems that need one.")

    def plan(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case]:
        for item in self._planned(scenes, rng):
            if isinstance(item, Case):
                yield item

    def left_out(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Skip]:
        """Every scene, object and layout that is not used, and why; `rng` must be as for `plan`."""
        for item in self._planned(scenes, rng):
            if isinstance(item, Skip):
                yield item

    def summarise(self, tallies: Sequence[Tally]) -> tuple[Table, ...]:
        """Reports per transformation, as in the paper's ablation, per number of moved objects, and per kind."""
        used = [name for name in TRANSFORMATIONS if any(_used(tally, name) for tally in tallies)]
        return (
            per_group("Per transformation", "transformation", used, _used, tallies),
            per_tag("Per number of moved objects", "moved", "moved", tallies),
            *kinds_of_error(tallies),
        )

    def _planned(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case | Skip]:
        reader = CaptionReader(labels=self.labels)
        base = rng.getrandbits(64)
        for scene in scenes:
            readings = [reader.read_text(caption) for caption in scene.captions]
            captions = [reading for reading in readings if isinstance(reading, CaptionReading)]
            objects = counted(scene, captions)
            shares = None if self.ground_truth == "self" else _shares(captions, len(readings))
            named = None if shares is None else tuple(label for label in shares if shares[label] >= self.agreement)
            if named is not None and not any(count and label in named for label, count in objects):
                yield Skip(scene.id, NOTHING_NAMED)
                continue
            reasons = self._reasons(scene, shares)
            yield from (Skip(f"{scene.id}: {scene.thing(id).label} {id}", why) for id, why in reasons.items())
            movable = [thing for thing in scene.things if thing.id not in reasons]
            if not movable:
                yield Skip(scene.id, NOTHING_MOVABLE)
                continue
            # Each scene has randomness of its own, so that other scenes do not change its layouts.
            found = self._layouts(Rearranger(scene, movable, self.layout), Random(f"{base}:{scene.id}"))
            # A painter is told where things are, not how many: what it makes of two dogs may be three.
            relation = KeepsAll(objects, named, self.ground_truth, uncounted=self.rendering == "diffusion")
            yield from (case for arranged in found for case in self._cases(scene, arranged, relation))
            if len(found) < self.layouts_per_scene:
                yield Skip(scene.id, FEWER)

    def _reasons(self, scene: Scene, named: Container[str] | None) -> dict[str, str]:
        """Why objects are not moved, by id."""
        found = eligible(scene, self.melt)
        alone = {unit.things[0] for unit in found.units if len(unit.all) == 1}
        reasons: dict[str, str] = {}
        for thing in scene.things:
            reason = self._why_not(scene, thing, named)
            if reason is None and thing.id not in alone:
                reason = found.left_out.get(thing.id, NOT_ALONE)
            if reason is not None:
                reasons[thing.id] = reason
        return reasons

    def _why_not(self, scene: Scene, thing: Thing, named: Container[str] | None) -> str | None:
        if named is not None and thing.label not in named:
            return UNNAMED
        return why_not(scene, thing, self.quality)

    def _layouts(self, rearranger: Rearranger, rng: Random) -> list[Arrangement]:
        """Distinct layouts; a few more draws than layouts, for there may not be so many."""
        found: dict[Arrangement, None] = {}
        for _ in range(2 * self.layouts_per_scene):
            arranged = rearranger.draw(rng)
            if arranged is not None:
                found[arranged] = None
            if len(found) == self.layouts_per_scene:
                break
        return list(found)

    def _cases(self, scene: Scene, arranged: Arrangement, relation: KeepsAll) -> Iterator[Case]:
        source = Probe(scene.id, question=self.question)
        tags = {"transformations": "+".join(arranged.transformations), "moved": str(len(arranged.moved))}
        if self.rendering == "cutout":
            follow_up = Probe(scene.id, (Relayout(arranged.moves, self.inpainter),), self.question)
            yield Case(self.kind, source, (follow_up,), relation, tags)
            return
        names = ", ".join(dict.fromkeys(thing.label for thing in scene.things))
        prompt = self.painter_prompt.replace("{objects}", names)
        for sample in range(self.images_per_layout):
            painted = Repaint(arranged.moves, self.painter, prompt, sample)
            yield Case(self.kind, source, (Probe(scene.id, (painted,), self.question),), relation, tags)


def counted(scene: Scene, references: Sequence[CaptionReading]) -> tuple[tuple[str, int], ...]:
    """The classes of a scene and how many there are; 0 where that is not certain, so that nothing is claimed of it.

    A crowd region is of an unknown number, and a reference that says another number shows that people would differ.
    """
    counts: dict[str, int] = {}
    for thing in scene.things:
        counts[thing.label] = counts.get(thing.label, 0) + 1
    unsure = {thing.label for thing in scene.things if thing.crowd}
    for label, count in counts.items():
        said = (reading.count_of(label) for reading in references)
        if any(number not in (None, count) for number in said):
            unsure.add(label)
    return tuple((label, 0 if label in unsure else count) for label, count in counts.items())


def _shares(captions: Sequence[CaptionReading], whole: int) -> dict[str, float]:
    """The share of the reference captions that names each class."""
    counts: dict[str, int] = {}
    for caption in captions:
        for label in caption.labels:
            counts[label] = counts.get(label, 0) + 1
    return {label: count / whole for label, count in counts.items()}


def _used(tally: Tally, transformation: str) -> bool:
    return transformation in tally.tags.get("transformations", "").split("+")
