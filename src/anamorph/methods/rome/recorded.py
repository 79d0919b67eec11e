"""A recorded pair of ROME: the captions before and after objects were melted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from anamorph.methods.rome.released import ReleasedOnlyLoses, ReleasedReader
from anamorph.model import Cell, Reader, RecordedCase, RecordedOutputs, Relation
from anamorph.relations.only_loses import OnlyLoses


@dataclass(frozen=True, slots=True)
class RomeRow:
    """The captions of a pair, what was melted, and perhaps which classes have no object left."""

    cells: ClassVar[Mapping[str, Cell]] = {"removed": "labels", "gone": "labels", "references": "texts"}
    released_readers: ClassVar[Mapping[str, Callable[[Any], Reader]]] = {"caption": ReleasedReader}
    ancestor: str | None
    descendant: str | None
    removed: tuple[str, ...]
    gone: tuple[str, ...] | None = None
    references: tuple[str, ...] = ()

    def case(self, outputs: RecordedOutputs) -> RecordedCase:
        removed = outputs.classes("removed", self.removed)
        relation: Relation
        if outputs.released:
            relation = ReleasedOnlyLoses(removed)
        else:
            relation = OnlyLoses(removed, None if self.gone is None else outputs.classes("gone", self.gone))
        pair = tuple(outputs.read("caption", text) for text in (self.ancestor, self.descendant))
        return RecordedCase(relation, pair, tuple(outputs.read("caption", text) for text in self.references))
