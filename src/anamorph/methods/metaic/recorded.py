"""A recorded pair of MetaIC: the captions before and after an object was inserted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from anamorph.methods.metaic.released import ReleasedReader
from anamorph.model import Cell, Reader, RecordedCase, RecordedOutputs
from anamorph.relations.only_gains import OnlyGains


@dataclass(frozen=True, slots=True)
class MetaicRow:
    """The captions of a pair and the class that was inserted; references are compared by super-category."""

    cells: ClassVar[Mapping[str, Cell]] = {"references": "texts"}
    released_readers: ClassVar[Mapping[str, Callable[[Any], Reader]]] = {"caption": ReleasedReader}
    background: str | None
    generated: str | None
    inserted: str
    references: tuple[str, ...] = ()

    def case(self, outputs: RecordedOutputs) -> RecordedCase:
        (inserted,) = outputs.classes("inserted", (self.inserted,))
        pair = tuple(outputs.read("caption", text) for text in (self.background, self.generated))
        references = tuple(outputs.read("caption", text) for text in self.references)
        # The paper evaluates both relations; its released tool skipped MR2 where MR1 had failed.
        relation = OnlyGains(inserted, mr2_only_if_mr1_holds=outputs.released, ledger=not outputs.published)
        return RecordedCase(relation, pair, references, outputs.supercategory)
