"""The claim that the answers about pieces of an image add up to the whole's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.model import AnswerReading, Asks, Reading, ReadingKind, Verdict, setting
from anamorph.relations.verdicts.phrases import all_of, whole_answers
from anamorph.relations.verdicts.quantities import ASKS_HELP, QUANTIFIERS_HELP, asked, sum_of, undecided_whether


@dataclass(frozen=True, slots=True)
class PiecesAddUp:
    """The pieces of an image together have what the image has (MetaVQA, cutting)."""

    kind: ClassVar[str] = "pieces-add-up"
    reads: ClassVar[ReadingKind] = "answer"
    claims: ClassVar[str | None] = "the pieces of a photo add up to the whole"
    name: ClassVar[str] = "cutting"
    asks: Asks | None = setting(None, ASKS_HELP)
    quantifiers: bool = setting(False, QUANTIFIERS_HELP)

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        answers = all_of(AnswerReading, readings)
        if isinstance(answers, Verdict):
            return answers
        asks = asked(answers, self.asks)
        if asks == "how-many":
            return sum_of(self.name, answers, "pieces", quantifiers=self.quantifiers)
        answers = [answer.to(asks) for answer in answers]
        # Table 2: OR for the question, AND for its negation; either way, there is one if a piece has one.
        verdict = undecided_whether(answers)
        if verdict is not None:
            return verdict
        whole, together = bool(answers[0].there), any(answer.there for answer in answers[1:])
        words = ("no", "yes") if asks == "is-there" else ("yes", "no")
        if whole == together:
            return Verdict("holds", f"The whole and its pieces both say {words[whole]}.")
        reason = f"The whole says {words[whole]}, but its pieces together say {words[together]}."
        return Verdict("violated", reason, (self.name,), (self.name,), whole_answers(answers))
