"""The claim that a view between a smaller and a larger one shows all that both show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.ledger import Link, Within
from anamorph.model import CaptionReading, Conflict, ConflictKind, Grade, LabelSpaceName, setting, the_probe
from anamorph.relations.verdicts.ledger import COMPLETE_HELP, Statement
from anamorph.relations.verdicts.views import VIEWS_HELP, KnownViews, ViewsClaim, against_known_in_words


@dataclass(frozen=True, slots=True)
class NestedViews(ViewsClaim):
    """Of a photo, a crop of it and a crop of that: the middle one names what the first and the last name."""

    kind: ClassVar[str] = "nested-views"
    claims: ClassVar[str | None] = "a view between two others names what both of them name"
    name: ClassVar[str] = "nested"
    least_answers: ClassVar[int] = 3
    views: KnownViews | None = setting(None, VIEWS_HELP)
    complete: LabelSpaceName | None = setting(None, COMPLETE_HELP)

    def links(self, answers: int) -> Sequence[Link]:
        """Each view shows at most as many as the one before it."""
        return tuple(Within(inner, inner - 1) for inner in range(1, answers))

    def _between(self, label: str, captions: Sequence[CaptionReading], said: Sequence[Statement]) -> Iterator[Conflict]:
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

    def _clause(self, kind: ConflictKind, probes: tuple[int, ...], names: str, count: int) -> str:
        where = the_probe(probes[-1], count)
        match kind:
            case "lost":
                return f"{names} is not named in {where}, although a smaller and a larger view name it"
            case "number" if len(probes) > 1:
                larger = the_probe(probes[0], count)
                return f"more of {names} are named in {where} than in {larger}, which shows all of it"
            case _:
                return against_known_in_words(kind, names, where)
