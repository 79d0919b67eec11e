"""The claim that a crop's caption still names the objects inside it, and none outside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.ledger import Link, Within
from anamorph.model import CaptionReading, Conflict, ConflictKind, LabelSpaceName, setting
from anamorph.relations.verdicts.ledger import COMPLETE_HELP, Statement
from anamorph.relations.verdicts.views import VIEWS_HELP, KnownViews, ViewsClaim, against_known_in_words


@dataclass(frozen=True, slots=True)
class CropKeepsInside(ViewsClaim):
    """Of the objects that the photo's caption names, a crop's names those wholly inside, and none wholly outside."""

    kind: ClassVar[str] = "crop-keeps-inside"
    claims: ClassVar[str | None] = "a crop's caption names what lies inside the crop, and nothing that lies outside"
    name: ClassVar[str] = "crop"
    most_answers: ClassVar[int | None] = 2
    class_settings: ClassVar[tuple[str, ...]] = ("inside", "outside")
    inside: tuple[str, ...] = setting((), "Classes whose objects all lie inside the crop.")
    outside: tuple[str, ...] = setting((), "Classes whose objects all lie outside the crop.")
    views: KnownViews | None = setting(None, VIEWS_HELP)
    complete: LabelSpaceName | None = setting(None, COMPLETE_HELP)

    def links(self, answers: int) -> Sequence[Link]:
        """The crop shows at most as many as the whole."""
        return tuple(Within(part, 0) for part in range(1, answers))

    def _between(self, label: str, captions: Sequence[CaptionReading], said: Sequence[Statement]) -> Iterator[Conflict]:
        whole, crop = said
        if label not in captions[0].labels:
            return
        if label in self.inside and crop.silent and whole.hard[0]:
            yield Conflict(label, "omission", "lost", (0, 1))
        elif label in self.outside and crop.hard[0]:
            yield Conflict(label, "invention", "gone", (1,), known=True)
        elif not crop.silent and whole.soft[1] is not None and crop.hard[0] > whole.soft[1]:
            yield Conflict(label, "miscount", "number", (0, 1))

    def _clause(self, kind: ConflictKind, probes: tuple[int, ...], names: str, count: int) -> str:
        match kind:
            case "lost":
                return f"{names} lies inside the crop, and only the caption of the whole names it"
            case "gone" if probes == (1,):
                return f"{names} is named in the crop and lies outside it"
            case "number" if len(probes) > 1:
                return f"more of {names} are named in the crop than in the whole"
            case _:
                return against_known_in_words(kind, names, "the crop" if probes[-1] else "the whole")
