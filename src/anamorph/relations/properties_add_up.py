"""The claim that objects with two properties add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.model import Reading, ReadingKind, Verdict, setting
from anamorph.relations.verdicts.quantities import QUANTIFIERS_HELP, adds_up


@dataclass(frozen=True, slots=True)
class PropertiesAddUp:
    """The number of red X and blue X is the number of red X plus that of blue X (MetaVQA, property partition)."""

    kind: ClassVar[str] = "properties-add-up"
    reads: ClassVar[ReadingKind] = "answer"
    claims: ClassVar[str | None] = "the numbers of red ones and of blue ones add up"
    name: ClassVar[str] = "property-partition"
    quantifiers: bool = setting(False, QUANTIFIERS_HELP)

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        return adds_up(self.name, readings, "properties", quantifiers=self.quantifiers)
