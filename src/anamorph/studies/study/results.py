"""Results of a study: a file for each person, with a line for each answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from anamorph.errors import BadRecord, UsageError
from anamorph.model import decode, encode
from anamorph.store.json_lines import append_line, read_lines, warn
from anamorph.store.marks import check_id, check_reviewer, check_text, check_time, time_of
from anamorph.studies.study.study import ITEM_ID, Study


@dataclass(frozen=True, slots=True)
class StudyResult:
    """One person's answer about one item; a later answer replaces an earlier one, and an empty one takes it back.

    `choice` is a value of the study's scale, `confidence` one of its confidence, `text` a corrected caption.
    """

    id: str
    study: str
    item: str
    reviewer: str
    at: str
    choice: str = ""
    confidence: str = ""
    text: str = ""

    def __post_init__(self) -> None:
        check_id("id", self.id)
        check_id("study", self.study)
        check_reviewer(self.reviewer)
        check_time(self.at)
        if not ITEM_ID.fullmatch(self.item):
            raise BadRecord("item", f"expected 12 hexadecimal digits, got {self.item[:40]!r}")
        for name in ("choice", "confidence", "text"):
            check_text(name, getattr(self, name))

    @property
    def given(self) -> bool:
        return bool(self.choice or self.text)


def read_results(path: Path, report: Callable[[str], None] = warn) -> list[StudyResult]:
    """Every line of a file of results; a file that is not there yet has none."""
    found: dict[str, StudyResult] = {}
    for number, plain in read_lines(path, report):
        try:
            line = decode(StudyResult, plain)
        except BadRecord as problem:
            raise UsageError(f"{path}, line {number}: is not a result of a study: {problem}") from problem
        found[line.id] = line
    return list(found.values())


def append_result(path: Path, result: StudyResult) -> None:
    """Add a result; it is on disk when this returns."""
    plain = encode(result)
    assert isinstance(plain, dict)
    append_line(path, plain)


@dataclass(frozen=True, slots=True)
class StudyAnswers:
    """The answers that count, by item and then by person; `strange` results are of another study, or fit no item or
    choice of this one.
    """

    given: dict[str, dict[str, StudyResult]]
    strange: int

    @property
    def reviewers(self) -> tuple[str, ...]:
        return tuple(sorted({name for answers in self.given.values() for name in answers}))


def answers_of_study(study: Study, results: Iterable[StudyResult]) -> StudyAnswers:
    """The latest answer of each person to each item."""
    digest, items = study.digest, {item.id for item in study.items}
    choices = {"", *(choice.value for choice in study.scale)}
    confidences = {"", *(choice.value for choice in study.confidence)}
    given: dict[str, dict[str, StudyResult]] = {}
    strange = 0
    for each in sorted(results, key=lambda result: (time_of(result.at), result.id)):
        fits = each.study == digest and each.item in items
        if not fits or each.choice not in choices or each.confidence not in confidences:
            strange += 1
        else:
            given.setdefault(each.item, {})[each.reviewer] = each
    kept = {item: {name: each for name, each in answers.items() if each.given} for item, answers in given.items()}
    return StudyAnswers({item: answers for item, answers in kept.items() if answers}, strange)
