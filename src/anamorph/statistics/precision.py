"""Precision: the share of reviewed issues that are right, with its interval."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from anamorph.model import ReviewedIssue, Table
from anamorph.statistics.intervals import Interval, clustered
from anamorph.statistics.rates import interval_cell

PRECISION_COLUMNS = ("reviewed", "right", "wrong", "unsure", "precision", "95 % interval")


@dataclass(frozen=True, slots=True)
class Precision:
    """Reviewers' decisions about some issues; `interval` is that of the share, None with fewer than two photos."""

    right: int
    wrong: int
    unsure: int
    interval: Interval | None

    @property
    def decided(self) -> int:
        return self.right + self.wrong

    @property
    def reviewed(self) -> int:
        return self.decided + self.unsure

    @property
    def share(self) -> float | None:
        """right / (right + wrong); None if nothing was decided."""
        return self.right / self.decided if self.decided else None

    def __str__(self) -> str:
        if self.share is None:
            return "nothing was decided"
        interval = "" if self.interval is None else f" (95 % interval {interval_cell(self.interval)})"
        return f"{self.share:.1%}{interval}: {self.right} right, {self.wrong} wrong, {self.unsure} unsure"


def precision_of(issues: Iterable[ReviewedIssue]) -> Precision:
    """The precision of some issues; its interval is clustered by photo."""
    counts = {"right": 0, "wrong": 0, "unsure": 0}
    photos: dict[str, tuple[int, int]] = {}
    for issue in issues:
        counts[issue.decision] += 1
        if issue.decision != "unsure":
            decided, right = photos.get(issue.photo, (0, 0))
            photos[issue.photo] = (decided + 1, right + (issue.decision == "right"))
    return Precision(counts["right"], counts["wrong"], counts["unsure"], clustered(photos.values()))


def precision_cells(issues: Iterable[ReviewedIssue]) -> tuple[str | int | float, ...]:
    """The cells below `PRECISION_COLUMNS`; a dash if there is nothing to count."""
    found = precision_of(issues)
    share = "-" if found.share is None else f"{found.share:.1%}"
    return (found.reviewed, found.right, found.wrong, found.unsure, share, interval_cell(found.interval))


def precision_table(
    title: str,
    column: str,
    issues: Sequence[ReviewedIssue],
    groups_of: Callable[[ReviewedIssue], Iterable[str]],
    order: Sequence[str] = (),
    ends: int | None = None,
) -> Table:
    """The precision of each group, those of `order` first, and of all; an issue may be in several groups."""
    found: dict[str, list[ReviewedIssue]] = {name: [] for name in order}
    for issue in issues:
        for name in groups_of(issue):
            found.setdefault(name, []).append(issue)
    rows = [(name, *precision_cells(some)) for name, some in found.items() if some]
    return Table(title, (column, *PRECISION_COLUMNS), (*rows, ("all", *precision_cells(issues))), ends)
