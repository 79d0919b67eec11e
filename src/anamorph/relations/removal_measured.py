"""A measure of answers about existence before and after a removal; it claims and reports nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.model import AnswerReading, Reading, ReadingKind, Verdict, setting
from anamorph.relations.verdicts.phrases import all_of
from anamorph.relations.verdicts.quantities import undecided_whether

# BEAF's terms (ECCV 2024), for the removed object by (before, after), and for others by whether the answer stays.
UNDERSTANDING, IGNORANCE, STUBBORN_YES, STUBBORN_NO = (
    "true understanding",
    "ignorance",
    "stubbornness (yes)",
    "stubbornness (no)",
)
KEPT, INDECISION = "kept", "indecision"
_CELLS = {
    (True, False): UNDERSTANDING,
    (False, True): IGNORANCE,
    (True, True): STUBBORN_YES,
    (False, False): STUBBORN_NO,
}


@dataclass(frozen=True, slots=True)
class RemovalMeasured:
    """Sorts the answers to "is there any X" before and after a removal into BEAF's cells; it always holds."""

    kind: ClassVar[str] = "removal-measured"
    reads: ClassVar[ReadingKind] = "closed"
    claims: ClassVar[str | None] = "nothing: answers before and after a removal are sorted, not judged"
    most_answers: ClassVar[int | None] = 2
    label: str = setting("", "The class that is asked about.")
    removed: bool = setting(
        True, "Whether the last object of the class was removed; else an object of another class was."
    )

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        answers = all_of(AnswerReading, readings)
        if isinstance(answers, Verdict):
            return answers
        verdict = undecided_whether(answers)
        if verdict is not None:
            return verdict
        before, after = (bool(answer.there) for answer in answers)
        cell = _CELLS[before, after] if self.removed else KEPT if before == after else INDECISION
        said = " and ".join("yes" if each else "no" for each in (before, after))
        return Verdict("holds", f"Asked about {self.label!r} before and after, it says {said}: {cell}.", (), (cell,))
