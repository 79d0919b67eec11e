"""A recorded pair of ROME: the captions before and after objects were melted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from anamorph.errors import BadRecord
from anamorph.methods.objects.known import counted_classes
from anamorph.methods.rome.released import ReleasedOnlyLoses, ReleasedReader
from anamorph.model import CaptionReading, Cell, Reader, Reading, RecordedCase, RecordedOutputs, Relation
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
    released_readers: ClassVar[Mapping[str, Callable[[Any], Reader]]] = {"caption": ReleasedReader}
    ancestor: str | None
    descendant: str | None
    removed: tuple[str, ...]
    gone: tuple[str, ...] | None = None
    objects: Mapping[str, int] | None = None
    references: tuple[str, ...] = ()

    def case(self, outputs: RecordedOutputs) -> RecordedCase:
        removed = outputs.classes("removed", self.removed)
        relation: Relation
        if outputs.released:
            relation = ReleasedOnlyLoses(removed)
        else:
            gone = None if self.gone is None else outputs.classes("gone", self.gone)
            relation = OnlyLoses(removed, gone, ledger=not outputs.published)
        references = tuple(outputs.read("caption", text) for text in self.references)
        if isinstance(relation, OnlyLoses) and relation.ledger and self.objects is not None:
            relation = self._with_objects(relation, outputs, references)
        pair = tuple(outputs.read("caption", text) for text in (self.ancestor, self.descendant))
        return RecordedCase(relation, pair, references)

    def _with_objects(self, relation: OnlyLoses, outputs: RecordedOutputs, references: Sequence[Reading]) -> OnlyLoses:
        assert self.objects is not None
        counts = dict(zip(outputs.classes("objects", tuple(self.objects)), self.objects.values(), strict=True))
        melted = Counter(relation.removed)
        for label, count in melted.items():
            if counts.get(label, 0) < count:
                raise BadRecord(
                    f"objects.{label}", f"must be at least {count}, as many as were removed, got {counts.get(label, 0)}"
                )
        captions = [reading for reading in references if isinstance(reading, CaptionReading)]
        return replace(relation, melted=tuple(melted.items()), known=counted_classes(counts, captions), complete="coco")
