"""A recorded pair of MetaIC: the captions before and after an object was inserted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from anamorph.methods.metaic.released import judged_as
from anamorph.model import Cell, RecordedCase, RecordedOutputs
from anamorph.relations.only_gains import OnlyGains


@dataclass(frozen=True, slots=True)
class MetaicRow:
    """The captions of a pair and the class that was inserted; references are compared by super-category."""

    cells: ClassVar[Mapping[str, Cell]] = {"references": "texts"}
    background: str | None
    generated: str | None
    inserted: str
    references: tuple[str, ...] = ()

    def case(self, outputs: RecordedOutputs) -> RecordedCase:
        (inserted,) = outputs.classes("inserted", (self.inserted,))
        own = OnlyGains(inserted, ledger=True)
        relation = judged_as(own, outputs.profile) or own
        pair = tuple(outputs.read(relation, text) for text in (self.background, self.generated))
        references = tuple(outputs.read(relation, text) for text in self.references)
        return RecordedCase(relation, pair, references, outputs.supercategory)
