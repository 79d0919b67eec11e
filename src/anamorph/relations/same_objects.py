"""The claim that an edit does not change the named objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.model import CaptionReading, Conflict, Evidence, LabelSet, Reading, ReadingKind, Verdict, surest
from anamorph.relations.verdicts.phrases import all_of, are, listed, place, say_nothing, sentence, spans


@dataclass(frozen=True, slots=True)
class SameObjects:
    """Every follow-up names the same classes as the source, in any words; labels are compared as sets.

    Numbers must agree if both captions state one: two dogs are not three.
    """

    kind: ClassVar[str] = "same-objects"
    reads: ClassVar[ReadingKind] = "caption"
    keeps_references: ClassVar[bool] = True
    claims: ClassVar[str | None] = "the same objects are named"
    reads_labels: ClassVar[ReadingKind | None] = "labels"

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        if readings and all(isinstance(reading, LabelSet) for reading in readings):
            sets = [reading for reading in readings if isinstance(reading, LabelSet)]
            return _compared([sorted(each.labels) for each in sets], sets)
        captions = all_of(CaptionReading, readings)
        if isinstance(captions, Verdict):
            return captions
        return _compared([each.labels for each in captions], captions)

    def changes(self) -> Sequence[tuple[str, int | None]]:
        """No change in number."""
        return ()


def _compared(named: Sequence[Sequence[str]], readings: Sequence[CaptionReading] | Sequence[LabelSet]) -> Verdict:
    source, *follow_ups = named
    for position, follow_up in enumerate(follow_ups, start=1):
        lost = [label for label in source if not _may_name(readings[position], label)]
        gained = [label for label in follow_up if not _may_name(readings[0], label)]
        miscounted = _miscounted(readings[0], readings[position])
        if lost or gained or miscounted:
            clauses = [f"{listed(lost)} {are(lost)} no longer named"] if lost else []
            clauses += [f"{listed(gained)} {are(gained)} newly named"] if gained else []
            clauses += [f"{before} of {label!r} named before and {after} now" for label, before, after in miscounted]
            clauses[-1] += ", although the edit neither hides nor adds anything"
            if len(named) > 2:
                clauses[0] = f"{place(position, len(named))} differs: {clauses[0]}"
            conflicts = (
                *(Conflict(label, "miscount", "number", (0, position)) for label, *_ in miscounted),
                *(Conflict(label, "omission", "lost", (0, position)) for label in lost),
                *(Conflict(label, "omission", "gained", (0, position)) for label in gained),
            )
            return Verdict(
                "violated",
                sentence(clauses),
                violated=(SameObjects.kind,),
                categories=_categories(lost, gained, miscounted),
                evidence=(
                    *_evidence(0, readings[0], (*lost, *(label for label, *_ in miscounted))),
                    *_evidence(position, readings[position], (*gained, *(label for label, *_ in miscounted))),
                ),
                grade=surest(each.grade for each in conflicts),
                conflicts=conflicts,
            )
    if source:
        return Verdict("holds", f"All answers name {listed(source)}, and nothing else that is known.")
    captions = [reading for reading in readings if isinstance(reading, CaptionReading)]
    return Verdict("holds", "No answer names a known class.", vacuous=say_nothing(captions))


def _may_name(reading: CaptionReading | LabelSet, label: str) -> bool:
    return label in reading.labels if isinstance(reading, LabelSet) else reading.may_name(label)


def _miscounted(source: CaptionReading | LabelSet, follow_up: CaptionReading | LabelSet) -> list[tuple[str, int, int]]:
    """Classes for which both captions state exact but different numbers."""
    if isinstance(source, LabelSet) or isinstance(follow_up, LabelSet):
        return []
    said = ((label, source.count_of(label), follow_up.count_of(label)) for label in source.labels)
    return [(label, before, after) for label, before, after in said if before and after and before != after]


def _categories(lost: Sequence[str], gained: Sequence[str], miscounted: Sequence[object]) -> tuple[str, ...]:
    kinds = (("object-lost", lost), ("object-gained", gained), ("quantity", miscounted))
    return tuple(kind for kind, found in kinds if found)


def _evidence(position: int, reading: CaptionReading | LabelSet, labels: Iterable[str]) -> tuple[Evidence, ...]:
    if isinstance(reading, CaptionReading):
        return spans(position, reading, labels)
    return tuple(Evidence(position, label) for label in labels)
