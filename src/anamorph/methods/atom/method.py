"""ATOM: photos of label combinations under small changes, which must leave a tagger's labels alone.

Source: "ATOM: Automated Black-Box Testing of Multi-Label Image Classification Systems" (ASE 2023), section II and
table I. Photos come from the run's scenes, not from an image search; deviations are on the docs page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import ClassVar, Literal

from anamorph.edits.blur import Blur
from anamorph.edits.brightness import Brightness
from anamorph.edits.contrast import Contrast
from anamorph.edits.rotate import Rotate
from anamorph.edits.saturation import Saturation
from anamorph.edits.scale import Scale
from anamorph.edits.sharpness import Sharpness
from anamorph.methods.atom.combinations import Combination, Samples, caption_names, combinations_in, random_choice
from anamorph.methods.atom.recorded import AtomRow
from anamorph.methods.atom.tables import AND, RANDOM, REPEATS_APART, label_summary
from anamorph.model import Case, Edit, Probe, RecordedRow, Relation, Scene, Skip, Summary, Tally, setting
from anamorph.relations.stable_labels import StableLabels

NO_COMBINATION = "it shows none of the combinations of labels"


@dataclass(frozen=True, slots=True)
class Atom:
    """Change photos of label combinations a little: a tagger's labels must stay."""

    kind: ClassVar[str] = "atom"
    suits: ClassVar[tuple[str, ...]] = ("labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels", "things", "captions")
    recorded: ClassVar[type[RecordedRow] | None] = AtomRow
    profiles: ClassVar[tuple[str, ...]] = ("paper",)
    k: tuple[int, ...] = setting((1, 2), "How many labels a combination has; one value or a list.", least=1)
    combinations: tuple[tuple[str, ...], ...] = setting(
        (), 'Only these combinations, such as [["cat", "dog"], ["car"]]; `k` is then not used.'
    )
    labels: tuple[str, ...] = setting((), "The label space; without it, every label that some scene has.")
    per_combination: int = setting(5, "The paper's N: at most this many photos for each combination.", least=1)
    labels_from: Literal["annotations", "captions"] = setting(
        "annotations", "A photo has the labels of its annotations, or those that one of its captions names."
    )
    scale: tuple[float, ...] = setting((0.8,), "Scale factors; an empty list leaves the operation out.", least=0.01)
    brightness: tuple[float, ...] = setting((0.8,), "Brightness factors.", least=0, most=10)
    contrast: tuple[float, ...] = setting((0.8,), "Contrast factors.", least=0, most=10)
    rotation: tuple[float, ...] = setting((2.0,), "Rotation angles, in degrees.", least=-180, most=180)
    blur: tuple[float, ...] = setting((1.0,), "Gaussian blur, sigma in pixels.", least=0, most=100)
    sharpness: tuple[float, ...] = setting((0.8,), "Sharpness factors.", least=0, most=10)
    saturation: tuple[float, ...] = setting((0.8,), "Saturation factors.", least=0, most=10)
    profile: Literal["anamorph", "paper"] = setting(
        "anamorph", "How changes are judged: anamorph (as suspicions to prove), or paper (each of them is a report)."
    )
    random_repeats: int = setting(
        0,
        "The paper's random approach, to compare with: also test as many photos that are chosen from all scenes at "
        "random, this many times over; 0 for none.",
        least=0,
        most=100,
    )

    def __post_init__(self) -> None:
        if not self._edits():
            raise ValueError("at least one operation must have a value")
        if not self.combinations and not self.k:
            raise ValueError("k must name at least one size")
        for combination in self.combinations:
            if not combination or len(set(combination)) != len(combination):
                raise ValueError(f"a combination has at least one label and none twice, got {list(combination)}")

    def plan(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case | Skip]:
        samples = Samples(self.per_combination, rng)
        combinations_of = self._combinations_of()
        ids: list[str] = []
        photos: dict[int, set[str]] = {}
        for scene in scenes:
            if self.random_repeats:
                ids.append(scene.id)
            combinations = combinations_of(scene)
            if not combinations:
                yield Skip(scene.id, NO_COMBINATION, "scene")
            for combination in combinations:
                samples.add(combination, scene.id)
        edits = self._edits()
        for combination, chosen in samples:
            relation = self._relation(combination)
            tags = {"k": str(len(combination)), "combination": AND.join(combination)}
            photos.setdefault(len(combination), set()).update(chosen)
            for scene_id in chosen:
                yield self._case(scene_id, edits, relation, tags)
        for size, own in sorted(photos.items()) if self.random_repeats else ():
            for scene_id, repeats in random_choice(ids, len(own), self.random_repeats, rng).items():
                tags = {"approach": RANDOM, "k": str(size), "repeats": REPEATS_APART.join(map(str, repeats))}
                yield self._case(scene_id, edits, self._relation(()), tags)

    def _case(self, scene_id: str, edits: Iterable[Edit], relation: StableLabels, tags: Mapping[str, str]) -> Case:
        follow_ups = tuple(Probe(scene_id, (edit,)) for edit in edits)
        return Case(self.kind, Probe(scene_id), follow_ups, relation, tags)

    def judged_as(self, relation: Relation, profile: str) -> Relation | None:
        """A relation of a case as a profile judges."""
        return replace(relation, published=True) if isinstance(relation, StableLabels) else None

    def _relation(self, labels: tuple[str, ...]) -> StableLabels:
        return StableLabels(labels, published=self.profile == "paper")

    def summarise(self, tallies: Sequence[Tally]) -> Summary:
        """Tables III and IV of the paper for one system, scores per label and combination, and figure 5."""
        return label_summary(tallies)

    def did(self, tallies: Sequence[Tally]) -> str:
        """What it did in words."""
        operations = dict.fromkeys(edit.kind for edit in self._edits())
        return f"changed {{photos}} slightly ({', '.join(operations)})"

    def _edits(self) -> tuple[Edit, ...]:
        """The operations of table I, in its order; the radius of its blur is Pillow's, which is sigma."""
        return (
            *(Scale(value) for value in self.scale),
            *(Brightness(value) for value in self.brightness),
            *(Contrast(value) for value in self.contrast),
            *(Rotate(value) for value in self.rotation),
            *(Blur(value) for value in self.blur),
            *(Sharpness(value) for value in self.sharpness),
            *(Saturation(value) for value in self.saturation),
        )

    @property
    def wants_references(self) -> bool:
        """Whether captions say what a photo shows."""
        return self.labels_from == "captions"

    def _combinations_of(self) -> Callable[[Scene], list[Combination]]:
        """Which of the combinations to test a scene has."""
        given = [tuple(sorted(combination)) for combination in dict.fromkeys(map(frozenset, self.combinations))]
        space = frozenset(self.labels) if self.labels else None

        def wanted(labels: Iterable[str]) -> list[Combination]:
            known = frozenset(labels) if space is None else space.intersection(labels)
            if given:
                return [combination for combination in given if known.issuperset(combination)]
            return combinations_in(known, self.k)

        def collected(scene: Scene) -> list[Combination]:
            """Only what the photo was collected for: what else it shows, nobody looked for."""
            fitting = given or [each for each in scene.collected_for if len(each) in self.k]
            known = frozenset(scene.collected_for)
            return [each for each in fitting if each in known and (space is None or space.issuperset(each))]

        def annotated(scene: Scene) -> list[Combination]:
            if scene.collected_for:
                return collected(scene)
            return wanted((*scene.labels, *(thing.label for thing in scene.things)))

        if self.labels_from == "annotations":
            return annotated

        def named(scene: Scene) -> list[Combination]:
            found: dict[Combination, None] = {}
            for reading in scene.references:
                found.update((each, None) for each in wanted(reading.labels) if caption_names(reading, each))
            return sorted(found)

        return named
