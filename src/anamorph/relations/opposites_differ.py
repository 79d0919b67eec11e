"""The claim that a question and its negation get opposite answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.model import AnswerReading, Reading, ReadingKind, Verdict
from anamorph.relations.verdicts.phrases import all_of, whole_answers
from anamorph.relations.verdicts.quantities import undecided_whether


@dataclass(frozen=True, slots=True)
class OppositesDiffer:
    """ "Is there any X?" and "Is there no X?" get different answers (MetaVQA, reversion)."""

    kind: ClassVar[str] = "opposites-differ"
    reads: ClassVar[ReadingKind] = "answer"
    claims: ClassVar[str | None] = "a question and its opposite are answered differently"
    name: ClassVar[str] = "reversion"
    most_answers: ClassVar[int | None] = 2

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        answers = all_of(AnswerReading, readings)
        if isinstance(answers, Verdict):
            return answers
        question, negation = answers[0].to("is-there"), answers[1].to("is-there-no")
        verdict = undecided_whether((question, negation))
        if verdict is not None:
            return verdict
        if question.there == negation.there:
            return Verdict("holds", f"Both answers say that there is {'one' if question.there else 'none'}.")
        said = "yes" if question.there else "no"
        reason = f"Whether there is any and whether there is none are both answered with {said}."
        return Verdict("violated", reason, (self.name,), (self.name,), whole_answers(answers))
