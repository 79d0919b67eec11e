"""The claim that small changes to an image do not change its labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from anamorph.model import Conflict, Evidence, Grade, LabelSet, Reading, ReadingKind, Verdict, setting
from anamorph.relations.verdicts.phrases import all_of, listed

# The category of an image that is stable but misses a label.
INCOMPLETE = "incomplete"
ImageGroup: TypeAlias = Literal["confident", "label-error", "unspecific", "none"]


@dataclass(frozen=True, slots=True)
class StableLabels:
    """Every follow-up gets the source's label set; a change is graded by a label combination (ATOM, algorithm 1)."""

    kind: ClassVar[str] = "stable-labels"
    reads: ClassVar[ReadingKind] = "labels"
    claims: ClassVar[str | None] = "the labels stay the same"
    reads_labels: ClassVar[ReadingKind | None] = "labels"
    labels: tuple[str, ...] = setting(help="The label combination that the image was collected for; empty if none.")

    published: bool = setting(False, "Judge as published: every change of a label set counts, and nothing is proved.")

    @property
    def grade(self) -> Grade | None:
        return None if self.published else "omission"

    def judge(self, readings: Sequence[Reading]) -> Verdict:
        outputs = all_of(LabelSet, readings)
        if isinstance(outputs, Verdict):
            return outputs
        sets = [output.labels for output in outputs]
        group = image_group(self.labels, sets)
        if group == "confident" and not self.labels:
            return Verdict("holds", "All outputs agree.", vacuous=not sets[0])
        if group == "confident":
            return Verdict(
                "holds", f"All outputs agree and have {listed(self.labels)}.", categories=(group,), score=1.0
            )
        if group == "none":
            missing = [label for label in self.labels if label not in sets[0]]
            reason = f"All outputs agree, but none has {listed(missing)}."
            return Verdict("holds", reason, categories=(INCOMPLETE,), vacuous=not sets[0])
        reason = _reason(self.labels, sets, group)
        # Equation 1 covers confident and label error images, not unspecific ones.
        score = recognised(self.labels, sets) / len(sets) if group == "label-error" else None
        return Verdict(
            "violated",
            reason,
            (self.kind,),
            (group,),
            _evidence(sets),
            score,
            grade=self.grade,
            conflicts=() if self.published else tuple(_conflicts(sets)),
        )

    def changes(self) -> Sequence[tuple[str, int | None]]:
        """No change in number."""
        return ()


def recognised(labels: Sequence[str], outputs: Sequence[frozenset[str]]) -> int:
    """The number of outputs with every label of a combination."""
    wanted = frozenset(labels)
    return sum(wanted <= output for output in outputs)


def image_group(labels: Sequence[str], outputs: Sequence[frozenset[str]]) -> ImageGroup:
    """The group of an image by algorithm 1; "none" if stable but missing a label, which the paper omits."""
    wanted = frozenset(labels)
    source = outputs[0]
    if all(output == source for output in outputs):
        return "confident" if wanted <= source else "none"
    in_some, in_all = frozenset[str]().union(*outputs), source.intersection(*outputs)
    return "label-error" if wanted <= in_some and not wanted <= in_all else "unspecific"


def _reason(labels: Sequence[str], sets: Sequence[frozenset[str]], group: ImageGroup) -> str:
    changed = sum(output != sets[0] for output in sets[1:])
    beginning = f"{changed} of {len(sets) - 1} follow-ups have other labels than the source"
    if group == "label-error":
        unsteady = [label for label in labels if not all(label in output for output in sets)]
        return f"{beginning}, and {listed(unsteady)} {'comes and goes' if len(unsteady) == 1 else 'come and go'}."
    never = [label for label in labels if not any(label in output for output in sets)]
    if never:
        return f"{beginning}, but no output has {listed(never)}."
    if not labels:
        return f"{beginning}."
    return f"{beginning}, but all have {listed(labels)}."


def _evidence(sets: Sequence[frozenset[str]]) -> tuple[Evidence, ...]:
    source = sets[0]
    found: dict[Evidence, None] = {}
    for position, output in enumerate(sets[1:], start=1):
        found.update((Evidence(0, label), None) for label in sorted(source - output))
        found.update((Evidence(position, label), None) for label in sorted(output - source))
    return tuple(found)


def _conflicts(sets: Sequence[frozenset[str]]) -> Iterator[Conflict]:
    """A missing label may only be below a threshold, so all are omissions."""
    source = sets[0]
    for position, output in enumerate(sets[1:], start=1):
        yield from (Conflict(label, "omission", "lost", (0, position)) for label in sorted(source - output))
        yield from (Conflict(label, "omission", "gained", (0, position)) for label in sorted(output - source))
