"""The results of a run: counts, and the tables and figures that a method makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from anamorph.model.verdict import Grade

# A person's decision on a reported issue: right, false alarm, or cannot say.
Decision: TypeAlias = Literal["right", "wrong", "unsure"]


@dataclass(frozen=True, slots=True)
class Tally:
    """Outcomes of the cases that share a method, a relation and tags.

    `parts` counts the failed parts of the relation (such as mr1; one case may have several), `categories` the kinds,
    also of cases that hold. `clusters` has (decided, violated) by photo, for intervals: cases of one photo are not
    independent. `graded` cases have a score from 0 to 1, and `score` is the sum of these. Of the cases that hold,
    `vacuous` ones do so vacuously, and `leads` raised a suspicion that was not proved.
    """

    method: str
    relation: str
    tags: Mapping[str, str]
    holds: int
    violated: int
    undecided: int
    parts: Mapping[str, int] = field(default_factory=dict)
    categories: Mapping[str, int] = field(default_factory=dict)
    clusters: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    graded: int = 0
    score: float = 0.0
    vacuous: int = 0
    leads: int = 0

    @property
    def decided(self) -> int:
        return self.holds + self.violated


@dataclass(frozen=True, slots=True)
class ReviewedIssue:
    """A reviewed issue, and the decision.

    `photo` names the photo, for intervals. `parts` are the failed parts of the relation (such as mr1), `edits` the
    kinds of the edits behind the answers that the verdict is about.
    """

    method: str
    relation: str
    photo: str
    decision: Decision
    grade: Grade | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    parts: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    edits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a method's summary: a title, columns, and rows of text or numbers.

    People are shown the first and last `ends` rows of a long one; files have all.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float, ...], ...]
    ends: int | None = None

    @property
    def hidden(self) -> int:
        """How many rows are hidden from people."""
        return 0 if self.ends is None else max(0, len(self.rows) - 2 * self.ends)

    def shown(self) -> tuple[tuple[str | int | float, ...], ...]:
        """The rows that people are shown; a row of ellipses stands for hidden ones."""
        if not self.hidden or self.ends is None:
            return self.rows
        return (*self.rows[: self.ends], ("\u2026",) * len(self.columns), *self.rows[len(self.rows) - self.ends :])


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Values from 0 to 1 for pairs of names, each pair once: a triangle. None if there is a pair but no value."""

    title: str
    names: tuple[str, ...]
    cells: tuple[tuple[str, str, float | None], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """Rates under one name, one for each series, as (rate, low, high); None if there is none."""

    name: str
    rates: tuple[tuple[float, float, float] | None, ...]


@dataclass(frozen=True, slots=True)
class Bars:
    """Rates with their intervals, side by side for one or more series."""

    title: str
    series: tuple[str, ...]
    bars: tuple[Bar, ...]
    note: str = ""


# Plain data; the report draws it.
Figure: TypeAlias = HeatMap | Bars
Summary: TypeAlias = tuple[Table | Figure, ...]
