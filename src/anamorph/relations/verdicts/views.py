"""Verdicts on captions of several views of one photo, against what is known of each view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, TypeAlias

from anamorph.model import (
    CaptionReading,
    Conflict,
    ConflictKind,
    Grade,
    LabelSpaceName,
    Reading,
    ReadingKind,
    Verdict,
    surest,
    the_probe,
)
from anamorph.relations.verdicts.ledger import Bounds, KnownClass, Ledger, Statement, stated_by
from anamorph.relations.verdicts.phrases import all_of, listed, say_nothing, sentence, spans

# The known numbers of each view, source first.
KnownViews: TypeAlias = tuple[tuple[KnownClass, ...], ...]
VIEWS_HELP = "The classes of the objects in each image, source first, and their numbers; by default, unknown."

_CATEGORIES: Mapping[ConflictKind, str] = {
    "lost": "omission",
    "gained": "omission",
    "invented": "invention",
    "gone": "invention",
    "number": "quantity",
    "described": "attribute",
}
_ORDER = tuple(_CATEGORIES)


def _against_known(
    captions: Sequence[CaptionReading], known: KnownViews | None, complete: LabelSpaceName | None
) -> list[Conflict]:
    """The conflicts of each caption with what is known of its view."""
    found = []
    for position, (caption, classes) in enumerate(zip(captions, known or (), strict=False)):
        conflicts = Ledger((caption,), (), classes, complete).conflicts()
        found += [replace(each, probes=(position,)) for each in conflicts]
    return found


def most_of(bounds: Iterable[Bounds]) -> int | None:
    """The sum of upper bounds; None if one is open."""
    ends = [most for _, most in bounds]
    return None if None in ends else sum(end for end in ends if end is not None)


class ViewsClaim:
    """A claim about captions of several views of one photo: `_between` finds conflicts, `_clause` words them."""

    __slots__ = ()
    reads: ClassVar[ReadingKind] = "caption"
    name: ClassVar[str]
    grade: ClassVar[Grade | None] = None
    views: KnownViews | None
    complete: LabelSpaceName | None

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        captions = all_of(CaptionReading, readings)
        if isinstance(captions, Verdict):
            return captions
        conflicts = _against_known(captions, self.views, self.complete)
        wrong = {each.label for each in conflicts}
        for label in dict.fromkeys(label for caption in captions for label in caption.labels):
            if label not in wrong and not any(label in caption.perhaps for caption in captions):
                said = [stated_by(position, caption, label) for position, caption in enumerate(captions)]
                conflicts += self._between(label, captions, said)
        return self._verdict(captions, [*conflicts, *self._besides(captions)])

    def changes(self) -> Sequence[tuple[str, int | None]]:
        """No change in number except by the cuts."""
        return ()

    def _between(self, label: str, captions: Sequence[CaptionReading], said: Sequence[Statement]) -> Iterator[Conflict]:
        """The conflicts of captions among themselves about a class; `said` of how many of it their own view shows."""
        raise NotImplementedError

    def _besides(self, captions: Sequence[CaptionReading]) -> Iterable[Conflict]:
        return ()

    def _clause(self, kind: ConflictKind, probes: tuple[int, ...], names: str, count: int) -> str:
        """One kind of conflict in words, of `count` captions."""
        return against_known_in_words(kind, names, the_probe(probes[-1], count))

    def _verdict(self, captions: Sequence[CaptionReading], conflicts: Sequence[Conflict]) -> Verdict:
        if not conflicts:
            return Verdict("holds", "The captions can all be true.", vacuous=say_nothing(captions))
        ordered = sorted(conflicts, key=lambda each: _ORDER.index(each.what))
        grouped: dict[tuple[ConflictKind, tuple[int, ...]], list[str]] = {}
        for each in ordered:
            grouped.setdefault((each.what, each.probes), []).append(each.label)
        clauses = [
            self._clause(what, probes, listed(dict.fromkeys(labels)), len(captions))
            for (what, probes), labels in grouped.items()
        ]
        evidence = (
            item
            for each in ordered
            for probe in sorted(set(each.probes))
            for item in spans(probe, captions[probe], (each.label,))
        )
        return Verdict(
            "violated",
            sentence(clauses),
            violated=(self.name,),
            categories=tuple(dict.fromkeys(_CATEGORIES[each.what] for each in ordered)),
            evidence=tuple(dict.fromkeys(evidence)),
            grade=surest(each.grade for each in ordered),
            conflicts=tuple(ordered),
        )


def against_known_in_words(kind: ConflictKind, names: str, where: str) -> str:
    """A conflict of a caption with what is known of its view, in words."""
    match kind:
        case "number":
            return f"another number of {names} is named in {where} than is known to be there"
        case "described":
            return f"{names} is described in {where} as none is known to be"
        case _:
            return f"{names} is named in {where}, and no such object is known to be there"
