"""The cost of runs' cases: how many a photo gives, and how many images and calls they take."""

from __future__ import annotations

from collections.abc import Iterable

from anamorph.model import Table
from anamorph.statistics.tables import share
from anamorph.store.verdicts import RunCounts


def cost_table(costs: Iterable[tuple[str, RunCounts]]) -> Table:
    """The runs by name, below each other."""
    rows = tuple((name, *_cells(counts)) for name, counts in costs)
    columns = ("run", "photos", "cases", "per photo", "images", "discarded", "calls", "seconds", "violated")
    return Table("Cost", (*columns, "calls per report"), rows)


def _cells(counts: RunCounts) -> tuple[int | str, ...]:
    return (
        counts.photos,
        counts.cases,
        f"{counts.cases / counts.photos:.1f}" if counts.photos else "-",
        counts.images,
        counts.discarded,
        counts.calls,
        f"{counts.seconds:.1f}",
        f"{counts.violated} ({share(counts.violated, counts.cases)})",
        f"{counts.calls / counts.violated:.1f}" if counts.violated else "-",
    )
