"""Verdicts from conflicts: the reason in words, the kinds of error, and the evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from anamorph.model import CaptionReading, Conflict, ConflictKind, Evidence, Verdict, surest, the_probe
from anamorph.relations.verdicts.ledger import Bounds, Ledger
from anamorph.relations.verdicts.phrases import listed, sentence, spans
from anamorph.relations.verdicts.quantities import stated

# The kinds of error in reports. If an answer names a class that is not there and omits another, the one was taken for
# the other.
_CATEGORIES: Mapping[ConflictKind, str] = {
    "lost": "omission",
    "gained": "omission",
    "missing": "omission",
    "invented": "invention",
    "gone": "invention",
    "number": "quantity",
    "described": "attribute",
}
INVENTED_IN_SOURCE, MISCLASSIFICATION, NEWLY_NAMED = "invented in the source", "misclassification", "newly named"


def verdict_on(ledger: Ledger, parts: Mapping[ConflictKind, str], changed: str) -> Verdict | None:
    """The verdict where statements of a case are in conflict; None if all can be true.

    `parts` names the part of the relation that each kind of conflict violates, `changed` the edit, for people:
    "objects were only removed".
    """
    conflicts = ledger.conflicts()
    if not conflicts:
        return None
    return Verdict(
        "violated",
        sentence(_clauses(conflicts, ledger, changed)),
        violated=tuple(dict.fromkeys(parts[kind] for kind in parts if any(each.what == kind for each in conflicts))),
        categories=_categories(conflicts, ledger),
        evidence=_evidence(conflicts, ledger.captions),
        grade=surest(each.grade for each in conflicts),
        conflicts=conflicts,
        wrong_anyway=_wrong_anyway(conflicts, ledger),
    )


def _wrong_anyway(conflicts: Sequence[Conflict], ledger: Ledger) -> bool | None:
    """Whether the answer to the source contradicts what is known by itself; None if that cannot be said."""
    if ledger.known is None or len(ledger.captions) == 1:
        return None
    return any(each.known and each.probes == (0,) for each in conflicts)


def _categories(conflicts: Sequence[Conflict], ledger: Ledger) -> tuple[str, ...]:
    found: dict[str, None] = {}
    left_out = Counter(_silent_probe(each) for each in conflicts if _CATEGORIES[each.what] == "omission")
    for each in conflicts:
        category = _CATEGORIES[each.what]
        if category == "invention":
            if left_out[each.probes[0]]:
                category = MISCLASSIFICATION
                left_out[each.probes[0]] -= 1
            elif each.probes == (0,) and len(ledger.captions) > 1:
                category = INVENTED_IN_SOURCE
        elif category == "omission":
            # Inventions come first: an object mistaken for another one is not counted as omitted.
            if not left_out[_silent_probe(each)]:
                continue
            left_out[_silent_probe(each)] -= 1
            if each.what == "gained" and ledger.known is None:
                category = NEWLY_NAMED
        found[category] = None
    return tuple(found)


def _where(probe: int, ledger: Ledger) -> str:
    count = len(ledger.captions)
    return the_probe(probe, count) if count > 1 else "the caption"


def _silent_probe(conflict: Conflict) -> int:
    """The answer that does not name the class."""
    return 0 if conflict.what == "gained" else conflict.probes[-1]


def _clauses(conflicts: Sequence[Conflict], ledger: Ledger, changed: str) -> list[str]:
    """The errors, one clause for each kind of conflict and answer, the surest first."""
    grouped: dict[tuple[ConflictKind, tuple[int, ...]], list[Conflict]] = {}
    for each in conflicts:
        grouped.setdefault((each.what, each.probes), []).append(each)
    clauses: list[str] = []
    for (kind, probes), some in grouped.items():
        labels = [each.label for each in some]
        if kind == "number":
            clauses += [_about_number(each, ledger, changed) for each in some]
        elif kind == "described":
            clauses += [_about_looks(each, ledger, changed) for each in some]
        else:
            clauses.append(_about_classes(kind, probes, labels, ledger, changed))
    return clauses


def _about_classes(
    kind: ConflictKind, probes: tuple[int, ...], labels: Sequence[str], ledger: Ledger, changed: str
) -> str:
    names, are = listed(labels), "is" if len(labels) == 1 else "are"
    where = _where(probes[-1], ledger)
    several = len(ledger.captions) > 2
    match kind:
        case "lost":
            return f"{names} {are} no longer named{f' in {where}' if several else ''} although {changed}"
        case "gained":
            real = ledger.known is not None
            left_out = " (the source's answer left it out)" if real and len(labels) == 1 else ""
            return f"{names} {are} newly named{f' in {where}' if several else ''} although {changed}{left_out}"
        case "missing":
            inserted = [change.label for change in ledger.changes if change.by is not None and change.by > 0]
            if set(labels) <= set(inserted):
                return f"the inserted {names} {are} not named"
            return f"{names} {are} in the picture but not named{f' in {where}' if several else ''}"
        case "gone":
            last = "the last one" if len(labels) == 1 else "the last of each"
            still = "still named" if probes != (0,) else f"named in {where}"
            return f"{names} {are} {still} although {last} was removed"
        case _:
            return f"{names} {are} named in {where}, and no such object is known to be there"


def _about_looks(conflict: Conflict, ledger: Ledger, changed: str) -> str:
    label = conflict.label
    if conflict.known:
        (probe,) = conflict.probes
        words = " and ".join(sorted(ledger.misdescribed(label, probe)))
        return f"{label!r} is {words} in {_where(probe, ledger)}, and no such {label} is known to be there"
    source, follow_up = (" and ".join(sorted(ledger.described(label, probe))) for probe in conflict.probes)
    places = [_where(probe, ledger) for probe in conflict.probes]
    return f"{label!r} is {source} in {places[0]} and {follow_up} in {places[1]} although {changed}"


def _about_number(conflict: Conflict, ledger: Ledger, changed: str) -> str:
    label = conflict.label
    said = {probe: _said(ledger.said[probe].get(label)) for probe in conflict.probes}
    if len(conflict.probes) == 1:
        (probe,) = conflict.probes
        return f"{said[probe]} of {label!r} named in {_where(probe, ledger)} where {_known(ledger, label, probe)}"
    by = next((change.by for change in ledger.changes if change.label == label), 0)
    although = changed if by == 0 else "at least one was removed" if by is None else _what_changed(by)
    source, follow_up = conflict.probes
    return (
        f"{said[source]} of {label!r} in {_where(source, ledger)} and {said[follow_up]} in "
        f"{_where(follow_up, ledger)} although {although}"
    )


def _said(bounds: Bounds | None) -> str:
    return "none" if bounds is None or bounds == (0, 0) else stated(*bounds)


def _known(ledger: Ledger, label: str, probe: int) -> str:
    for known in ledger.known or ():
        if known.label == label:
            by = next((change.by for change in ledger.changes if change.label == label), 0) if probe else 0
            least, most = known.least + (by or 0), None if known.most is None else known.most + (by or 0)
            return f"{stated(max(0, least), most)} {'is' if most == 1 else 'are'} known to be there"
    return "none is known to be there"


def _what_changed(by: int) -> str:
    number = {1: "one was", 2: "two were"}.get(abs(by), f"{abs(by)} were")
    return f"{number} {'inserted' if by > 0 else 'removed'}"


def _evidence(conflicts: Iterable[Conflict], captions: Sequence[CaptionReading]) -> tuple[Evidence, ...]:
    found: dict[Evidence, None] = {}
    for each in conflicts:
        for probe in each.probes:
            found.update((item, None) for item in spans(probe, captions[probe], (each.label,)))
    return tuple(sorted(found, key=lambda item: item.probe))
