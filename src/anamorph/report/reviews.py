"""Reviewers' marks, joined with the issues of a run that they still fit."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from anamorph.model import Answer, Decision, ReviewedIssue, Verdict
from anamorph.report.suspicions import told_conflicts
from anamorph.statistics.agreement import cohen, fleiss, jackknifed
from anamorph.statistics.intervals import Interval
from anamorph.statistics.precision import Precision, precision_of
from anamorph.store.answers import answers_of
from anamorph.store.marks import (
    FALSE_ALARMS,
    MARKS_FILE,
    CorrectedCaption,
    Mark,
    MarkKey,
    MarkLine,
    answers_digest,
    corrected,
    effective,
    read_marks,
    time_of,
)
from anamorph.store.probes import captioned, probe_rows
from anamorph.store.run import RunStore
from anamorph.store.verdicts import StoredCase, cases_by_digest, verdict_of

T = TypeVar("T")

# Where reviewers of a false alarm gave no cause, or as many gave one as gave another.
NOT_SAID, NOT_AGREED = "not said", "not agreed"


@dataclass(frozen=True, slots=True)
class IssueReview:
    """An issue of a run with the marks of all who looked at it, by reviewer."""

    case: str
    answers: str
    scene: str
    method: str
    relation: str
    verdict: Verdict
    tags: Mapping[str, str]
    edits: tuple[str, ...]
    marks: Mapping[str, Mark]

    @property
    def decision(self) -> Decision:
        """The majority verdict; unsure on a tie."""
        return majority(mark.verdict for mark in self.marks.values())

    @property
    def false_alarm(self) -> str:
        """Why it is a false alarm, as most say who called it one."""
        given = [mark.false_alarm for mark in self.marks.values() if mark.verdict == "wrong" and mark.false_alarm]
        return (_leader(given) or NOT_AGREED) if given else NOT_SAID

    @property
    def errors(self) -> tuple[str, ...]:
        """The kinds of error that at least half of those name who call the report right; or that none was said."""
        right = [mark.errors for mark in self.marks.values() if mark.verdict == "right" and mark.errors]
        counts = Counter(kind for kinds in right for kind in kinds)
        return tuple(kind for kind, count in counts.items() if 2 * count >= len(right)) or (NOT_SAID,)

    @property
    def wrong_answer(self) -> str:
        """Which answer is wrong, as most say who call the report right."""
        given = [mark.wrong_answer for mark in self.marks.values() if mark.wrong_answer is not None]
        if not given:
            return NOT_SAID
        place = _leader(given)
        return NOT_AGREED if place is None else "source" if place == 0 else f"follow-up {place}"

    @property
    def agreed(self) -> bool:
        return len({mark.verdict for mark in self.marks.values()}) == 1

    @property
    def tied(self) -> bool:
        """Whether as many reviewers said one thing as said another."""
        return _leader(mark.verdict for mark in self.marks.values()) is None

    @property
    def reviewed(self) -> ReviewedIssue:
        """The raw counts behind the tables."""
        return ReviewedIssue(
            self.method,
            self.relation,
            self.scene,
            self.decision,
            self.verdict.grade,
            self.tags,
            self.verdict.violated,
            self.verdict.categories,
            self.edits,
        )


@dataclass(frozen=True, slots=True)
class RunReviews:
    """The reviewed issues of a run, in the order of its plan, and how many marks do not fit any more.

    `changed` marks are about other answers than the run has, `dropped` ones about cases that are no issue any more.
    Marks of cases that the run does not have are of other runs, and not counted.
    """

    issues: tuple[IssueReview, ...] = ()
    changed: int = 0
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Kappa:
    """How far reviewers agree beyond chance: Cohen's kappa for two, Fleiss' for more, over `issues` that all marked.

    None if it is undefined: without such issues, or if chance alone would make them agree.
    """

    name: str
    reviewers: tuple[str, ...]
    issues: int
    value: float | None
    interval: Interval | None

    def __str__(self) -> str:
        value = "not defined" if self.value is None else f"{self.value:.3f}"
        interval = "" if self.interval is None else f" (95 % interval {self.interval[0]:.3f} to {self.interval[1]:.3f})"
        return f"{self.name} of {', '.join(self.reviewers)}: {value}{interval}, {self.issues} issues marked by all"


@dataclass(frozen=True, slots=True)
class ReviewNumbers:
    """Reviews in numbers: precision, false alarms by cause, agreement, and marks that do not fit any more."""

    reviewers: tuple[str, ...]
    precision: Precision
    false_alarms: tuple[tuple[str, int], ...]
    kappa: Kappa | None
    disagreements: int
    changed: int
    dropped: int
    split: int = 0
    # Of the reports that are right: how many have each kind of error, and which answer is wrong in how many.
    errors: tuple[tuple[str, int], ...] = ()
    wrong_answers: tuple[tuple[str, int], ...] = ()

    @property
    def sentence(self) -> str:
        """The precision, in words."""
        people = "1 reviewer" if len(self.reviewers) == 1 else f"{len(self.reviewers)} reviewers"
        issues = "1 issue" if self.precision.reviewed == 1 else f"{self.precision.reviewed:,} issues"
        return f"{people} looked at {issues}. Precision {self.precision}."

    @property
    def remarks(self) -> tuple[str, ...]:
        """Notes for the reader: ties, and marks that do not count."""
        said = []
        if self.split:
            count = "it counts" if self.split == 1 else "they count"
            said.append(f"Reviewers are split evenly over {_issues(self.split)}: {count} as unsure, for no precision.")
        if self.changed:
            said.append(f"{_marks(self.changed)} about other answers than the run has now, and not counted.")
        if self.dropped:
            said.append(f"{_marks(self.dropped)} about cases that are no longer issues, and not counted.")
        return tuple(said)


def majority(verdicts: Iterable[Decision]) -> Decision:
    """The majority verdict; unsure on a tie or without votes."""
    return _leader(verdicts) or "unsure"


def _leader(given: Iterable[T]) -> T | None:
    """The most frequent value; None on a tie or without values."""
    ranked = Counter(given).most_common(2)
    return None if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]) else ranked[0][0]


def marks_of_run(store: RunStore, files: Iterable[Path] = ()) -> dict[MarkKey, Mark]:
    """The marks that are kept with a run, and those of other files."""
    return marks_of_files([store.folder / MARKS_FILE, *files])


def marks_of_files(files: Iterable[Path]) -> dict[MarkKey, Mark]:
    """The marks of several files together, as if they were merged."""
    return effective(lines_of_files(files))


def lines_of_files(files: Iterable[Path]) -> list[MarkLine]:
    """The lines of several files of marks, each once."""
    return list({line.id: line for path in dict.fromkeys(files) for line in read_marks(path)}.values())


def captions_of_people(store: RunStore, files: Iterable[Path] = ()) -> list[CorrectedCaption]:
    """The captions that people wrote for pictures of a run, the earliest first: in studies, and beside marks.

    Beside a mark, one is for the picture whose answer is wrong; where that is not said, for the only follow-up.
    """
    lines = lines_of_files([store.folder / MARKS_FILE, *files])
    found = corrected(lines)
    marks = {mark.case: mark for mark in effective(lines).values() if mark.caption.strip()}
    for case in cases_by_digest(store, list(marks)):
        mark = marks[case.digest]
        place = mark.wrong_answer if mark.wrong_answer is not None else 1 if len(case.probes) == 2 else None
        if place is None or place >= len(case.probes):
            continue
        shown = captioned(store, case.probes[place])
        if shown is not None:
            caption = " ".join(mark.caption.split())
            found.append(CorrectedCaption(mark.id, shown[0], mark.reviewer, mark.at, caption, shown[1]))
    return sorted(found, key=lambda each: (time_of(each.at), each.id))


def read_reviews(
    store: RunStore, repeats: int, marks: Mapping[MarkKey, Mark], outcome: Literal["violated", "lead"] = "violated"
) -> RunReviews:
    """The issues of a run that were marked, or its leads, and the marks that do not fit it any more.

    Marks of leads say nothing of issues, and marks of issues nothing of leads.
    """
    by_case: dict[str, list[Mark]] = {}
    for mark in marks.values():
        by_case.setdefault(mark.case, []).append(mark)
    found: list[tuple[int, IssueReview]] = []
    changed = dropped = 0
    for case in cases_by_digest(store, list(by_case)):
        answers = answers_of_case(store, case, repeats)
        digest = answers_digest(answers)
        fitting = [mark for mark in by_case[case.digest] if mark.answers == digest]
        changed += len(by_case[case.digest]) - len(fitting)
        if not fitting:
            continue
        verdict = verdict_of(store, case.id)
        if verdict is None or verdict.outcome != outcome:
            dropped += len(fitting) if verdict is None or verdict.outcome not in ("violated", "lead") else 0
            continue
        found.append((case.id, _review(store, case, digest, verdict, {mark.reviewer: mark for mark in fitting})))
    return RunReviews(tuple(review for _, review in sorted(found, key=lambda each: each[0])), changed, dropped)


def answers_of_case(store: RunStore, case: StoredCase, repeats: int) -> list[dict[int, Answer]]:
    """The system's answers to each probe of a case, by attempt, as far as the run counts attempts."""
    given = answers_of(store, case.probes)
    return [{attempt: answer for attempt, answer in given[probe].items() if attempt < repeats} for probe in case.probes]


