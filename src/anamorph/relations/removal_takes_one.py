"""The claim that removing one of the counted objects lowers the count by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.model import AnswerReading, Reading, ReadingKind, Verdict
from anamorph.relations.verdicts.ledger import disjoint
from anamorph.relations.verdicts.phrases import all_of, whole_answers
from anamorph.relations.verdicts.quantities import not_exact, stated, without_number


@dataclass(frozen=True, slots=True)
class RemovalTakesOne:
    """The follow-up, with one of the counted objects removed, has one fewer than the source (MetaVQA, removal+).

    The only relation that a system that always says 0 cannot meet.
    """

    kind: ClassVar[str] = "removal-takes-one"
    reads: ClassVar[ReadingKind] = "answer"
    claims: ClassVar[str | None] = "the count falls by one where one was removed"
    name: ClassVar[str] = "removal+"
    most_answers: ClassVar[int | None] = 2
    takes_one: ClassVar[bool] = True

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        answers = all_of(AnswerReading, readings)
        if isinstance(answers, Verdict):
            return answers
        verdict = without_number(answers)
        if verdict is not None:
            return verdict
        before, after = answers
        fell = f"from {stated(before.least, before.most)} to {stated(after.least, after.most)}"
        one_more = (after.least + 1, None if after.most is None else after.most + 1)
        if disjoint((before.least, before.most), one_more):
            reason = f"The number went {fell} although one was removed."
            return Verdict("violated", reason, (self.name,), (self.name,), whole_answers(answers))
        if before.number is None or after.number is None:
            return not_exact(answers)
        return Verdict("holds", f"One was removed, and the number fell {fell}.")
