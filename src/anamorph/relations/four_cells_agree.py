"""The claim that small changes of the image, rewordings of the question, and both leave the answer alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from anamorph.model import Asks, Reading, ReadingKind, Verdict, setting
from anamorph.relations.verdicts.quantities import ASKS_HELP, QUANTIFIERS_HELP, unchanged

# The cells after the clean one, in the order of the follow-ups, and why nothing should change in each.
CELLS = {
    "image": "the image is only slightly changed",
    "question": "the question is only reworded",
    "both": "the image is only slightly changed and the question only reworded",
}
# The axis that breaks the answer, by whether the image alone does and whether the question alone does.
AXES = {
    (True, False): "image-breaks",
    (False, True): "question-breaks",
    (True, True): "each-breaks",
    (False, False): "together-break",
}
OPEN_AXIS = "axis-open"


@dataclass(frozen=True, slots=True)
class FourCellsAgree:
    """The answer stays with the image changed, with the question reworded, and with both (MetaRA, four cells)."""

    kind: ClassVar[str] = "four-cells-agree"
    reads: ClassVar[ReadingKind] = "answer"
    claims: ClassVar[str | None] = "the answer stays with the image slightly changed, the question reworded, and both"
    least_answers: ClassVar[int] = 4
    most_answers: ClassVar[int | None] = 4
    name: ClassVar[str] = "four cells"
    asks: Asks | None = setting(None, ASKS_HELP)
    quantifiers: bool = setting(False, QUANTIFIERS_HELP)

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        clean, *others = readings
        verdicts = [
            unchanged(cell, (clean, other), self.asks, although, quantifiers=self.quantifiers)
            for (cell, although), other in zip(CELLS.items(), others, strict=True)
        ]
        broken = tuple(cell for cell, each in zip(CELLS, verdicts, strict=True) if each.outcome == "violated")
        open_cell = next((each for each in verdicts if each.outcome == "undecided"), None)
        if open_cell is not None and not broken:
            return open_cell
        if not broken:
            return verdicts[0]
        first = verdicts[tuple(CELLS).index(broken[0])]
        # The axis is known only if every cell is.
        axis = AXES["image" in broken, "question" in broken] if open_cell is None else OPEN_AXIS
        position = tuple(CELLS).index(broken[0]) + 1
        evidence = tuple(replace(each, probe=position) if each.probe else each for each in first.evidence)
        return Verdict("violated", first.reason, broken, (axis,), evidence)
