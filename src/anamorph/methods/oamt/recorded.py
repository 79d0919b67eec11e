"""A recorded triple of OAMT: the captions of a photo and of its pieces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from anamorph.errors import BadRecord
from anamorph.methods.oamt.published import TriplesRecur
from anamorph.model import Cell, RecordedCase, RecordedOutputs, Relation
from anamorph.relations.parts_tell_whole import PartsTellWhole


@dataclass(frozen=True, slots=True)
class OamtRow:
    """The caption of a photo, and those of the two pieces that it was cut into."""

    cells: ClassVar[Mapping[str, Cell]] = {"pieces": "texts"}
    source: str | None
    pieces: tuple[str | None, ...]

    def case(self, outputs: RecordedOutputs) -> RecordedCase:
        if len(self.pieces) < 2:
            raise BadRecord("pieces", f"needs the captions of two pieces or more, got {len(self.pieces)}")
        relation: Relation = TriplesRecur() if outputs.profile == "paper" else PartsTellWhole()
        return RecordedCase(relation, tuple(outputs.read(relation, each) for each in (self.source, *self.pieces)))
