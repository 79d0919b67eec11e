"""Tables for the summaries of several methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from anamorph.model import Table, Tally
from anamorph.statistics.rates import RATE_COLUMNS, rate_cells


def per_tag(title: str, column: str, tag: str, tallies: Sequence[Tally]) -> Table:
    """Outcomes for each value of a tag, in the order of the plan, and for all."""
    values = dict.fromkeys(tally.tags.get(tag, "") for tally in tallies)
    return per_group(title, column, values, lambda tally, value: tally.tags.get(tag, "") == value, tallies)


def per_group(
    title: str, column: str, groups: Iterable[str], belongs: Callable[[Tally, str], bool], tallies: Sequence[Tally]
) -> Table:
    """Outcomes for each group, and for all; a case may belong to several groups."""
    rows = [(name, *rate_cells(tally for tally in tallies if belongs(tally, name))) for name in groups]
    return Table(title, (column, *RATE_COLUMNS), (*rows, ("all", *rate_cells(tallies))))


def fewest_to_most(numbers: Iterable[int], one: str, many: str) -> str:
    """The range of some numbers, in words: "1 to 3 objects"."""
    found = sorted(numbers)
    if not found:
        return many
    if found[0] == found[-1]:
        return f"{found[0]} {one if found[0] == 1 else many}"
    return f"{found[0]} to {found[-1]} {many}"


def mr1_and_mr2(tallies: Sequence[Tally]) -> Table:
    """The reports that violate the first of two relations alone, the second alone, or both.

    If verdicts name other parts, such as quantity, each part is counted, and a report may be in several rows.
    """
    reports = sum(tally.violated for tally in tallies)
    names = dict.fromkeys(("mr1", "mr2", *(name for tally in tallies for name in tally.parts)))
    if len(names) > 2:
        parts = {name: sum(tally.parts.get(name, 0) for tally in tallies) for name in names}
        found = ((name.upper() if name in ("mr1", "mr2") else name, count) for name, count in parts.items())
        listed = tuple((name, count, share(count, reports)) for name, count in (*found, ("all", reports)))
        return Table("Per relation", ("violated", "reports", "share"), listed)
    first = sum(tally.parts.get("mr1", 0) for tally in tallies)
    second = sum(tally.parts.get("mr2", 0) for tally in tallies)
    both = first + second - reports
    counts = {"MR1 alone": first - both, "MR2 alone": second - both, "both": both, "all": reports}
    rows = tuple((name, count, share(count, reports)) for name, count in counts.items())
    return Table("Per relation", ("violated", "reports", "share"), rows)


def relations_by_tag(title: str, column: str, tag: str, tallies: Sequence[Tally]) -> Table:
    """Reports of the first of two relations alone and of both, for each value of a tag and for all."""
    values = dict.fromkeys(tally.tags.get(tag, "") for tally in tallies)
    groups = [(value, [tally for tally in tallies if tally.tags.get(tag, "") == value]) for value in values]
    rows: list[tuple[str | int | float, ...]] = []
    for name, own in (*groups, ("all", list(tallies))):
        decided = sum(tally.decided for tally in own)
        counts = [sum(tally.parts.get(part, 0) for tally in own) for part in ("mr1", "mr2")]
        cells = (f"{count} ({share(count, decided)})" for count in (*counts, sum(tally.violated for tally in own)))
        rows.append((name, decided, *cells))
    return Table(title, (column, "decided", "MR1", "MR2", "MR1 + MR2"), tuple(rows))


def kinds_of_error(tallies: Sequence[Tally]) -> tuple[Table, ...]:
    """The number of reports with each kind of error, if any; a report may have several."""
    reports = sum(tally.violated for tally in tallies)
    kinds = sorted({kind for tally in tallies for kind in tally.categories})
    counts = {kind: sum(tally.categories.get(kind, 0) for tally in tallies) for kind in kinds}
    rows = tuple((kind, count, share(count, reports)) for kind, count in counts.items())
    return (Table("Kinds of error", ("kind", "reports", "share"), rows),) if rows else ()


def share(part: int, whole: int) -> str:
    """A part of a whole in per cent, or a dash without a whole."""
    return f"{part / whole:.1%}" if whole else "-"
