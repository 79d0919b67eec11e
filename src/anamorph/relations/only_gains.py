"""The claim that a caption gains the inserted object and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from anamorph.model import (
    CaptionReading,
    ConflictKind,
    Grade,
    LabelSpaceName,
    Reading,
    ReadingKind,
    Verdict,
    setting,
)
from anamorph.relations.verdicts.conflicts import verdict_on
from anamorph.relations.verdicts.ledger import COMPLETE_HELP, KNOWN_HELP, LEDGER_HELP, Change, KnownClass, Ledger
from anamorph.relations.verdicts.phrases import all_of, are, error_categories, listed, sentence, spans

_PARTS: dict[ConflictKind, str] = {
    "lost": "mr1",
    "gained": "mr1",
    "missing": "mr1",
    "invented": "mr1",
    "gone": "mr1",
    "number": "mr2",
    "described": "description",
}


@dataclass(frozen=True, slots=True)
class OnlyGains:
    """The follow-up's caption names all that the source's does, and the inserted class (MetaIC, equations 6 to 8)."""

    kind: ClassVar[str] = "only-gains"
    reads: ClassVar[ReadingKind] = "caption"
    claims: ClassVar[str | None] = "the caption keeps what it named, and adds what was inserted"
    most_answers: ClassVar[int | None] = 2
    class_settings: ClassVar[tuple[str, ...]] = ("inserted", "required")
    grade: ClassVar[Grade | None] = None
    inserted: str = setting(help="The class of the object that was inserted.")
    mr2_only_if_mr1_holds: bool = setting(False, "Test numbers only if the classes are right.")
    ledger: bool = setting(False, LEDGER_HELP)
    known: tuple[KnownClass, ...] | None = setting(None, KNOWN_HELP)
    complete: LabelSpaceName | None = setting(None, COMPLETE_HELP)
    required: tuple[str, ...] = setting(
        (), "With the ledger: classes that must be named anyway, such as those in all reference captions."
    )
    attributes: tuple[str, ...] | None = setting(
        None, "All colors and actions of the inserted object; by default, unknown."
    )

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        captions = all_of(CaptionReading, readings)
        if isinstance(captions, Verdict):
            return captions
        if self.ledger:
            inserted = Change(self.inserted, 1, self.attributes)
            # Classes that only the source's caption names were lost, and are reported so.
            required = tuple(label for label in self.required if not captions[0].names(label))
            verdict = verdict_on(
                Ledger(captions, (inserted,), self.known, self.complete, required, postures=True),
                _PARTS,
                f"only {self.inserted!r} was inserted",
            )
            return verdict or self._holds()
        background, generated = captions
        clauses, violated = [], []
        expected = dict.fromkeys((*background.labels, self.inserted))
        missing = [label for label in expected if not generated.may_name(label)]
        unexpected = [label for label in generated.labels if label not in expected and not background.may_name(label)]
        if missing or unexpected:
            violated.append("mr1")
            clauses += self._about_classes(missing, unexpected)
        miscounted = [] if violated and self.mr2_only_if_mr1_holds else self._miscounted(background, generated)
        if miscounted:
            violated.append("mr2")
            clauses += [self._about_number(label, background, generated) for label in miscounted]
        if not violated:
            return self._holds()
        return Verdict(
            "violated",
            sentence(clauses),
            violated=tuple(violated),
            categories=error_categories(missing, unexpected, miscounted),
            evidence=spans(0, background, (*missing, *miscounted)) + spans(1, generated, (*unexpected, *miscounted)),
        )

    def changes(self) -> Sequence[tuple[str, int | None]]:
        """The intended change of each class."""
        return ((self.inserted, 1),)

    def _holds(self) -> Verdict:
        return Verdict("holds", f"The caption gains {self.inserted!r} and nothing else changes.")

    def _miscounted(self, background: CaptionReading, generated: CaptionReading) -> list[str]:
        """Classes whose number is wrong; a number that the caption does not state is never wrong."""
        wrong = []
        for label in generated.labels:
            after = generated.number_of(label) or "unknown"
            if label == self.inserted and (background.names(label) or not background.may_name(label)):
                required = "plural" if background.names(label) else "singular"
            elif background.names(label):
                required = background.number_of(label) or "unknown"
            else:
                continue
            if after != required and "unknown" not in (after, required):
                wrong.append(label)
        return wrong

    def _about_classes(self, missing: Sequence[str], unexpected: Sequence[str]) -> list[str]:
        clauses = []
        lost = [label for label in missing if label != self.inserted]
        if self.inserted in missing:
            clauses.append(f"the inserted {self.inserted!r} is not named")
        if lost:
            clauses.append(f"{listed(lost)} {are(lost)} no longer named")
        if unexpected:
            clauses.append(f"{listed(unexpected)} {are(unexpected)} named although only {self.inserted!r} was inserted")
        return clauses

    def _about_number(self, label: str, background: CaptionReading, generated: CaptionReading) -> str:
        after = generated.number_of(label)
        if label != self.inserted:
            return f"{label!r} was {background.number_of(label)} and is now {after}"
        if background.names(label):
            return f"{label!r} is {after} although one was inserted beside what was there"
        return f"{label!r} is {after} although only one was inserted"
