"""The claim that a caption loses the melted objects and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from anamorph.model import CaptionReading, ConflictKind, Grade, LabelSpaceName, Reading, ReadingKind, Verdict, setting
from anamorph.relations.verdicts.conflicts import verdict_on
from anamorph.relations.verdicts.ledger import COMPLETE_HELP, KNOWN_HELP, LEDGER_HELP, Change, KnownClass, Ledger
from anamorph.relations.verdicts.phrases import all_of, error_categories, listed, say_nothing, sentence, spans

_WHETHER_LEFT = (
    "The follow-up names a class of which an object was removed, and nobody said whether one is left "
    "(`gone`, `objects`)."
)
_PARTS: dict[ConflictKind, str] = {
    "lost": "mr1",
    "gained": "mr1",
    "missing": "mr1",
    "invented": "mr1",
    "gone": "mr2",
    "number": "quantity",
    "described": "description",
}


@dataclass(frozen=True, slots=True)
class OnlyLoses:
    """The follow-up's caption loses only melted objects, gains none, and names no class that is gone (ROME)."""

    kind: ClassVar[str] = "only-loses"
    reads: ClassVar[ReadingKind] = "caption"
    claims: ClassVar[str | None] = "the caption loses only what was removed"
    most_answers: ClassVar[int | None] = 2
    class_settings: ClassVar[tuple[str, ...]] = ("removed", "gone")
    grade: ClassVar[Grade | None] = None
    removed: tuple[str, ...] = setting(help="The classes of the objects that the follow-up lacks.")
    gone: tuple[str, ...] | None = setting(
        None, "The removed classes with no object left; by default, those that the source's caption has one of."
    )
    melted: tuple[tuple[str, int], ...] | None = setting(
        None, "The number of removed objects by class; by default, at least one of each removed class."
    )
    ledger: bool = setting(False, LEDGER_HELP)
    known: tuple[KnownClass, ...] | None = setting(None, KNOWN_HELP)
    complete: LabelSpaceName | None = setting(None, COMPLETE_HELP)

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        captions = all_of(CaptionReading, readings)
        if isinstance(captions, Verdict):
            return captions
        if self.ledger:
            return self._by_ledger(captions)
        ancestor, descendant = captions
        before, after = ancestor.labels, descendant.labels
        gained = [label for label in after if not ancestor.may_name(label)]
        lost = [label for label in before if not descendant.may_name(label) and label not in self.removed]
        last = self._gone(ancestor)
        gone = [label for label in last if label in after]
        # Equation 3, literally: if a last object was removed, any gain of the descendant violates MR2 as well.
        violated = (("mr1",) if gained or lost else ()) + (("mr2",) if gone or (last and gained) else ())
        if not violated:
            lost = [label for label in before if label not in after]
            return Verdict("holds", _why_it_holds(before, lost), vacuous=say_nothing(captions))
        clauses = []
        if gained:
            clauses.append(f"{listed(gained)} appeared although objects were only removed")
        if lost:
            clauses.append(f"{listed(lost)} disappeared although not removed")
        if gone:
            still = (
                "is still named although the last one"
                if len(gone) == 1
                else "are still named although the last of each"
            )
            clauses.append(f"{listed(gone)} {still} was removed")
        return Verdict(
            "violated",
            sentence(clauses),
            violated=violated,
            categories=error_categories(lost, list(dict.fromkeys((*gained, *gone)))),
            evidence=spans(0, ancestor, lost) + spans(1, descendant, dict.fromkeys((*gained, *gone))),
        )

    def after_removal(self, removed: Mapping[str, int], gone: Sequence[str]) -> OnlyLoses:
        """The same claim for fewer removed objects."""
        melted = None if self.melted is None else tuple(removed.items())
        left = None if self.gone is None else tuple(label for label in self.gone if label in gone)
        return replace(self, removed=tuple(removed), gone=left, melted=melted)

    def changes(self) -> Sequence[tuple[str, int | None]]:
        """The intended change of each class."""
        return tuple((change.label, change.by) for change in self._changes())

    def _changes(self) -> tuple[Change, ...]:
        if self.melted is None:
            return tuple(Change(label) for label in dict.fromkeys(self.removed))
        return tuple(Change(label, -count) for label, count in self.melted)

    def _by_ledger(self, captions: Sequence[CaptionReading]) -> Verdict:
        changes = self._changes()
        known = self.known
        if known is None and self.gone is not None:
            # Of a class that is gone, the source had as many as were removed; of others, at least one more.
            said = captions[0].classes()
            counts = {
                change.label: max(1, said.get(change.label, (1, None))[0]) if change.by is None else -change.by
                for change in changes
            }
            changes = tuple(
                Change(label, -count if label in self.gone else by)
                for label, count, by in ((change.label, counts[change.label], change.by) for change in changes)
            )
            known = tuple(
                KnownClass(label, count, count) if label in self.gone else KnownClass(label, 2)
                for label, count in counts.items()
            )
        ledger = Ledger(captions, changes, known, self.complete)
        verdict = verdict_on(ledger, _PARTS, "objects were only removed")
        if verdict is not None:
            return verdict
        before, after = (caption.labels for caption in captions)
        if known is None and any(label in after for label in self.removed):
            return Verdict("undecided", _WHETHER_LEFT)
        lost = [label for label in before if label not in after]
        return Verdict("holds", _why_it_holds(before, lost), vacuous=say_nothing(captions))

    def _gone(self, ancestor: CaptionReading) -> tuple[str, ...]:
        if self.gone is not None:
            return self.gone
        return tuple(label for label in dict.fromkeys(self.removed) if ancestor.number_of(label) == "singular")


def _why_it_holds(before: Sequence[str], lost: Sequence[str]) -> str:
    if not before:
        return "Neither caption names a known class."
    return (
        f"The caption loses only {listed(lost)}, which was removed." if lost else "The captions name the same classes."
    )
