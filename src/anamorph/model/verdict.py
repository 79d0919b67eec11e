"""The verdict on a case, and its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Outcome: TypeAlias = Literal["holds", "violated", "undecided"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A stretch of one answer that proves the verdict; `probe` 0 is the source."""

    probe: int
    text: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a relation holds, with the reason as a sentence.

    `violated` names the parts of the relation that fail (such as mr1), `categories` the kinds of error, or the group
    that a holding case is in. `score`, from 0 to 1, is for relations that grade. A case holds vacuously where no answer
    states anything about a class that the relation is about.
    """

    outcome: Outcome
    reason: str
    violated: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    score: float | None = None
    vacuous: bool = False

    def __post_init__(self) -> None:
        if self.vacuous and self.outcome != "holds":
            raise ValueError(f"only a case that holds can do so vacuously, and this one is {self.outcome}")
