"""Recorded answers to a question of MetaVQA and to its follow-ups."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from anamorph.errors import BadRecord, UnknownName
from anamorph.methods.metavqa.relations import BY_NAME, judged_as
from anamorph.model import Asks, Cell, RecordedCase, RecordedOutputs, Relation, RelationOptions
from anamorph.relations.objects_add_up import ObjectsAddUp
from anamorph.relations.removal_takes_one import RemovalTakesOne

# By the names of the paper and by the kinds of the relations.
_SPELLINGS: Mapping[str, type[Any]] = {
    **BY_NAME,
    **{cls.kind: cls for cls in BY_NAME.values()},
    "partition": ObjectsAddUp,
    "removal-plus": RemovalTakesOne,
}


@dataclass(frozen=True, slots=True)
class MetavqaRow:
    """The answers, source first, the relation that they must meet, and perhaps what was asked."""

    cells: ClassVar[Mapping[str, Cell]] = {
        "relation": "word",
        "answers": "texts",
        "asks": "word",
        "questions": "texts",
    }
    relation: str
    answers: tuple[str | bool | int | None, ...]
    asks: Asks | None = None
    questions: tuple[str | None, ...] | None = None

    def case(self, outputs: RecordedOutputs) -> RecordedCase:
        relation = judged_as(self._relation(), outputs.profile) or self._relation()
        most = RelationOptions.most_answers.of(relation)
        if len(self.answers) < 2 or (most is not None and len(self.answers) > most):
            wanted = "the source's answer and at least one follow-up's" if most is None else "two answers"
            name = RelationOptions.name.of(relation)
            raise BadRecord("answers", f"{name} needs {wanted}, got {len(self.answers)}")
        questions = self.questions or (None,) * len(self.answers)
        if len(questions) != len(self.answers):
            raise BadRecord("questions", f"needs one for each of {len(self.answers)} answers, got {len(questions)}")
        pairs = zip(self.answers, questions, strict=True)
        return RecordedCase(relation, tuple(outputs.read(relation, answer, question) for answer, question in pairs))

    def _relation(self) -> Relation:
        cls = _SPELLINGS.get(self.relation.strip().casefold().replace(" ", "-").replace("_", "-"))
        if cls is None:
            raise UnknownName("relation", self.relation, BY_NAME)
        settings = {}
        if self.asks is not None:
            if "asks" not in {each.name for each in dataclasses.fields(cls)}:
                raise BadRecord("asks", f"{cls.name} always asks the same; leave it out")
            settings["asks"] = self.asks
        relation: Relation = cls(**settings)
        return relation
