"""Causes of issues: one wrong answer can break fifty cases, and one weakness shows in many photos.

Within a scene, conflicts about a class are between answers, or between an answer and what is known. Answers that
contradict what is known are one cause together: the same mistake, seen in every image. For the other conflicts, few
answers that explain them all are blamed, each for one cause (a greedy hitting set: finding the minimum is NP-hard).
Across scenes, causes of one kind and class are a pattern.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from anamorph.model import GRADES, Conflict, ConflictKind, Grade, surest
from anamorph.statistics.intervals import Interval, clustered

# The error of the blamed answer. If whole answers contradict each other, it is about their question, or about the
# relation if there is none.
CauseKind: TypeAlias = ConflictKind | Literal["answer", "relation"]
# Whether a baseline has it.
Standing: TypeAlias = Literal["new", "known"]

# A trigger or a companion is named if at least this share of a pattern's causes or scenes has it.
COMMON_SHARE = 0.6
# A companion class must be this many times more common in the scenes of a pattern than in all.
COMPANION_LIFT = 2.0
# Fewer causes or scenes do not show a commonality.
FEWEST_TRIGGERED = 2
FEWEST_ACCOMPANIED = 3
# Those beyond have hardly any cases: every question of a data set may be its own pattern.
MOST_PATTERNS = 500


@dataclass(frozen=True, slots=True)
class Trigger:
    """The edit of an image in words: "when a car is inserted"; a `general` one names no class."""

    words: str
    general: bool = False


@dataclass(frozen=True, slots=True)
class Violation:
    """A violated case of a scene. Its `probes`, and those of its conflicts, are row ids; `edits` counts the edits of
    the images. Without conflicts, it is about the `subject`: its question or its relation.
    """

    case: int
    method: str
    grade: Grade | None
    probes: tuple[int, ...]
    edits: int
    subject: tuple[Literal["answer", "relation"], str]
    conflicts: tuple[Conflict, ...] = ()


@dataclass(frozen=True, slots=True)
class SceneCause:
    """An answer blamed for issues of one scene: its kind of error, and the class or subject.

    It is the first of `answers` answers that contradict what is known alike. `grade` is the surest of its issues,
    `example` the clearest case: the surest, of these the one with the fewest edits, and then with the fewest conflicts.
    `standing` is None without a baseline.
    """

    what: CauseKind
    label: str
    grade: Grade | None
    blamed: int
    cases: tuple[int, ...]
    methods: tuple[str, ...]
    example: int
    answers: int = 1
    standing: Standing | None = None


def causes_of_scene(violations: Sequence[Violation]) -> list[SceneCause]:
    """The causes of a scene's issues, in the order of the plan."""
    by_label: dict[str, list[tuple[Violation, Conflict]]] = {}
    by_subject: dict[tuple[Literal["answer", "relation"], str], list[Violation]] = {}
    for violation in violations:
        for conflict in violation.conflicts:
            by_label.setdefault(conflict.label, []).append((violation, conflict))
        if not violation.conflicts:
            by_subject.setdefault(violation.subject, []).append(violation)
    found = [cause for label, some in by_label.items() for cause in _about_class(label, some)]
    found += [_about_subject(*subject, some) for subject, some in by_subject.items()]
    return sorted(found, key=lambda cause: (cause.cases[0], cause.label, cause.blamed))


def _about_class(label: str, found: Sequence[tuple[Violation, Conflict]]) -> list[SceneCause]:
    # An answer that stands alone against what is known is wrong in any case, and also explains its other conflicts.
    wrong = {conflict.probes[0] for _, conflict in found if len(conflict.probes) == 1}
    known = [each for each in found if not wrong.isdisjoint(each[1].probes)]
    open_ones = [each for each in found if wrong.isdisjoint(each[1].probes)]
    to_blame = blame([conflict for _, conflict in open_ones])
    grouped: dict[int, list[tuple[Violation, Conflict]]] = {}
    for violation, conflict in open_ones:
        grouped.setdefault(to_blame[conflict.probes], []).append((violation, conflict))
    causes = [_cause(label, blamed, some) for blamed, some in grouped.items()]
    return [*causes, _cause(label, min(wrong), known, len(wrong))] if known else causes


