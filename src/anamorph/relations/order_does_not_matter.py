"""The claim that a question may name its objects in any order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.model import Reading, ReadingKind, Verdict, setting
from anamorph.relations.verdicts.quantities import QUANTIFIERS_HELP, unchanged


@dataclass(frozen=True, slots=True)
class OrderDoesNotMatter:
    """The number of X and Y is the number of Y and X (MetaVQA, reordering)."""

    kind: ClassVar[str] = "order-does-not-matter"
    reads: ClassVar[ReadingKind] = "answer"
    claims: ClassVar[str | None] = "the order of the words in a question does not matter"
    name: ClassVar[str] = "reordering"
    quantifiers: bool = setting(False, QUANTIFIERS_HELP)

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        return unchanged(
            self.name,
            readings,
            "how-many",
            "the question only names its objects in another order",
            quantifiers=self.quantifiers,
        )
