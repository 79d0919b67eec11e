"""The claim that what is asked of an image is found in its pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.model import AnswerReading, Asks, Reading, Verdict, setting
from anamorph.relations.verdicts.phrases import all_of, whole_answers
from anamorph.relations.verdicts.quantities import ASKS_HELP, affirmed, asked, sum_of


@dataclass(frozen=True, slots=True)
class PiecesAddUp:
    """The pieces of an image together have what the whole image has (MetaVQA, cutting)."""

    kind: ClassVar[str] = "pieces-add-up"
    reads: ClassVar[str] = "answer"
    name: ClassVar[str] = "cutting"
    asks: Asks | None = setting(None, ASKS_HELP)

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        answers = all_of(AnswerReading, readings)
        if isinstance(answers, Verdict):
            return answers
        asks = asked(answers, self.asks)
        if asks == "how-many":
            return sum_of(self.name, answers, "pieces")
        negated = asks == "is-there-no"
        whole, *pieces = (affirmed(answer, negated) for answer in answers)
        # Table 2: OR for the question, AND for its negation.
        together = all(pieces) if negated else any(pieces)
        if whole == together:
            return Verdict("holds", f"The whole and its pieces both say {_word(whole)}.")
        reason = f"The whole says {_word(whole)}, but its pieces together say {_word(together)}."
        return Verdict("violated", reason, (self.name,), (self.name,), whole_answers(answers))


def _word(yes: bool) -> str:
    return "yes" if yes else "no"
