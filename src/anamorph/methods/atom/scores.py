"""ATOM's oracle over many images: confident and vulnerable combinations, and a score for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from anamorph.relations.stable_labels import ImageGroup, recognised


@dataclass(frozen=True, slots=True)
class CombinationScore:
    """One label combination: its images by group, and the share of outputs that have all its labels (equation 1)."""

    labels: tuple[str, ...]
    confident: int
    label_error: int
    score: float | None


@dataclass(frozen=True, slots=True)
class LabelSummary:
    """How many images are in each group, and how many combinations are confident or vulnerable."""

    confident: int
    label_error: int
    unspecific: int
    none: int
    combinations: tuple[CombinationScore, ...]

    @property
    def confident_combinations(self) -> int:
        return sum(each.confident > 0 for each in self.combinations)

    @property
    def vulnerable_combinations(self) -> int:
        return sum(each.label_error > 0 for each in self.combinations)

    @property
    def confident_percent(self) -> float:
        return 100 * self.confident_combinations / len(self.combinations) if self.combinations else 0.0

    @property
    def vulnerable_percent(self) -> float:
        return 100 * self.vulnerable_combinations / len(self.combinations) if self.combinations else 0.0


class LabelTally:
    """Takes in images one by one and keeps only counts, so that any number of images can be summed up."""

    def __init__(self) -> None:
        self._groups: Counter[ImageGroup] = Counter()
        # Combination -> confident images, label error images, outputs that have all labels, outputs.
        self._combinations: dict[tuple[str, ...], list[int]] = {}

    def add(self, labels: Sequence[str], outputs: Sequence[frozenset[str]], group: ImageGroup) -> None:
        """Count one image of a group (see `image_group`)."""
        self._groups[group] += 1
        counts = self._combinations.setdefault(tuple(sorted(set(labels))), [0, 0, 0, 0])
        if group == "confident":
            counts[0] += 1
            counts[2] += len(outputs)
            counts[3] += len(outputs)
        elif group == "label-error":
            counts[1] += 1
            counts[2] += recognised(labels, outputs)
            counts[3] += len(outputs)

    def summary(self) -> LabelSummary:
        """The totals so far; a combination with neither confident nor label error images has no score."""
        scores = tuple(
            CombinationScore(labels, confident, errors, recognised / outputs if outputs else None)
            for labels, (confident, errors, recognised, outputs) in sorted(self._combinations.items())
        )
        groups = self._groups
        return LabelSummary(
            groups["confident"], groups["label-error"], groups["unspecific"], groups["none"], combinations=scores
        )
