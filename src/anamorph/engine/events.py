"""Events of the engine, for progress bars, JSON logs and tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from anamorph.model import Outcome

Stage: TypeAlias = Literal["scan", "plan", "render", "ask", "read", "judge", "prove"]


@dataclass(frozen=True, slots=True)
class StageBegan:
    """A stage begins; `total` is how many items it has, where that is known."""

    stage: Stage
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Scanned:
    """A scene was found."""

    scene: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """An input could not be used."""

    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class Segmented:
    """The segmenter is done: photos that it looked at, photos that the cache knew, failures, and objects found."""

    looked: int
    recalled: int
    failed: int
    things: int


@dataclass(frozen=True, slots=True)
class PoolBuilt:
    """Objects of some classes were cut out of the run's own scenes, to be inserted into others.

    `rejected` counts by reason what was left out, `recognised` says whether a recogniser looked at them.
    """

    cutouts: int
    classes: int
    rejected: tuple[tuple[str, int], ...] = ()
    recognised: bool = False


@dataclass(frozen=True, slots=True)
class PlannedSome:
    """This many cases have been planned so far."""

    cases: int


@dataclass(frozen=True, slots=True)
class PlannedFurther:
    """A later round of planning: `probes` are new, and there are `cases` in all."""

    round: int
    cases: int
    probes: int


@dataclass(frozen=True, slots=True)
class Omitted:
    """A method left out `count` objects, scenes or pairs (`noun`) for one reason."""

    method: str
    noun: str
    reason: str
    count: int


@dataclass(frozen=True, slots=True)
class Planned:
    """The plan is complete."""

    cases: int
    images: int
    probes: int


@dataclass(frozen=True, slots=True)
class ReadSome:
    """This many answers have been read so far by a reader that asks."""

    answers: int


@dataclass(frozen=True, slots=True)
class Advised:
    """Something that would make the run better."""

    advice: str


@dataclass(frozen=True, slots=True)
class Rendered:
    """An image was made."""

    image: int


@dataclass(frozen=True, slots=True)
class RenderFailed:
    """An image could not be made, so its probes are not asked now."""

    image: int
    probes: int
    reason: str


@dataclass(frozen=True, slots=True)
class Discarded:
    """A check found an image unusable, so its probes are not asked."""

    image: int
    probes: int
    reason: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The system answered one probe; `recalled` if the answer came from the cache."""

    probe: str
    attempt: int
    seconds: float
    tries: int
    recalled: bool


@dataclass(frozen=True, slots=True)
class AskFailed:
    """A probe has no answer after all tries."""

    probe: str
    attempt: int
    reason: str
    tries: int


@dataclass(frozen=True, slots=True)
class Retrying:
    """A call failed and will be tried again after a pause."""

    reason: str
    wait_seconds: float


@dataclass(frozen=True, slots=True)
class BudgetSpent:
    """Asking ended because another call would exceed the budget; `lacking` answers are missing."""

    budget: float
    spent: float
    images_sent: int
    lacking: int


@dataclass(frozen=True, slots=True)
class StoppedByRule:
    """Asking ended because a rule was met, such as a time; `lacking` answers are missing."""

    rule: str
    lacking: int


@dataclass(frozen=True, slots=True)
class Judged:
    """A case was judged."""

    case: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class ProofPlanned:
    """A round of closed questions was planned: `calls` to settle `suspicions` that are open."""

    round: int
    suspicions: int
    calls: int


@dataclass(frozen=True, slots=True)
class Settled:
    """The outcomes of all suspicions."""

    proved: int
    refuted: int
    unfair: int
    leads: int
    undecided: int


@dataclass(frozen=True, slots=True)
class RequestsWritten:
    """Answers that are made elsewhere are missing, and their requests were written to files."""

    requests: int
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """The run is complete."""

    holds: int
    violated: int
    undecided: int


Event: TypeAlias = (
    StageBegan
    | Scanned
    | Skipped
    | Segmented
    | PoolBuilt
    | PlannedSome
    | Omitted
    | Planned
    | PlannedFurther
    | ReadSome
    | Advised
    | Rendered
    | RenderFailed
    | Discarded
    | Answered
    | AskFailed
    | Retrying
    | BudgetSpent
    | StoppedByRule
    | Judged
    | ProofPlanned
    | Settled
    | RequestsWritten
    | Finished
)