def count_reviews(reviews: Sequence[IssueReview], changed: int = 0, dropped: int = 0) -> ReviewNumbers:
    """Reviews in numbers."""
    wrong = Counter(review.false_alarm for review in reviews if review.decision == "wrong")
    ranked = [(name, wrong[name]) for name in (*FALSE_ALARMS, NOT_AGREED, NOT_SAID) if wrong[name]]
    return ReviewNumbers(
        tuple(sorted({name for review in reviews for name in review.marks})),
        precision_of(review.reviewed for review in reviews),
        tuple(sorted(ranked, key=lambda each: -each[1])),
        kappa_of(reviews),
        sum(not review.agreed for review in reviews),
        changed,
        dropped,
        sum(review.tied for review in reviews),
        _ranked(kind for review in reviews if review.decision == "right" for kind in review.errors),
        _ranked(review.wrong_answer for review in reviews if review.decision == "right"),
    )


def _ranked(names: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """How often each name came, the commonest first."""
    return tuple(sorted(Counter(names).items(), key=lambda each: (-each[1], each[0])))


def kappa_of(reviews: Sequence[IssueReview]) -> Kappa | None:
    """How far all reviewers agree over the issues that all of them marked; None for fewer than two."""
    names = tuple(sorted({name for review in reviews for name in review.marks}))
    return None if len(names) < 2 else kappa_between(reviews, names)


def kappa_between(reviews: Sequence[IssueReview], names: Sequence[str]) -> Kappa:
    """How far these reviewers agree; issues of one photo are kept together in the interval."""
    photos: dict[str, list[tuple[Decision, ...]]] = {}
    for review in reviews:
        if all(name in review.marks for name in names):
            photos.setdefault(review.scene, []).append(tuple(review.marks[name].verdict for name in names))
    given = list(photos.values())
    measure = _cohen if len(names) == 2 else _fleiss
    flat = [each for some in given for each in some]
    title = "Cohen's kappa" if len(names) == 2 else "Fleiss' kappa"
    return Kappa(title, tuple(names), len(flat), measure(flat), jackknifed(given, measure))


def _cohen(given: Sequence[tuple[Decision, ...]]) -> float | None:
    return cohen((one, other) for one, other in given)


def _fleiss(given: Sequence[tuple[Decision, ...]]) -> float | None:
    return fleiss([dict(Counter(each)) for each in given])


def _review(
    store: RunStore, case: StoredCase, answers: str, verdict: Verdict, marks: Mapping[str, Mark]
) -> IssueReview:
    probes = {id: (row.scene_name, json.loads(row.edits)) for id, row in probe_rows(store, case.probes).items()}
    concerned = {place for conflict in told_conflicts(verdict) for place in conflict.probes}
    concerned |= {item.probe for item in verdict.evidence}
    places = [place for place in range(1, len(case.probes)) if place in concerned] or range(1, len(case.probes))
    kinds = [_kind(edit) for place in places for edit in probes[case.probes[place]][1]]
    return IssueReview(
        case.digest,
        answers,
        probes[case.probes[0]][0],
        case.method,
        case.relation,
        verdict,
        json.loads(case.tags),
        tuple(dict.fromkeys(kinds)),
        marks,
    )


def _kind(edit: Any) -> str:
    return str(edit.get("kind", "")) if isinstance(edit, dict) else ""


def _issues(count: int) -> str:
    return "1 issue" if count == 1 else f"{count:,} issues"


def _marks(count: int) -> str:
    return "1 mark is" if count == 1 else f"{count:,} marks are"
