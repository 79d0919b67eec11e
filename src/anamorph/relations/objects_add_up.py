"""The claim that two kinds of objects add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.model import Reading, ReadingKind, Verdict, setting
from anamorph.relations.verdicts.quantities import QUANTIFIERS_HELP, adds_up


@dataclass(frozen=True, slots=True)
class ObjectsAddUp:
    """The number of X and Y is the number of X plus the number of Y (MetaVQA, object partition)."""

    kind: ClassVar[str] = "objects-add-up"
    reads: ClassVar[ReadingKind] = "answer"
    claims: ClassVar[str | None] = "how many X and Y there are is how many X plus how many Y"
    name: ClassVar[str] = "object-partition"
    quantifiers: bool = setting(False, QUANTIFIERS_HELP)

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        return adds_up(self.name, readings, "objects", quantifiers=self.quantifiers)
