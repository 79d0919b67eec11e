"""The claim that removing an object outside the question does not change the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.model import Asks, Reading, ReadingKind, Verdict, setting
from anamorph.relations.verdicts.quantities import ASKS_HELP, QUANTIFIERS_HELP, unchanged


@dataclass(frozen=True, slots=True)
class UnaffectedByRemoval:
    """The answer stays when an object that the question does not name is removed (MetaVQA, removal)."""

    kind: ClassVar[str] = "unaffected-by-removal"
    reads: ClassVar[ReadingKind] = "answer"
    claims: ClassVar[str | None] = "the answer stays where something else was removed"
    name: ClassVar[str] = "removal"
    asks: Asks | None = setting(None, ASKS_HELP)
    quantifiers: bool = setting(False, QUANTIFIERS_HELP)

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        return unchanged(
            self.name, readings, self.asks, "what was removed was not asked for", quantifiers=self.quantifiers
        )
