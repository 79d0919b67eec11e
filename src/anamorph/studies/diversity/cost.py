"""The cost of runs' cases: how many a photo gives, and how many images and calls they take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from anamorph.model import Table
from anamorph.statistics.tables import share
from anamorph.store.run import RunStore
from anamorph.store.verdicts import RunCounts, run_counts


@dataclass(frozen=True, slots=True)
class RunCost:
    """The counts of a run, with its name."""

    run: str
    counts: RunCounts


def cost_of(name: str, store: RunStore) -> RunCost:
    """The cost of one run."""
    return RunCost(name, run_counts(store))


def cost_record(cost: RunCost) -> dict[str, Any]:
    """The cost of a run as plain data."""
    return {"run": cost.run, **asdict(cost.counts)}


def cost_table(costs: Sequence[RunCost]) -> Table:
    """The runs below each other."""
    rows = tuple((each.run, *_cells(each.counts)) for each in costs)
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
