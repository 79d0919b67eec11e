"""The claim that a crop's caption still names the objects inside it, and none outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.ledger import Link, Within
from anamorph.model import (
    CaptionReading,
    Conflict,
    ConflictKind,
    Grade,
    LabelSpaceName,
    Reading,
    ReadingKind,
    Verdict,
    setting,
)
from anamorph.relations.verdicts.ledger import COMPLETE_HELP
from anamorph.relations.verdicts.phrases import all_of
from anamorph.relations.verdicts.views import VIEWS_HELP, KnownViews, against_known, statements, verdict_on_views


@dataclass(frozen=True, slots=True)
class CropKeepsInside:
    """Of the objects that the photo's caption names, a crop's names those wholly inside, and none wholly outside."""

    kind: ClassVar[str] = "crop-keeps-inside"
    reads: ClassVar[ReadingKind] = "caption"
    claims: ClassVar[str | None] = "a crop's caption names what lies inside the crop, and nothing that lies outside"
    name: ClassVar[str] = "crop"
    grade: ClassVar[Grade | None] = None
    most_answers: ClassVar[int | None] = 2
    class_settings: ClassVar[tuple[str, ...]] = ("inside", "outside")
    inside: tuple[str, ...] = setting((), "Classes whose objects all lie inside the crop.")
    outside: tuple[str, ...] = setting((), "Classes whose objects all lie outside the crop.")
    views: KnownViews | None = setting(None, VIEWS_HELP)
    complete: LabelSpaceName | None = setting(None, COMPLETE_HELP)

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        captions = all_of(CaptionReading, readings)
        if isinstance(captions, Verdict):
            return captions
        conflicts = against_known(captions, self.views, self.complete)
        wrong = {each.label for each in conflicts}
        for label in (label for label in captions[0].labels if label not in wrong):
            whole, crop = statements(captions, label)
            if any(label in caption.perhaps for caption in captions):
                continue
            if label in self.inside and crop.silent and whole.hard[0]:
                conflicts.append(Conflict(label, "omission", "lost", (0, 1)))
            elif label in self.outside and crop.hard[0]:
                conflicts.append(Conflict(label, "invention", "gone", (1,), known=True))
            elif not crop.silent and whole.soft[1] is not None and crop.hard[0] > whole.soft[1]:
                conflicts.append(Conflict(label, "miscount", "number", (0, 1)))
        return verdict_on_views(self.name, conflicts, captions, _clause)

    def changes(self) -> Sequence[tuple[str, int | None]]:
        """No change in number except by the cut."""
        return ()

    def links(self, answers: int) -> Sequence[Link]:
        """The crop shows at most as many as the whole."""
        return tuple(Within(part, 0) for part in range(1, answers))


def _clause(kind: ConflictKind, probes: tuple[int, ...], names: str) -> str:
    """One kind of conflict in words."""
    where = "the crop" if probes[-1] else "the whole"
    match kind:
        case "lost":
            return f"{names} lies inside the crop, and only the caption of the whole names it"
        case "gone" if probes == (1,):
            return f"{names} is named in the crop and lies outside it"
        case "number" if len(probes) > 1:
            return f"more of {names} are named in the crop than in the whole"
        case "number":
            return f"another number of {names} is named in {where} than is known to be there"
        case "described":
            return f"{names} is described in {where} as none is known to be"
        case _:
            return f"{names} is named in {where}, and no such object is known to be there"
