"""A recorded pair of ROME: the captions before and after objects were melted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from anamorph.errors import BadRecord
from anamorph.methods.objects.known import counted_classes
from anamorph.methods.rome.released import judged_as
from anamorph.model import CaptionReading, Cell, RecordedCase, RecordedOutputs, RecordedTally, Table, Verdict
from anamorph.relations.only_loses import OnlyLoses
from anamorph.statistics.tables import share


class RomeTally:
    """Reports by how many classes lost objects between the two images, and by whether the last of a class went."""

    def __init__(self) -> None:
        # (what is counted, its value) -> rows that were decided, violated, and that violate MR1 and MR2.
        self._counts: dict[tuple[str, str], list[int]] = {}

    def add(self, row: Any, case: RecordedCase, verdict: Verdict) -> None:
        if verdict.outcome == "undecided":
            return
        counted = [("classes melted", str(len(row.removed)))]
        if row.gone is not None:
            counted.append(("last object", "melted" if row.gone else "stays"))
        found = (True, verdict.outcome == "violated", "mr1" in verdict.violated, "mr2" in verdict.violated)
        for key in counted:
            counts = self._counts.setdefault(key, [0, 0, 0, 0])
            for place, each in enumerate(found):
                counts[place] += each

    def record(self) -> Mapping[str, Any]:
        record: dict[str, dict[str, dict[str, int]]] = {}
        for (what, value), (decided, violated, mr1, mr2) in sorted(self._counts.items()):
            counts = {"decided": decided, "violated": violated, "mr1": mr1, "mr2": mr2}
            record.setdefault(what.replace(" ", "_"), {})[value] = counts
        return record

    def shown(self) -> Sequence[str | Table]:
        tables = []
        for what in ("classes melted", "last object"):
            own = sorted((value, counts) for (kind, value), counts in self._counts.items() if kind == what)
            rows: list[tuple[str | int | float, ...]] = []
            for value, (decided, *counts) in own:
                rows.append((value, decided, *(f"{count} ({share(count, decided)})" for count in counts)))
            if rows:
                tables.append(Table(f"ROME by {what}", (what, "decided", "violated", "MR1", "MR2"), tuple(rows)))
        return tables


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
    tally: ClassVar[Callable[[], RecordedTally] | None] = RomeTally
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
        pair = tuple(outputs.read(relation, text) for text in (self.ancestor, self.descendant))
        return RecordedCase(relation, pair, tuple(outputs.read(relation, text) for text in self.references))

    def _with_objects(self, relation: OnlyLoses, outputs: RecordedOutputs, objects: Mapping[str, int]) -> OnlyLoses:
        counts = dict(zip(outputs.classes("objects", tuple(objects)), objects.values(), strict=True))
        melted = Counter(relation.removed)
        for label, count in melted.items():
            if counts.get(label, 0) < count:
                raise BadRecord(
                    f"objects.{label}", f"must be at least {count}, as many as were removed, got {counts.get(label, 0)}"
                )
        references = [outputs.read(relation, text) for text in self.references]
        captions = [reading for reading in references if isinstance(reading, CaptionReading)]
        return replace(relation, melted=tuple(melted.items()), known=counted_classes(counts, captions), complete="coco")
