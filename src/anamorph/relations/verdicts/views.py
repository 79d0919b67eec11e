"""Verdicts on captions of several views of one photo, against what is known of each view."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from anamorph.model import CaptionReading, Conflict, ConflictKind, LabelSpaceName, Verdict, surest
from anamorph.relations.verdicts.ledger import Bounds, KnownClass, Ledger, Statement, stated_by
from anamorph.relations.verdicts.phrases import listed, say_nothing, sentence, spans

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


def against_known(
    captions: Sequence[CaptionReading], known: KnownViews | None, complete: LabelSpaceName | None
) -> list[Conflict]:
    """The conflicts of each caption with what is known of its view."""
    found = []
    for position, (caption, classes) in enumerate(zip(captions, known or (), strict=False)):
        conflicts = Ledger((caption,), (), classes, complete).conflicts()
        found += [replace(each, probes=(position,)) for each in conflicts]
    return found


def statements(captions: Sequence[CaptionReading], label: str) -> list[Statement]:
    """Every caption's statement about how many of a class its own view shows."""
    return [stated_by(position, caption, label) for position, caption in enumerate(captions)]


def named_labels(captions: Iterable[CaptionReading]) -> list[str]:
    """The classes that captions name, each once, in order."""
    return list(dict.fromkeys(label for caption in captions for label in caption.labels))


def most_of(bounds: Iterable[Bounds]) -> int | None:
    """The sum of upper bounds; None if one is open."""
    ends = [most for _, most in bounds]
    return None if None in ends else sum(end for end in ends if end is not None)


def verdict_on_views(
    name: str,
    conflicts: Sequence[Conflict],
    captions: Sequence[CaptionReading],
    clause: Callable[[ConflictKind, tuple[int, ...], str], str],
) -> Verdict:
    """Violated if there are conflicts, each kind worded by `clause(kind, probes, classes)`."""
    if not conflicts:
        return Verdict("holds", "The captions can all be true.", vacuous=say_nothing(captions))
    ordered = sorted(conflicts, key=lambda each: _ORDER.index(each.what))
    grouped: dict[tuple[ConflictKind, tuple[int, ...]], list[str]] = {}
    for each in ordered:
        grouped.setdefault((each.what, each.probes), []).append(each.label)
    evidence = (
        item
        for each in ordered
        for probe in sorted(set(each.probes))
        for item in spans(probe, captions[probe], (each.label,))
    )
    return Verdict(
        "violated",
        sentence([clause(what, probes, listed(dict.fromkeys(labels))) for (what, probes), labels in grouped.items()]),
        violated=(name,),
        categories=tuple(dict.fromkeys(_CATEGORIES[each.what] for each in ordered)),
        evidence=tuple(dict.fromkeys(evidence)),
        grade=surest(each.grade for each in ordered),
        conflicts=tuple(ordered),
    )
