"""The error floor of a run as people read it: at least so many answers are false, whatever the photos show."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from anamorph.statistics.intervals import Interval, clustered
from anamorph.store.floors import FloorRow, outcomes_with_tag, photo_names, read_floors
from anamorph.store.run import RunStore

# Classes and photos that are shown, those with the most false answers first.
MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class FloorPart:
    """The floor of the answers about a relation, a class or a photo."""

    name: str
    answers: int
    fewest: int

    @property
    def share(self) -> float:
        return self.fewest / self.answers if self.answers else 0.0


@dataclass(frozen=True, slots=True)
class ErrorFloor:
    """At least `fewest` of `answers` are false; `exact` if a world is possible in which no more are.

    `interval` is the 95 % one of the share, over photos. `pairs` statements were asked together with their negations,
    and `opposite` of these pairs got opposite answers: symmetric accuracy, the share of pairs with both answers right,
    is at most that.
    """

    answers: int
    fewest: int
    exact: bool
    interval: Interval | None
    pairs: int
    opposite: int
    relations: tuple[FloorPart, ...]
    classes: tuple[FloorPart, ...]
    photos: tuple[FloorPart, ...]

    @property
    def share(self) -> float:
        return self.fewest / self.answers if self.answers else 0.0

    @property
    def symmetric(self) -> float | None:
        """The most that symmetric accuracy can be; None if no pair was asked."""
        return self.opposite / self.pairs if self.pairs else None

    @property
    def sentence(self) -> str:
        """ "At least 31 of 640 answers are false (4.8%), so accuracy is at most 95.2%." """
        answers = f"{self.answers:,} closed {'answer' if self.answers == 1 else 'answers'}"
        if not self.fewest:
            return f"The {answers} can all be true: none has to be false."
        are = "is" if self.fewest == 1 else "are"
        interval = "" if self.interval is None else f", 95% interval {self.interval[0]:.1%} to {self.interval[1]:.1%}"
        return (
            f"At least {self.fewest:,} of {answers} {are} false ({self.share:.1%}{interval}), whatever the photos "
            f"show: accuracy is at most {1 - self.share:.1%}."
        )

    @property
    def symmetric_sentence(self) -> str:
        """The result of statements and their negations; empty if none were asked."""
        if self.symmetric is None:
            return ""
        return (
            f"Symmetric accuracy is at most {self.symmetric:.1%}: {self.opposite:,} of {self.pairs:,} statements and "
            "their negations got opposite answers."
        )


def read_floor(store: RunStore) -> ErrorFloor | None:
    """The floor of a run; None if nothing in it is about closed answers."""
    total = next(iter(read_floors(store, "all")), None)
    if total is None or not total.answers:
        return None
    groups = [(row.answers, row.fewest) for row in read_floors(store, "group")]
    pairs = outcomes_with_tag(store, "relation", "negation")
    photos = [row for row in read_floors(store, "photo") if row.fewest][:MOST_SHOWN]
    return ErrorFloor(
        total.answers,
        total.fewest,
        bool(total.exact),
        clustered(groups),
        sum(pairs.values()),
        pairs.get("holds", 0),
        tuple(map(_part, read_floors(store, "relation"))),
        tuple(map(_part, read_floors(store, "class")[:MOST_SHOWN])),
        tuple(
            FloorPart(name, row.answers, row.fewest)
            for name, row in zip(photo_names(store, photos), photos, strict=True)
        ),
    )


def _part(row: FloorRow) -> FloorPart:
    return FloorPart(row.name, row.answers, row.fewest)


def floor_record(floor: ErrorFloor | None) -> dict[str, Any] | None:
    """The floor as plain JSON data."""
    if floor is None:
        return None
    return {
        **asdict(floor),
        "interval": None if floor.interval is None else list(floor.interval),
        "share": floor.share,
        "symmetric_accuracy_at_most": floor.symmetric,
        "sentence": floor.sentence,
    }
