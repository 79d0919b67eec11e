"""What a tagger's outputs show over many photos: their label combinations (ATOM, table V), and what each change did.

"The proportion of distinct k-label combinations included in the outputs" counts the outputs of source and follow-ups
alike: so counted, the published predictions of MSRN on VOC give the table's 64.7 % and 56.3 %.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from anamorph.methods.atom.combinations import Combination, combinations_in
from anamorph.model import Table
from anamorph.statistics.tables import share


@dataclass(frozen=True, slots=True)
class OutputCoverage:
    """How many combinations of one size some outputs have: those of all photos, and those of error-revealing ones."""

    size: int
    possible: int
    photos: int
    revealing_photos: int
    covered: int
    covered_by_revealing: int


@dataclass(frozen=True, slots=True)
class OperationCount:
    """What one change did to the photos: how often the labels differ, and how often labels were lost or gained."""

    operation: str
    photos: int
    changed: int
    lost: int
    gained: int


class OutputTally:
    """Takes in photos one by one and keeps only which combinations their outputs had."""

    def __init__(self) -> None:
        self._photos: Counter[tuple[int, bool]] = Counter()
        self._seen: dict[tuple[int, bool], set[Combination]] = {}
        self._operations: dict[str, list[int]] = {}
        self._photo_sizes: dict[Hashable, set[int]] = {}

    def add(
        self,
        size: int,
        outputs: Sequence[frozenset[str]],
        operations: Iterable[str] | None = None,
        photo: Hashable = None,
    ) -> None:
        """Count a photo that was chosen for combinations of a size; its error is revealed if its outputs differ.

        One that has a name is counted once for a size, however many combinations it was chosen for, and its
        operations once at all.
        """
        is_new = photo is None or photo not in self._photo_sizes
        if photo is not None:
            sizes = self._photo_sizes.setdefault(photo, set())
            if size in sizes:
                return
            sizes.add(size)
        source = outputs[0]
        revealing = any(output != source for output in outputs)
        self._photos[size, revealing] += 1
        seen = self._seen.setdefault((size, revealing), set())
        for output in set(outputs):
            seen.update(combinations_in(output, (size,)))
        if not is_new:
            return
        names = operations or (f"follow-up {place}" for place in range(1, len(outputs)))
        for name, output in zip(names, outputs[1:], strict=True):
            counts = self._operations.setdefault(name, [0, 0, 0, 0])
            for place, counted in enumerate((True, output != source, bool(source - output), bool(output - source))):
                counts[place] += counted

    @property
    def sizes(self) -> list[int]:
        return sorted({size for size, _ in self._photos})

    def coverage(self, space: Iterable[str], size: int) -> OutputCoverage:
        """What the outputs have of a label space; labels that are not of it do not count."""
        labels = frozenset(space)
        revealing, calm = (
            {each for each in self._seen.get((size, which), ()) if labels.issuperset(each)} for which in (True, False)
        )
        photos = [self._photos[size, which] for which in (True, False)]
        possible = math.comb(len(labels), size)
        return OutputCoverage(size, possible, sum(photos), photos[0], len(revealing | calm), len(revealing))

    def operations(self) -> tuple[OperationCount, ...]:
        """The changes in their order."""
        return tuple(OperationCount(name, *counts) for name, counts in self._operations.items())


def operations_table(counts: Iterable[OperationCount]) -> Table:
    """How many photos have other labels after each change."""
    rows = tuple(
        (each.operation, each.photos, each.changed, share(each.changed, each.photos), each.lost, each.gained)
        for each in counts
    )
    return Table(
        "Per operation", ("operation", "photos", "other labels", "share", "labels lost", "labels gained"), rows
    )
