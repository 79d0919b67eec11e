"""DeepTest-style perturbation, the baseline that object relations are compared with.

Source: the four perturbations that the MetaIC paper (section 4.2) took from DeepTest, with "the captions must be the
same" as the relation. The paper does not give their strengths; the defaults here are mild enough that a person would
caption both pictures alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from anamorph.edits.blur import Blur
from anamorph.edits.brightness import Brightness
from anamorph.edits.contrast import Contrast
from anamorph.edits.shear import Shear
from anamorph.model import (
    Case,
    Edit,
    Labels,
    Probe,
    RecordedCase,
    RecordedOutputs,
    RecordedRow,
    Relation,
    Scene,
    Table,
    Tally,
    setting,
)
from anamorph.relations.same_answer import SameAnswer
from anamorph.statistics.tables import per_tag


@dataclass(frozen=True, slots=True)
class DeeptestRow:
    """A recorded pair of outputs that must agree: captions, or label sets."""

    source: str | Labels | None
    follow_up: str | Labels | None

    def case(self, outputs: RecordedOutputs) -> RecordedCase:
        relation = SameAnswer()
        return RecordedCase(
            relation, tuple(outputs.read(relation.reads, each) for each in (self.source, self.follow_up))
        )


@dataclass(frozen=True, slots=True)
class DeepTest:
    """Perturb the whole picture: what the system says must not change."""

    kind: ClassVar[str] = "deeptest"
    suits: ClassVar[tuple[str, ...]] = ("caption", "answer", "labels")
    recorded: ClassVar[type[RecordedRow] | None] = DeeptestRow
    blur: tuple[float, ...] = setting((1.5,), "Gaussian blur, sigma in pixels; an empty list leaves it out.", least=0)
    brightness: tuple[float, ...] = setting((0.8,), "Brightness factors; 1 changes nothing.", least=0, most=10)
    contrast: tuple[float, ...] = setting((0.8,), "Contrast factors; 1 changes nothing.", least=0, most=10)
    shear: tuple[float, ...] = setting((0.1,), "Horizontal shear factors; 0 changes nothing.", least=-1, most=1)
    also: tuple[Edit, ...] = setting((), 'Further edits, such as {kind = "my-edit"} from a file given with --load.')
    relation: Relation = setting(SameAnswer(), "The relation that must hold between source and follow-up.")
    question: str | None = setting(None, "A question to ask with every picture, for systems that need one.")

    def plan(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case]:
        edits = self._edits()
        for scene in scenes:
            source = Probe(scene.id, question=self.question)
            for edit in edits:
                follow_up = Probe(scene.id, (edit,), self.question)
                yield Case(self.kind, source, (follow_up,), self.relation, {"edit": edit.kind})

    def summarise(self, tallies: Sequence[Tally]) -> tuple[Table, ...]:
        """The share of changed answers per perturbation, as the MetaIC paper's table 1 lists them."""
        return (per_tag("Per perturbation", "perturbation", "edit", tallies),)

    def _edits(self) -> tuple[Edit, ...]:
        return (
            *(Blur(value) for value in self.blur),
            *(Brightness(value) for value in self.brightness),
            *(Contrast(value) for value in self.contrast),
            *(Shear(value) for value in self.shear),
            *self.also,
        )
