"""crosscheck's tables: error rates per relation, and by what the class is to the photo."""

from __future__ import annotations

from collections.abc import Sequence

from anamorph.model import Bars, Summary, Table, Tally
from anamorph.statistics.rates import RATE_COLUMNS, RATE_NOTE, rate_bar, rate_cells


def crosscheck_summary(tallies: Sequence[Tally]) -> Summary:
    """One table by relation, one by presence, and the rates as bars."""
    relations = _by(tallies, "relation")
    presences = _by(tallies, "presence")
    return (
        Table(
            "Error rate per relation",
            ("relation", *RATE_COLUMNS),
            tuple((name, *rate_cells(some)) for name, some in relations.items()),
        ),
        Table(
            "By what the class is to the photo",
            ("class", *RATE_COLUMNS),
            tuple((name, *rate_cells(some)) for name, some in presences.items()),
        ),
        Bars(
            "Error rates", ("this system",), tuple(rate_bar(name, some) for name, some in relations.items()), RATE_NOTE
        ),
    )


def _by(tallies: Sequence[Tally], tag: str) -> dict[str, list[Tally]]:
    found: dict[str, list[Tally]] = {}
    for tally in tallies:
        found.setdefault(tally.tags.get(tag, ""), []).append(tally)
    return dict(sorted(found.items()))
