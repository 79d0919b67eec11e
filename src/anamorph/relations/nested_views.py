"""The claim that a view between a smaller and a larger one shows all that both show."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
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
    the_probe,
)
from anamorph.relations.verdicts.ledger import COMPLETE_HELP
from anamorph.relations.verdicts.phrases import all_of
from anamorph.relations.verdicts.views import (
    VIEWS_HELP,
    KnownViews,
    against_known,
    named_labels,
    statements,
    verdict_on_views,
)


@dataclass(frozen=True, slots=True)
class NestedViews:
    """Of a photo, a crop of it and a crop of that: the middle one names what the first and the last name."""

    kind: ClassVar[str] = "nested-views"
    reads: ClassVar[ReadingKind] = "caption"
    claims: ClassVar[str | None] = "a view between two others names what both of them name"
    name: ClassVar[str] = "nested"
    grade: ClassVar[Grade | None] = None
    least_answers: ClassVar[int] = 3
    views: KnownViews | None = setting(None, VIEWS_HELP)
    complete: LabelSpaceName | None = setting(None, COMPLETE_HELP)

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        captions = all_of(CaptionReading, readings)
        if isinstance(captions, Verdict):
            return captions
        conflicts = against_known(captions, self.views, self.complete)
        wrong = {each.label for each in conflicts}
        for label in named_labels(captions):
            if label not in wrong:
                conflicts += _between(captions, label)
        return verdict_on_views(self.name, conflicts, captions, functools.partial(_clause, len(captions)))

    def changes(self) -> Sequence[tuple[str, int | None]]:
        """No change in number except by the cuts."""
        return ()

    def links(self, answers: int) -> Sequence[Link]:
        """Each view shows at most as many as the one before it."""
        return tuple(Within(inner, inner - 1) for inner in range(1, answers))


def _between(captions: Sequence[CaptionReading], label: str) -> Iterator[Conflict]:
    if any(label in caption.perhaps for caption in captions):
        return
    said = statements(captions, label)
    for middle in range(1, len(said) - 1):
        inner = next((place for place in range(middle + 1, len(said)) if not said[place].silent), None)
        outer = next((place for place in range(middle) if not said[place].silent), None)
        if said[middle].silent and inner is not None and outer is not None:
            yield Conflict(label, "omission", "lost", (outer, inner, middle))
    for inner in range(1, len(said)):
        for outer in range(inner):
            most = said[outer].soft[1]
            if not said[outer].silent and most is not None and said[inner].hard[0] > most:
                hard = said[outer].hard[1]
                grade: Grade = "contradiction" if hard is not None and said[inner].hard[0] > hard else "miscount"
                yield Conflict(label, grade, "number", (outer, inner))


def _clause(count: int, kind: ConflictKind, probes: tuple[int, ...], names: str) -> str:
    """One kind of conflict in words."""
    where = the_probe(probes[-1], count)
    match kind:
        case "lost":
            return f"{names} is not named in {where}, although a smaller and a larger view name it"
        case "number" if len(probes) > 1:
            return f"more of {names} are named in {where} than in {the_probe(probes[0], count)}, which shows all of it"
        case "number":
            return f"another number of {names} is named in {where} than is known to be there"
        case "described":
            return f"{names} is described in {where} as none is known to be"
        case _:
            return f"{names} is named in {where}, and no such object is known to be there"
