"""BEAF's measures (ECCV 2024) of a run: what removing an object does to answers about it, and about others."""

from __future__ import annotations

from collections.abc import Sequence

from anamorph.model import Table, Tally
from anamorph.relations.removal_measured import (
    IGNORANCE,
    INDECISION,
    KEPT,
    STUBBORN_NO,
    STUBBORN_YES,
    UNDERSTANDING,
    RemovalMeasured,
)
from anamorph.statistics.tables import share


def removal_measures(tallies: Sequence[Tally]) -> tuple[Table, ...]:
    """The cells of the removed objects, indecision about the others, and F1; nothing where none was measured."""
    measured = [tally for tally in tallies if tally.relation == RemovalMeasured.kind]
    counts = {
        cell: sum(tally.categories.get(cell, 0) for tally in measured)
        for cell in (UNDERSTANDING, IGNORANCE, STUBBORN_YES, STUBBORN_NO, KEPT, INDECISION)
    }
    others = counts.pop(KEPT) + counts[INDECISION]
    removed = sum(count for cell, count in counts.items() if cell != INDECISION)
    if not removed:
        return ()
    rows: list[tuple[str | int | float, ...]] = [
        (cell, count, share(count, others if cell == INDECISION else removed)) for cell, count in counts.items()
    ]
    understood, steady = counts[UNDERSTANDING] / removed, 1 - counts[INDECISION] / others if others else 0.0
    f1 = 2 * understood * steady / (understood + steady) if understood + steady else 0.0
    rows.append(("F1 of understanding and 100 % - indecision", "", f"{f1:.1%}" if others else "-"))
    return (Table("Measures of removal (BEAF)", ("measure", "answers", "share"), tuple(rows)),)
