"""The verdict on a case, and its evidence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, get_args

# A relation says holds, violated or undecided. A violation that could not be proved is a lead: kept and shown
# apart, and not counted in any rate or gate.
Outcome: TypeAlias = Literal["holds", "violated", "lead", "undecided"]
# How sure it is that something is wrong, the surest first. A contradiction is among claims: whatever the photo shows,
# at least one answer is false. An invention needs the annotations to be complete, a miscount a number that may not have
# been meant to be all, an omission silence to mean absence: the last two may only be terse.
Grade: TypeAlias = Literal["contradiction", "invention", "miscount", "omission"]
GRADES: tuple[Grade, ...] = ("contradiction", "invention", "miscount", "omission")
# How two answers, or an answer and what is known of the scene, disagree about a class; "described" is about colors and
# actions, "answer" about an explicit question, "existence" about closed answers that disagree whether there is any.
ConflictKind: TypeAlias = Literal[
    "lost", "gained", "missing", "invented", "gone", "existence", "number", "described", "answer"
]

# What proving made of a suspicion. Proved: closed answers cannot all be right. Unfair: they can, because the edit did
# something else than it should, as the system itself sees it. Refuted: they agree. Lead: it cannot be proved.
# Undecided: an answer is missing or cannot be read. Open: not looked at yet.
SuspicionState: TypeAlias = Literal["proved", "undecided", "lead", "unfair", "refuted", "open"]
SUSPICION_STATES: tuple[SuspicionState, ...] = get_args(SuspicionState)


def surest(grades: Iterable[Grade]) -> Grade | None:
    """The surest grade, or None."""
    return min(grades, key=GRADES.index, default=None)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A span of one answer that proves the verdict; `probe` 0 is the source."""

    probe: int
    text: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """A smallest set of statements about one class that cannot all be true: the answers to these `probes`.

    `known`: what is known of the scene is among the statements. It is a suspicion until proved; `why` is the reason for
    its state.
    """

    label: str
    grade: Grade
    what: ConflictKind
    probes: tuple[int, ...]
    known: bool = False
    state: SuspicionState = "open"
    why: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a relation holds, with the reason as a sentence.

    `violated` names the parts of the relation that fail (such as mr1), `categories` the kinds of error, or the group
    that a holding case is in. `score`, from 0 to 1, is for relations that grade. A case holds vacuously if no answer
    states anything about a class of the relation.

    `grade` says how sure a violation is, by its surest conflict. `wrong_anyway` says whether the answer to the source
    contradicts what is known of it by itself, so that the edit revealed nothing new; None if nothing is known.
    `conflicts` are the suspicions that it raises. Once these are settled, a case is violated if one is proved, and
    holds if all are refuted or rest on an unfair edit.
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

    def __post_init__(self) -> None:
        if self.vacuous and self.outcome != "holds":
            raise ValueError(f"only a case that holds can be vacuous, and this one is {self.outcome}")

    @property
    def state(self) -> SuspicionState | None:
        """The weightiest state of its suspicions; None if it raised none."""
        return min((each.state for each in self.conflicts), key=SUSPICION_STATES.index, default=None)


class KnownNumber(Protocol):
    """How many objects of a class a scene is known to have; `most` is None if unknown."""

    @property
    def label(self) -> str: ...

    @property
    def least(self) -> int: ...

    @property
    def most(self) -> int | None: ...
