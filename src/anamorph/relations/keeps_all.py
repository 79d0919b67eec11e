"""The claim that a caption names the objects of the scene, wherever they stand."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from anamorph.model import CaptionReading, ConflictKind, Grade, LabelSpaceName, Reading, ReadingKind, Verdict, setting
from anamorph.reading.labels import label_space
from anamorph.relations.verdicts.conflicts import verdict_on
from anamorph.relations.verdicts.ledger import COMPLETE_HELP, KNOWN_HELP, LEDGER_HELP, KnownClass, Ledger
from anamorph.relations.verdicts.phrases import all_of, are, error_categories, listed, place, sentence, spans

_WHO_NAMES = {"references": "No reference caption", "self": "Not even the caption of the source"}


_PARTS: dict[ConflictKind, str] = {
    "lost": "inclusion",
    "missing": "inclusion",
    "gained": "inclusion",
    "number": "quantity",
    "described": "description",
    "invented": "invention",
    "gone": "invention",
}


@dataclass(frozen=True, slots=True)
class KeepsAll:
    """Every follow-up's caption names the scene's objects, in the right number if it states one (SPOLRE)."""

    kind: ClassVar[str] = "keeps-all"
    reads: ClassVar[ReadingKind] = "caption"
    keeps_references: ClassVar[bool] = True
    claims: ClassVar[str | None] = "every object is still named"
    least_answers: ClassVar[int] = 1
    class_settings: ClassVar[tuple[str, ...]] = ("objects", "named", "uncounted")
    grade: ClassVar[Grade | None] = None
    objects: tuple[tuple[str, int], ...] = setting(help="The classes in the scene, and the number of each.")
    named: tuple[str, ...] | None = setting(None, "The classes that reference captions name; by default, all.")
    ground_truth: Literal["references", "self"] = setting(
        "references", "What must be named: what references name, or what the source's own caption names."
    )
    uncounted: tuple[str, ...] = setting((), "Classes of uncertain number: they must be named, but in any number.")
    ledger: bool = setting(False, LEDGER_HELP)
    known: tuple[KnownClass, ...] | None = setting(None, KNOWN_HELP)
    complete: LabelSpaceName | None = setting(None, COMPLETE_HELP)
    painted: bool = setting(False, "A painter made the follow-ups: colors and postures may differ.")

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        captions = all_of(CaptionReading, readings)
        if isinstance(captions, Verdict):
            return captions
        named = captions[0].labels if self.ground_truth == "self" else self.named
        expected = {label: count for label, count in self.objects if count and (named is None or label in named)}
        if self.ledger:
            verdict = self._by_ledger(captions, expected)
            if verdict is not None:
                return verdict
        if not expected:
            reason = f"{_WHO_NAMES[self.ground_truth]} names an object of the scene."
            if self.ground_truth == "self":
                return Verdict("holds", reason, vacuous=True)
            return Verdict("undecided", reason)
        if self.ledger:
            return Verdict("holds", f"The caption still names {listed(expected)}.")
        # If references are the truth, a transcript has no caption of the unedited photo.
        first = 1 if len(captions) > 1 else 0
        for position, caption in enumerate(captions[first:], start=first):
            verdict = self._held_against(expected, caption, position, len(captions))
            if verdict is not None:
                return verdict
        return Verdict("holds", f"The caption still names {listed(expected)}.")

    def changes(self) -> Sequence[tuple[str, int | None]]:
        """No change in number."""
        return ()

    def _known(self) -> tuple[KnownClass, ...]:
        if self.known is not None:
            return self.known
        return tuple(
            KnownClass(label, 0, None) if label in self.uncounted else KnownClass(label, count, count, plural=True)
            for label, count in self.objects
        )

    def _by_ledger(self, captions: Sequence[CaptionReading], expected: dict[str, int]) -> Verdict | None:
        ledger = Ledger(captions, (), self._known(), self.complete, tuple(expected), postures=not self.painted)
        return verdict_on(ledger, _PARTS, "every object is still there")

    def _held_against(
        self, expected: dict[str, int], caption: CaptionReading, position: int, count: int
    ) -> Verdict | None:
        present = [label for label, _ in self.objects]
        missing = [label for label in expected if not caption.may_name(label)]
        # Water or sand is not what an object was taken for.
        others = [label for label in caption.labels if label not in present and label not in _grounds()]
        unexpected = others if missing else []
        said = {label: caption.count_of(label) for label in expected if label not in missing}
        miscounted = [label for label, number in said.items() if number not in (None, expected[label])]
        miscounted = [label for label in miscounted if label not in self.uncounted]
        if not missing and not miscounted:
            return None
        clauses = []
        if missing:
            clauses.append(f"{listed(missing)} {are(missing)} in the picture but not named")
        if unexpected:
            clauses.append(f"{listed(unexpected)} {are(unexpected)} named instead")
        clauses += [f"{said[label]} of {label!r} named where there are {expected[label]}" for label in miscounted]
        if count > 2:
            clauses[0] = f"{place(position, count)} is wrong: {clauses[0]}"
        return Verdict(
            "violated",
            sentence(clauses),
            violated=(("inclusion",) if missing else ()) + (("quantity",) if miscounted else ()),
            categories=error_categories(missing, unexpected, miscounted),
            evidence=spans(position, caption, (*unexpected, *miscounted)),
        )


@functools.cache
def _grounds() -> frozenset[str]:
    """The stuff between and behind objects, as COCO-Stuff calls it."""
    return frozenset(label_space("coco-stuff").names)
