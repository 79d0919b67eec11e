"""The verdict on a case, and its evidence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Outcome: TypeAlias = Literal["holds", "violated", "undecided"]
# How sure it is that something is wrong, the surest first. A contradiction is among claims: whatever the photo shows,
# at least one answer is false. An invention needs the annotations to be complete, a miscount a number that may not have
# been meant to be all, an omission silence to mean absence: the last two may only be terse.
Grade: TypeAlias = Literal["contradiction", "invention", "miscount", "omission"]
GRADES: tuple[Grade, ...] = ("contradiction", "invention", "miscount", "omission")
# How two answers, or an answer and what is known of the scene, disagree about a class; "described" is about colours and
# deeds.
ConflictKind: TypeAlias = Literal["lost", "gained", "missing", "invented", "gone", "number", "described"]


# What asking directly made of an issue that might only be terse: still in conflict, in harmony, or not known.
Confirmation: TypeAlias = Literal["confirmed", "dismissed", "unconfirmed"]


def surest(grades: Iterable[Grade]) -> Grade | None:
    """The surest of some grades; None if there is none."""
    return min(grades, key=GRADES.index, default=None)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A stretch of one answer that proves the verdict; `probe` 0 is the source."""

    probe: int
    text: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """A smallest set of statements about one class that cannot all be true: the answers to these `probes`.

    `known` is True where what is known of the scene is among the statements.
    """

    label: str
    grade: Grade
    what: ConflictKind
    probes: tuple[int, ...]
    known: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a relation holds, with the reason as a sentence.

    `violated` names the parts of the relation that fail (such as mr1), `categories` the kinds of error, or the group
    that a holding case is in. `score`, from 0 to 1, is for relations that grade. A case holds vacuously where no answer
    states anything about a class that the relation is about.

    `grade` says how sure a violation is, by its surest conflict. `wrong_anyway` says whether the answer to the source
    contradicts what is known of it by itself, so that the edit revealed nothing new; None where nothing is known.
    `confirmation` is for issues that might only be terse and were asked about; a dismissed one holds, and keeps its
    conflicts.
    """

    outcome: Outcome
    reason: str
    violated: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    score: float | None = None
    vacuous: bool = False
    grade: Grade | None = None
    conflicts: tuple[Conflict, ...] = ()
    wrong_anyway: bool | None = None
    confirmation: Confirmation | None = None

    def __post_init__(self) -> None:
        if self.vacuous and self.outcome != "holds":
            raise ValueError(f"only a case that holds can do so vacuously, and this one is {self.outcome}")
