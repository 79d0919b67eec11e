"""Causes of issues, within a scene, and patterns over scenes, in words."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from anamorph.engine.causes import CauseSorter, group_issues
from anamorph.model import Grade, decode
from anamorph.reading.nouns import counted
from anamorph.report.wording import in_words
from anamorph.statistics.blame import CauseKind, Pattern, Standing
from anamorph.store.causes import (
    StoredCause,
    case_digests,
    causes_of_cases,
    has_causes,
    stored_causes,
    stored_patterns,
)
from anamorph.store.probes import probe_rows
from anamorph.store.run import RunStore
from anamorph.store.scene_labels import SceneLabels

_BATCH = 100

# The words of a grade for people who never read about it.
GRADE_WORDS: Mapping[Grade, str] = {
    "contradiction": "whatever the photo shows, at least one of the answers is false",
    "invention": "something is named that is not among the known objects: as sure as the annotations are complete",
    "miscount": "numbers that cannot both be all there are",
    "omission": "something is left out of an answer",
}
# What is judged as published has no grade.
UNGRADED = "ungraded"
JUDGED_AS_PUBLISHED = "judged as published, without a grade"
_DEEDS: Mapping[CauseKind, str] = {
    "lost": "loses {}",
    "gained": "newly names {}",
    "missing": "leaves out {}",
    "invented": "invents {}",
    "gone": "still names {} after the last one was removed",
    "existence": "sees {} in one image and denies it in another",
    "number": "miscounts {}",
    "described": "misdescribes {}",
    "answer": "contradicts itself on {}",
    "relation": "violates {}",
}


@dataclass(frozen=True, slots=True)
class Cause:
    """An answer that is to blame for issues of one scene.

    `blamed` is the digest of its probe, `edits` what was done to its image; it is the first of `answers` answers that
    contradict what is known alike. `example` is the digest of the clearest of its `issues` cases. `standing` says
    whether a baseline knows it; None without a baseline.
    """

    digest: str
    what: CauseKind
    label: str
    grade: Grade | None
    scene: str
    blamed: str
    edits: tuple[str, ...]
    issues: int
    methods: tuple[str, ...]
    example: str
    answers: int = 1
    standing: Standing | None = None

    @property
    def words(self) -> str:
        """The error as a predicate: "loses 'person'"."""
        return deed(self.what, self.label)


def deed(what: CauseKind, label: str) -> str:
    """An error as a predicate."""
    return _DEEDS[what].format(label if what == "relation" else repr(label))


@dataclass(frozen=True, slots=True)
class ShownPattern:
    """A pattern over scenes, and the digest of its clearest case."""

    pattern: Pattern
    example: str

    @property
    def words(self) -> str:
        """The error and its trigger: "loses 'person' when a car is inserted, in scenes with a dining table"."""
        pattern = self.pattern
        trigger = "" if pattern.trigger is None else f" {pattern.trigger.words}"
        company = "" if pattern.companion is None else f", in scenes with {counted(pattern.companion, 1)}"
        return f"{deed(pattern.what, pattern.label)}{trigger}{company}"

    @property
    def counts(self) -> str:
        """How often: "12 issues from 3 causes in 2 photos"."""
        pattern = self.pattern
        photos = "1 photo" if pattern.scenes == 1 else f"{pattern.scenes:,} photos"
        return f"{issues_from_causes(pattern.cases, pattern.causes)} in {photos}"


def issues_from_causes(issues: int, causes: int) -> str:
    """ "8 issues from 3 causes"; an issue may have several, where its answers err about several classes."""
    few, many = ("issue" if issues == 1 else "issues"), ("cause" if causes == 1 else "causes")
    if causes <= issues:
        return f"{issues:,} {few} from {causes:,} {many}"
    return f"{issues:,} {few} with {causes:,} {many}, some wrong about several things"


def find_causes(store: RunStore, sorter: CauseSorter | None = None) -> list[ShownPattern]:
    """The patterns of a run, with its causes at hand: as its stage found them, or against a baseline."""
    if sorter is not None or not has_causes(store):
        group_issues(store, sorter, beside=True)
    patterns = [decode(Pattern, plain) for plain in stored_patterns(store)]
    digests = case_digests(store, [pattern.example for pattern in patterns])
    return [ShownPattern(pattern, digests[pattern.example]) for pattern in patterns]


def read_causes(store: RunStore) -> Iterator[Cause]:
    """Every cause, the surest and then the commonest first."""
    ensure_causes(store)
    found = stored_causes(store)
    labels = SceneLabels(store)
    while batch := list(itertools.islice(found, _BATCH)):
        yield from _shown(store, batch, labels)


def causes_of(store: RunStore, cases: Sequence[int], labels: SceneLabels | None = None) -> dict[int, tuple[Cause, ...]]:
    """The causes of some issues, the first one first; `labels` remembers scenes from one call to the next."""
    ensure_causes(store)
    by_case = causes_of_cases(store, cases)
    distinct = {cause.rank: cause for causes in by_case.values() for cause in causes}
    shown = dict(zip(distinct, _shown(store, list(distinct.values()), labels or SceneLabels(store)), strict=True))
    return {case: tuple(shown[cause.rank] for cause in causes) for case, causes in by_case.items()}


def ensure_causes(store: RunStore) -> None:
    """Group the issues, unless that was done through this connection already."""
    if not has_causes(store):
        group_issues(store, beside=True)


def _shown(store: RunStore, causes: Sequence[StoredCause], labels: SceneLabels) -> Iterable[Cause]:
    rows = probe_rows(store, [cause.blamed for cause in causes])
    for cause in causes:
        probe = rows[cause.blamed]
        by_id = labels.of(cause.scene).by_id
        yield Cause(
            cause.digest,
            cause.what,
            cause.label,
            cause.grade,
            probe.scene_name,
            probe.digest,
            tuple(in_words(edit, by_id) for edit in json.loads(probe.edits)),
            cause.cases,
            cause.methods,
            cause.example,
            cause.answers,
            cause.standing,
        )
