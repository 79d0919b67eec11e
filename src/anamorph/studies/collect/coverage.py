"""How many of a label space's combinations a collection covers, beside a data set and a random choice from it.

ATOM's figure 4 compares the combinations of its relevant photos with those of a validation set. What a random choice of
photos would show is ours; table V compares the outputs of the tested system (`anamorph research combinations`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from anamorph.methods.atom.combinations import Combination, combinations_in, expected_coverage
from anamorph.model import Table
from anamorph.statistics.tables import share


@dataclass(frozen=True, slots=True)
class DataSetCoverage:
    """The combinations of a data set beside those of a collection; `random` is what `draws` photos of it have."""

    covered: int
    both: int
    only_collected: int
    only_data_set: int
    draws: int
    random: float


@dataclass(frozen=True, slots=True)
class CollectedCoverage:
    """How many combinations of one size are possible, and for how many a collection has a photo."""

    size: int
    possible: int
    covered: int
    photos: int
    data_set: DataSetCoverage | None = None


def collected_coverage(
    photos_of: Mapping[Combination, Iterable[str]],
    space: Iterable[str],
    size: int,
    data_set: Sequence[Iterable[str]] | None = None,
) -> CollectedCoverage:
    """Coverage of the combinations of one size; a photo counts for the combinations that it was collected for.

    The random choice has as many photos as the collection has for this size, or all of a data set that has fewer.
    """
    labels = frozenset(space)
    mine = {
        combination: having
        for combination, found in photos_of.items()
        if len(combination) == size and labels.issuperset(combination) and (having := frozenset(found))
    }
    photos = len(frozenset[str]().union(*mine.values()))
    possible = math.comb(len(labels), size)
    if data_set is None:
        return CollectedCoverage(size, possible, len(mine), photos)
    theirs = {each for shown in data_set for each in combinations_in(labels.intersection(shown), (size,))}
    draws = min(photos, len(data_set))
    beside = DataSetCoverage(
        len(theirs),
        both=len(theirs & mine.keys()),
        only_collected=len(mine.keys() - theirs),
        only_data_set=len(theirs - mine.keys()),
        draws=draws,
        random=expected_coverage(data_set, labels, size, draws),
    )
    return CollectedCoverage(size, possible, len(mine), photos, beside)


def coverage_table(rows: Sequence[CollectedCoverage], *, only_relevant: bool = False) -> Table:
    title = "Coverage of label combinations"
    columns: tuple[str, ...] = ("k", "possible", "collected", "photos")
    beside = [row.data_set for row in rows if row.data_set is not None]
    if beside:
        columns += ("data set", "both", "only collected", "only data set", "random choice")
    return Table(
        f"{title}, relevant photos only" if only_relevant else title, columns, tuple(_cells(row) for row in rows)
    )


def _cells(row: CollectedCoverage) -> tuple[str | int | float, ...]:
    cells = (str(row.size), row.possible, f"{row.covered} ({share(row.covered, row.possible)})", row.photos)
    if row.data_set is None:
        return cells
    beside = row.data_set
    random = f"{beside.random:.1f} ({beside.random / row.possible if row.possible else 0:.1%})"
    covered = f"{beside.covered} ({share(beside.covered, row.possible)})"
    return (*cells, covered, beside.both, beside.only_collected, beside.only_data_set, random)