def _cause(label: str, blamed: int, found: Sequence[tuple[Violation, Conflict]], answers: int = 1) -> SceneCause:
    kinds = Counter((GRADES.index(conflict.grade), conflict.what) for _, conflict in found)
    (_, what), _ = min(kinds.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
    example = min(
        found, key=lambda each: (GRADES.index(each[1].grade), each[0].edits, len(each[0].conflicts), each[0].case)
    )
    return SceneCause(
        what,
        label,
        surest(conflict.grade for _, conflict in found),
        blamed,
        tuple(sorted({violation.case for violation, _ in found})),
        tuple(dict.fromkeys(violation.method for violation, _ in found)),
        example[0].case,
        answers,
    )


def _about_subject(what: CauseKind, subject: str, found: Sequence[Violation]) -> SceneCause:
    shared = Counter(probe for violation in found for probe in dict.fromkeys(violation.probes))
    blamed = min(shared, key=lambda probe: (-shared[probe], probe))
    example = min(found, key=lambda each: (grade_rank(each.grade), each.edits, each.case))
    return SceneCause(
        what,
        subject,
        surest(each.grade for each in found if each.grade is not None),
        blamed,
        tuple(sorted({each.case for each in found})),
        tuple(dict.fromkeys(each.method for each in found)),
        example.case,
    )


def blame(conflicts: Iterable[Conflict]) -> dict[tuple[int, ...], int]:
    """For each set of answers in conflict, the one to blame; together, few answers that explain all conflicts.

    Of answers that explain equally many, it is the one that changed: the silent one, or else the follow-up.
    """
    suspects: dict[tuple[int, ...], Counter[int]] = {}
    for conflict in conflicts:
        suspect = conflict.probes[0] if conflict.what == "gained" else conflict.probes[-1]
        suspects.setdefault(conflict.probes, Counter())[suspect] += 1
    to_blame: dict[tuple[int, ...], int] = {}
    chosen: list[int] = []
    while True:
        for probes in suspects:
            if probes not in to_blame:
                guilty = next((probe for probe in chosen if probe in probes), None)
                if guilty is not None:
                    to_blame[probes] = guilty
        left = [probes for probes in suspects if probes not in to_blame]
        if not left:
            return to_blame
        explains = Counter(probe for probes in left for probe in probes)
        doubted: Counter[int] = Counter()
        for probes in left:
            doubted.update(suspects[probes])
        chosen.append(min(explains, key=lambda probe: (-explains[probe], -doubted[probe], probe)))


def grade_rank(grade: Grade | None) -> int:
    """The rank of a grade, the surest first; None comes last."""
    return len(GRADES) if grade is None else GRADES.index(grade)


# --- patterns over scenes --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pattern:
    """Causes of one kind about one class or subject, over all scenes.

    `rate` is the share of the run's decided cases with it, `interval` its 95 % interval, clustered by photo.
    `trigger` and `companion` are what most of the causes, and most of their scenes, have in common.
    """

    what: CauseKind
    label: str
    grade: Grade | None
    causes: int
    scenes: int
    cases: int
    rate: float | None
    interval: Interval | None
    trigger: Trigger | None
    companion: str | None
    example: int


@dataclass(slots=True)
class _Count:
    causes: int = 0
    grade: Grade | None = None
    best: tuple[int, int, int] | None = None
    example: int = 0
    scenes: int = 0
    cases: dict[int, int] = field(default_factory=dict)
    triggers: Counter[Trigger] = field(default_factory=Counter)
    companions: Counter[str] = field(default_factory=Counter)


class PatternCounts:
    """Sums up causes scene by scene."""

    def __init__(self) -> None:
        self._counts: dict[tuple[CauseKind, str], _Count] = {}

    def add(
        self,
        cluster: int,
        causes: Iterable[SceneCause],
        triggers: Mapping[int, Iterable[Trigger]],
        classes: Iterable[str],
    ) -> None:
        """Add the causes of a scene, with the triggers of blamed answers and the classes of the scene."""
        grouped: dict[tuple[CauseKind, str], list[SceneCause]] = {}
        for cause in causes:
            grouped.setdefault((cause.what, cause.label), []).append(cause)
        beside = frozenset(classes)
        for key, some in grouped.items():
            count = self._counts.setdefault(key, _Count())
            count.scenes += 1
            count.companions.update(beside - {key[1]})
            cases = len({case for cause in some for case in cause.cases})
            count.cases[cluster] = count.cases.get(cluster, 0) + cases
            for cause in some:
                self._add(count, cause, triggers.get(cause.blamed, ()))

    def _add(self, count: _Count, cause: SceneCause, triggers: Iterable[Trigger]) -> None:
        count.causes += 1
        count.grade = surest(grade for grade in (count.grade, cause.grade) if grade is not None)
        count.triggers.update(list(dict.fromkeys(triggers)))
        best = (grade_rank(cause.grade), -len(cause.cases), cause.example)
        if count.best is None or best < count.best:
            count.best, count.example = best, cause.example

    def patterns(self, decided: Mapping[int, int], scenes: int, presence: Mapping[str, int]) -> list[Pattern]:
        """The patterns, the surest first, those about existence before those about numbers, then those of most scenes.

        `decided` has the decided cases by photo, `presence` how many of all `scenes` have each class.
        """
        ranked = sorted(
            self._counts.items(),
            key=lambda item: (
                grade_rank(item[1].grade),
                item[0][0] == "number",
                -item[1].scenes,
                -sum(item[1].cases.values()),
                item[0],
            ),
        )
        return [self._pattern(key, count, decided, scenes, presence) for key, count in ranked[:MOST_PATTERNS]]

    def __len__(self) -> int:
        return len(self._counts)

    def _pattern(
        self,
        key: tuple[CauseKind, str],
        count: _Count,
        decided: Mapping[int, int],
        scenes: int,
        presence: Mapping[str, int],
    ) -> Pattern:
        what, label = key
        cases, total = sum(count.cases.values()), sum(decided.values())
        return Pattern(
            what,
            label,
            count.grade,
            count.causes,
            count.scenes,
            cases,
            cases / total if total else None,
            clustered((number, count.cases.get(photo, 0)) for photo, number in decided.items()),
            _common_trigger(count),
            _companion(count, scenes, presence),
            count.example,
        )


def _common_trigger(count: _Count) -> Trigger | None:
    """The edit of most blamed images; with the class if one is common, else alone."""
    if count.causes < FEWEST_TRIGGERED:
        return None
    common = [(trigger, number) for trigger, number in count.triggers.items() if number >= COMMON_SHARE * count.causes]
    if not common:
        return None
    return min(common, key=lambda each: (each[0].general, -each[1], each[0].words))[0]


def _companion(count: _Count, scenes: int, presence: Mapping[str, int]) -> str | None:
    """The class that most of these scenes have, and few others."""
    if count.scenes < FEWEST_ACCOMPANIED:
        return None
    common = [
        (number, label)
        for label, number in count.companions.items()
        if number >= COMMON_SHARE * count.scenes
        and number / count.scenes >= COMPANION_LIFT * presence.get(label, scenes) / max(1, scenes)
    ]
    return min(common, key=lambda each: (-each[0], each[1]))[1] if common else None
