"""DeepTest-style perturbation, the baseline that object relations are compared with.

Source: the four perturbations that the MetaIC paper (section 4.2) took from DeepTest, with "the captions must be the
same" as the relation, which is `compare = "wording"`. A caption that is worded otherwise is no error, so by default the
objects that are named must be the same, and with a question what is answered. The paper does not give the strengths of
its perturbations; the defaults here are mild enough that a person would caption both pictures alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar, Literal, TypeAlias

from anamorph.edits.blur import Blur
from anamorph.edits.brightness import Brightness
from anamorph.edits.contrast import Contrast
from anamorph.edits.shear import Shear
from anamorph.model import (
    FROM_SCENES,
    QUESTIONS_TAG,
    Case,
    Cell,
    Edit,
    Labels,
    Probe,
    RecordedCase,
    RecordedOutputs,
    RecordedRow,
    Relation,
    Scene,
    Skip,
    Table,
    Tally,
    setting,
)
from anamorph.relations.same_answer import SameAnswer
from anamorph.relations.same_objects import SameObjects
from anamorph.statistics.tables import per_tag

NO_QUESTIONS = "no question comes with it"
# Whether the objects that captions name must agree, or the wording, which is what the paper compares.
Compare: TypeAlias = Literal["objects", "wording"]


def _relation(compare: Compare | None, question: str | None) -> Relation:
    """What must hold: the same objects of captions, the same answer to a question, or the wording, as published."""
    if compare == "wording":
        return SameAnswer(by_wording=question is not None)
    return SameAnswer() if compare is None and question is not None else SameObjects()


@dataclass(frozen=True, slots=True)
class DeeptestRow:
    """A recorded pair of outputs that must agree: captions, label sets, or answers to a question."""

    cells: ClassVar[Mapping[str, Cell]] = {"question": "word", "compare": "word"}
    source: str | Labels | None
    follow_up: str | Labels | None
    question: str | None = None
    compare: Compare | None = None

    def case(self, outputs: RecordedOutputs) -> RecordedCase:
        relation = _relation(self.compare, self.question)
        readings = (outputs.read(relation, each, self.question) for each in (self.source, self.follow_up))
        return RecordedCase(relation, tuple(readings))


@dataclass(frozen=True, slots=True)
class DeepTest:
    """Perturb the whole picture: what the system names must not change."""

    kind: ClassVar[str] = "deeptest"
    suits: ClassVar[tuple[str, ...]] = ("caption", "answer", "labels")
    by_scene: ClassVar[bool] = True
    recorded: ClassVar[type[RecordedRow] | None] = DeeptestRow
    blur: tuple[float, ...] = setting((1.5,), "Gaussian blur, sigma in pixels; an empty list leaves it out.", least=0)
    brightness: tuple[float, ...] = setting((0.8,), "Brightness factors; 1 changes nothing.", least=0, most=10)
    contrast: tuple[float, ...] = setting((0.8,), "Contrast factors; 1 changes nothing.", least=0, most=10)
    shear: tuple[float, ...] = setting((0.1,), "Horizontal shear factors; 0 changes nothing.", least=-1, most=1)
    also: tuple[Edit, ...] = setting((), 'Further edits, such as {kind = "my-edit"} from a file given with --load.')
    compare: Compare | None = setting(
        None, "What must agree: the objects that captions name, or the wording; with a question, what is answered."
    )
    relation: Relation | None = setting(None, "Another relation that must hold instead, such as one of your own.")
    question: str | None = setting(None, "A question to ask with every picture, for systems that need one.")
    questions: Literal["own", "scenes", "both"] = setting(
        "both", "Which questions to ask: `question`, those that the scenes bring, or both."
    )

    def plan(self, scenes: Iterable[Scene], rng: Random) -> Iterator[Case | Skip]:
        edits = self._edits()
        for scene in scenes:
            asked = self._asked(scene)
            if not asked:
                yield Skip(scene.id, NO_QUESTIONS, "scene")
            for question, tags in asked.items():
                relation = self.relation or _relation(self.compare, question)
                source = Probe(scene.id, question=question)
                for edit in edits:
                    follow_up = Probe(scene.id, (edit,), question)
                    yield Case(self.kind, source, (follow_up,), relation, {"edit": edit.kind, **tags})

    def summarise(self, tallies: Sequence[Tally]) -> tuple[Table, ...]:
        """The share of changed answers per perturbation, as the MetaIC paper's table 1 lists them."""
        return (per_tag("Per perturbation", "perturbation", "edit", tallies),)

    def did(self, tallies: Sequence[Tally]) -> str:
        """What it did in words."""
        edits = dict.fromkeys(edit.kind.replace("-", " ") for edit in self._edits())
        return f"changed {{photos}} slightly ({', '.join(edits)})"

    def _asked(self, scene: Scene) -> dict[str | None, dict[str, str]]:
        """The questions about a scene, each with its tags; None where a picture is shown without a question."""
        asked: dict[str | None, dict[str, str]] = {}
        if self.questions != "scenes" and (self.question is not None or self.questions == "own" or not scene.questions):
            asked[self.question] = {}
        for question in scene.questions if self.questions != "own" else ():
            asked.setdefault(question.text, {QUESTIONS_TAG: FROM_SCENES})
        return asked

    def _edits(self) -> tuple[Edit, ...]:
        return (
            *(Blur(value) for value in self.blur),
            *(Brightness(value) for value in self.brightness),
            *(Contrast(value) for value in self.contrast),
            *(Shear(value) for value in self.shear),
            *self.also,
        )
