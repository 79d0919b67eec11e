"""The claim that inserting an object outside the question does not change the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.model import Asks, Reading, ReadingKind, Verdict, setting
from anamorph.relations.verdicts.quantities import ASKS_HELP, QUANTIFIERS_HELP, unchanged


@dataclass(frozen=True, slots=True)
class UnaffectedByInsertion:
    """The answer stays when an object that the question does not name is inserted (MetaVQA, insertion)."""

    kind: ClassVar[str] = "unaffected-by-insertion"
    reads: ClassVar[ReadingKind] = "answer"
    claims: ClassVar[str | None] = "the answer stays where something else was inserted"
    name: ClassVar[str] = "insertion"
    asks: Asks | None = setting(None, ASKS_HELP)
    quantifiers: bool = setting(False, QUANTIFIERS_HELP)

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        return unchanged(
            self.name, readings, self.asks, "what was inserted was not asked for", quantifiers=self.quantifiers
        )
