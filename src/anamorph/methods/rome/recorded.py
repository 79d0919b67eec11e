"""A recorded pair of ROME: the captions before and after objects were melted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from anamorph.errors import BadRecord
from anamorph.methods.objects.known import counted_classes
from anamorph.methods.rome.released import judged_as
from anamorph.model import CaptionReading, Cell, RecordedCase, RecordedOutputs
from anamorph.relations.only_loses import OnlyLoses


@dataclass(frozen=True, slots=True)
class RomeRow:
    """The captions of a pair, what was melted, and perhaps which classes have no object left.

    `objects` are those of the ancestor's image: how many there are of each class.
    """

    cells: ClassVar[Mapping[str, Cell]] = {
        "removed": "labels",
        "gone": "labels",
        "objects": "counts",
        "references": "texts",
    }
    ancestor: str | None
    descendant: str | None
    removed: tuple[str, ...]
    gone: tuple[str, ...] | None = None
    objects: Mapping[str, int] | None = None
    references: tuple[str, ...] = ()

    def case(self, outputs: RecordedOutputs) -> RecordedCase:
        removed = outputs.classes("removed", self.removed)
        gone = None if self.gone is None else outputs.classes("gone", self.gone)
        own = OnlyLoses(removed, gone, ledger=True)
        if self.objects is not None:
            own = self._with_objects(own, outputs, self.objects)
        relation = judged_as(own, outputs.profile) or own
        pair = tuple(outputs.read(relation.reads, text) for text in (self.ancestor, self.descendant))
        return RecordedCase(relation, pair, tuple(outputs.read(relation.reads, text) for text in self.references))

    def _with_objects(self, relation: OnlyLoses, outputs: RecordedOutputs, objects: Mapping[str, int]) -> OnlyLoses:
        counts = dict(zip(outputs.classes("objects", tuple(objects)), objects.values(), strict=True))
        melted = Counter(relation.removed)
        for label, count in melted.items():
            if counts.get(label, 0) < count:
                raise BadRecord(
                    f"objects.{label}", f"must be at least {count}, as many as were removed, got {counts.get(label, 0)}"
                )
        references = [outputs.read(relation.reads, text) for text in self.references]
        captions = [reading for reading in references if isinstance(reading, CaptionReading)]
        return replace(relation, melted=tuple(melted.items()), known=counted_classes(counts, captions), complete="coco")
