"""Error rates from tallies: the share of decided cases that are violated, with its interval."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from anamorph.model import Bar, Tally
from anamorph.statistics.intervals import Interval, clustered, merged, wilson

RATE_NOTE = "Violated share of the decided cases; the lines are 95 % intervals, clustered by photo."
RATE_COLUMNS = ("cases", "violated", "undecided", "rate", "95 % interval")


@dataclass(frozen=True, slots=True)
class Rate:
    """Outcomes of some cases; `interval` is the rate's 95 % interval, None with fewer than two photos."""

    holds: int
    violated: int
    undecided: int
    interval: Interval | None

    @property
    def decided(self) -> int:
        return self.holds + self.violated

    @property
    def cases(self) -> int:
        return self.decided + self.undecided

    @property
    def share(self) -> float | None:
        """The rate; None if nothing was decided."""
        return self.violated / self.decided if self.decided else None

    @property
    def with_interval(self) -> tuple[float, float, float] | None:
        """The rate and the ends of its interval; None if there is none."""
        return None if self.share is None or self.interval is None else (self.share, *self.interval)

    def __str__(self) -> str:
        if self.share is None:
            return "nothing was decided"
        interval = "" if self.interval is None else f" (95 % interval {interval_cell(self.interval)})"
        return f"{self.share:.1%}{interval} of {self.decided} decided cases are violated"


def rate_of(tallies: Iterable[Tally]) -> Rate:
    """The rate of some tallies together; cases of tallies without photos count as independent."""
    several = list(tallies)
    holds, violated, undecided = (
        sum(getattr(tally, name) for tally in several) for name in ("holds", "violated", "undecided")
    )
    decided = holds + violated
    if not decided:
        return Rate(holds, violated, undecided, None)
    if all(tally.clusters for tally in several if tally.decided):
        interval = clustered(merged(tally.clusters for tally in several).values())
    else:
        interval = wilson(violated, decided)
    return Rate(holds, violated, undecided, interval)


def rate_cells(tallies: Iterable[Tally]) -> tuple[str | int | float, ...]:
    """The cells below `RATE_COLUMNS`; a dash if there is nothing to count."""
    rate = rate_of(tallies)
    left_open = f"{rate.undecided} ({rate.undecided / rate.cases:.1%})" if rate.undecided else "0"
    share = "-" if rate.share is None else f"{rate.share:.1%}"
    return (rate.cases, rate.violated, left_open, share, interval_cell(rate.interval))


def rate_bar(name: str, *series: Iterable[Tally]) -> Bar:
    """The rates of several series under one name; one without an interval is left out."""
    return Bar(name, tuple(rate_of(tallies).with_interval for tallies in series))


def interval_cell(interval: Interval | None) -> str:
    """An interval in percent, or a dash."""
    return "-" if interval is None else f"{100 * interval[0]:.1f} to {interval[1]:.1%}"
