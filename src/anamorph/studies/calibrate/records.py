"""Results of a calibration: how many reports were right, and how many wrong answers were reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from anamorph.statistics.intervals import Interval
from anamorph.studies.calibrate.floors import FloorTrial
from anamorph.studies.calibrate.styles import STYLES
from anamorph.toybox.faults.system import FAULTS

# A relation with a lower precision needs an explanation, or a fix.
PRECISE = 0.9


@dataclass(frozen=True, slots=True)
class Share:
    """A number of hits out of a total; the 95 % interval is clustered by scene, None for fewer than two scenes."""

    hits: int
    total: int
    interval: Interval | None = None

    @property
    def value(self) -> float | None:
        """The share; None if there was nothing to count."""
        return self.hits / self.total if self.total else None


@dataclass(frozen=True, slots=True)
class Example:
    """One case to look at: its scene and tags, the verdict's reason, and each answer with what is wrong with it."""

    case: str
    scene: str
    tags: str
    reason: str
    answers: tuple[str, ...]
    wrong: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Measurement:
    """One system, method and relation, measured against the truth.

    `precision` is the share of the reports that are right, `recall` the share of the decided cases with a wrong answer
    that are reported. Cases that are undecided, or whose answers cannot be compared with the truth (`untold`), count
    for neither. `violated` is the share of all decided cases that is reported: on a system with a `style`, which says
    nothing false, every one of them is a false alarm, also where it leaves things out. `by_grade` counts them, where
    the relation grades.

    Reports are what is proved. `suspected` is the share of the decided cases that raised a suspicion, and
    `recall_suspected` what the recall would be if each were a report; `refuted`, `unfair` and `leads` count the cases
    that proving settled otherwise. `recall_alone` and `violated_alone` are by captions alone, without the witness.
    """

    system: str
    form: str
    fault: str | None
    method: str
    relation: str
    cases: int
    undecided: int
    untold: int
    precision: Share
    recall: Share
    violated: Share
    recall_by_category: Mapping[str, Share] = field(default_factory=dict)
    precision_by_category: Mapping[str, Share] = field(default_factory=dict)
    false_alarms: tuple[Example, ...] = ()
    missed: tuple[Example, ...] = ()
    style: str | None = None
    by_grade: Mapping[str, int] = field(default_factory=dict)
    refuted: int = 0
    unfair: int = 0
    leads: int = 0
    suspected: Share = Share(0, 0)
    recall_suspected: Share = Share(0, 0)
    recall_alone: Share | None = None
    violated_alone: Share | None = None

    @property
    def reports(self) -> int:
        """The violated cases that can be compared with the truth."""
        return self.precision.total

    @property
    def right(self) -> int:
        """The reports of cases with at least one wrong answer."""
        return self.precision.hits

    @property
    def wrong(self) -> int:
        """The decided cases with at least one wrong answer."""
        return self.recall.total


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A system and a method that do not fit together, and why."""

    system: str
    form: str
    method: str
    reason: str


@dataclass(frozen=True, slots=True)
class Calibration:
    """Everything that was measured, and on what."""

    scenes: int
    seed: int
    rate: float
    measurements: tuple[Measurement, ...]
    left_out: tuple[LeftOut, ...]
    floors: tuple[FloorTrial, ...] = ()

    @property
    def of_systems(self) -> tuple[Measurement, ...]:
        """Those of systems as they are."""
        return tuple(each for each in self.measurements if each.system != TRUTH)

    @property
    def of_faults(self) -> tuple[Measurement, ...]:
        """Those of the truthful system, without and with each fault."""
        return tuple(each for each in self.measurements if each.system == TRUTH and each.style is None)

    @property
    def of_styles(self) -> tuple[Measurement, ...]:
        """Those of systems that tell the truth in ways of their own, style by style."""
        found = [each for each in self.measurements if each.style is not None]
        return tuple(sorted(found, key=lambda each: [str(style) for style in STYLES].index(each.style or "")))

    @property
    def faults(self) -> tuple[str, ...]:
        """The faults that were injected, in order."""
        found = {each.fault for each in self.of_faults}
        return tuple(fault for fault in FAULTS if fault in found)


# The name of the system that always says what is visible; faults are injected into its answers.
TRUTH = "truth"


def matrix(measurements: Sequence[Measurement]) -> dict[tuple[str, str, str], dict[str | None, Measurement]]:
    """Measurements of the truthful system by (form, method, relation), then by fault; None is without a fault."""
    found: dict[tuple[str, str, str], dict[str | None, Measurement]] = {}
    for each in measurements:
        found.setdefault((each.form, each.method, each.relation), {})[each.fault] = each
    return found
