"""A recorded caption of a scene that SPOLRE laid out anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from anamorph.errors import BadRecord
from anamorph.methods.objects.known import counted_classes
from anamorph.methods.spolre.released import judged_as
from anamorph.model import CaptionReading, Cell, RecordedCase, RecordedOutputs
from anamorph.relations.keeps_all import KeepsAll


@dataclass(frozen=True, slots=True)
class SpolreRow:
    """The caption of the follow-up, the objects of the scene, and the photo's reference captions."""

    cells: ClassVar[Mapping[str, Cell]] = {"objects": "counts", "references": "texts"}
    generated: str | None
    objects: Mapping[str, int]
    references: tuple[str, ...] = ()

    def case(self, outputs: RecordedOutputs) -> RecordedCase:
        for label, count in self.objects.items():
            if count < 0:
                raise BadRecord(f"objects.{label}", f"must be at least 0, got {count}")
        names = outputs.classes("objects", tuple(self.objects))
        objects = tuple(zip(names, self.objects.values(), strict=True))
        named = None
        read = [outputs.read(KeepsAll, text) for text in self.references]
        captions = [reading for reading in read if isinstance(reading, CaptionReading)]
        if self.references:
            named = tuple(label for label in names if any(caption.names(label) for caption in captions))
        known = counted_classes(dict(objects), captions)
        own = KeepsAll(objects, named, ledger=True, known=known, complete="coco")
        return RecordedCase(judged_as(own, outputs.profile) or own, (outputs.read(KeepsAll, self.generated),))
