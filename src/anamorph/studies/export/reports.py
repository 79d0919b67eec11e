"""The questions about an exported image, the answers, and the claims that they violate."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anamorph.errors import RunError
from anamorph.model import Scene, Skip
from anamorph.report.reviews import lines_of_files
from anamorph.store.answers import answers_of, questions_of
from anamorph.store.marks import MARKS_FILE, Mark, answers_digest, effective
from anamorph.store.probes import probes_of_image
from anamorph.store.run import RunStore
from anamorph.store.verdicts import find_cases, reason_of
from anamorph.studies.export.edited_images import EditedImage


@dataclass(frozen=True, slots=True)
class AskedProbe:
    """A question about an image, None if it was shown without one, and the first answer: a text, or labels.

    `references` are the answers that the data set gives to this question about the untouched photo.
    """

    question: str | None
    text: str | None = None
    labels: Mapping[str, float] | None = None
    references: tuple[str, ...] = ()

    def record(self) -> dict[str, Any]:
        labels = {} if self.labels is None else {"labels": dict(self.labels)}
        references = {"references": list(self.references)} if self.references else {}
        return {"question": self.question, "answer": self.text, **labels, **references}


@dataclass(frozen=True, slots=True)
class ReportedCase:
    """A violated case that an image is a follow-up of: what had to hold, and all that was said, the source's first.

    `places` are those of the image among the probes. `labels` is the combination that a photo was chosen for. `marks`
    are what people said about the report.
    """

    issue: str
    method: str
    relation: Mapping[str, Any]
    tags: Mapping[str, str]
    reason: str
    places: tuple[int, ...]
    said: tuple[AskedProbe, ...]
    marks: tuple[Mark, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        labels = self.relation.get("labels")
        return tuple(map(str, labels)) if isinstance(labels, list) else ()

    def record(self) -> dict[str, Any]:
        return {
            "issue": self.issue,
            "method": self.method,
            "relation": dict(self.relation),
            "tags": dict(self.tags),
            "reason": self.reason,
            "places": list(self.places),
            "said": [each.record() for each in self.said],
            "marks": [_mark_record(mark) for mark in self.marks],
        }


def _mark_record(mark: Mark) -> dict[str, Any]:
    record = {name: getattr(mark, name) for name in ("reviewer", "verdict", "error", "false_alarm", "caption")}
    record = {name: value for name, value in record.items() if value}
    return record if mark.wrong_answer is None else {**record, "wrong_answer": mark.wrong_answer}


@dataclass(frozen=True, slots=True)
class ReportedImage:
    """An edited image with what was asked about it, and the claims that the answers violate."""

    edited: EditedImage
    asked: tuple[AskedProbe, ...]
    reports: tuple[ReportedCase, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of all combinations that the photo was chosen for."""
        return tuple(sorted({label for report in self.reports for label in report.labels}))


def with_reports(
    store: RunStore, images: Iterable[EditedImage | Skip], mark_files: Iterable[Path] = ()
) -> Iterator[ReportedImage | Skip]:
    """Each image with all that was asked and answered, and people's marks: those of the run, and of more files."""
    marks: dict[tuple[str, str], list[Mark]] = {}
    for mark in effective(lines_of_files([store.folder / MARKS_FILE, *mark_files])).values():
        marks.setdefault((mark.case, mark.answers), []).append(mark)
    for image in images:
        if isinstance(image, Skip):
            yield image
            continue
        probes = probes_of_image(store, image.image)
        # References are about the photo; an edit may have made them wrong.
        scene = image.scene if not image.edits else None
        reports = (_report(store, issue, frozenset(probes), image.scene, marks) for issue in image.issues)
        found = tuple(report for report in reports if report is not None)
        yield ReportedImage(image, tuple(_asked(store, probes, scene)), found)


def _report(
    store: RunStore,
    issue: str,
    own: frozenset[int],
    scene: Scene,
    marks: Mapping[tuple[str, str], Sequence[Mark]],
) -> ReportedCase | None:
    cases = find_cases(store, issue)
    if not cases:
        return None
    case = cases[0]
    reason = reason_of(store, case.id)
    places = tuple(place for place, probe in enumerate(case.probes) if probe in own)
    said = tuple(_asked(store, case.probes, scene))
    relation, tags = _table(store, case.claim), _table(store, case.tags)
    answers = answers_of(store, case.probes)
    digest = answers_digest([answers[probe] for probe in case.probes]) if marks else ""
    found = tuple(marks.get((case.digest, digest), ()))
    return ReportedCase(issue, case.method, relation, tags, reason, places, said, found)


def _table(store: RunStore, text: str) -> dict[str, Any]:
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError, TypeError) as problem:
        raise RunError(f"{store.folder}: a case of this run is damaged ({problem}).") from problem
    if not isinstance(plain, dict):
        raise RunError(f"{store.folder}: a case of this run is damaged ({text[:40]!r} is not a table).")
    return plain


def _asked(store: RunStore, probes: Iterable[int], scene: Scene | None) -> Iterator[AskedProbe]:
    ids = list(probes)
    answers, questions = answers_of(store, ids), questions_of(store, ids)
    references = {} if scene is None else {each.text: each.answers for each in scene.questions}
    for probe in ids:
        question, given = questions[probe], answers[probe]
        answer = given[min(given)] if given else None
        said = (None, None) if answer is None else (answer.text, answer.labels)
        yield AskedProbe(question, *said, references.get(question, ()) if question else ())
