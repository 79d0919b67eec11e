"""The claim that a caption loses melted things and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from anamorph.model import CaptionReading, Reading, Verdict, setting
from anamorph.relations.verdicts.phrases import all_of, error_categories, listed, say_nothing, sentence, spans


@dataclass(frozen=True, slots=True)
class OnlyLoses:
    """The follow-up's caption loses only what was melted, gains nothing, and no longer names what is gone (ROME)."""

    kind: ClassVar[str] = "only-loses"
    reads: ClassVar[str] = "caption"
    most_answers: ClassVar[int | None] = 2
    class_settings: ClassVar[tuple[str, ...]] = ("removed", "gone")
    removed: tuple[str, ...] = setting(help="The classes of the objects that the follow-up lacks.")
    gone: tuple[str, ...] | None = setting(
        None, "The removed classes of which no object is left; without it, those that the source's caption has one of."
    )

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        captions = all_of(CaptionReading, readings)
        if isinstance(captions, Verdict):
            return captions
        ancestor, descendant = captions
        before, after = ancestor.labels, descendant.labels
        gained = [label for label in after if label not in before]
        lost = [label for label in before if label not in after and label not in self.removed]
        gone = [label for label in self._gone(ancestor) if label in after]
        violated = (("mr1",) if gained or lost else ()) + (("mr2",) if gone else ())
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
        left = None if self.gone is None else tuple(label for label in self.gone if label in gone)
        return replace(self, removed=tuple(removed), gone=left)

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
