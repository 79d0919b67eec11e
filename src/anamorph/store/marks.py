"""Marks: people's verdicts on reported issues, in an append-only file with a line for each mark.

A mark is about a case and the answers that it was judged on, so it survives `judge run`, and counts again wherever the
same case has the same answers. Files of several people are merged by taking every line of each, in any order.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from anamorph.errors import BadRecord, UsageError
from anamorph.model import Answer, decode, digest_of_text, encode
from anamorph.model.digests import canonical_json
from anamorph.store.json_lines import append_line, read_lines, warn

MARKS_FILE = "marks.jsonl"
# right: the report is right. wrong: it is a false alarm.
MarkVerdict: TypeAlias = Literal["right", "wrong", "unsure"]
MARK_VERDICTS: tuple[MarkVerdict, ...] = get_args(MarkVerdict)
# The system's error, if the report is right.
ErrorKind: TypeAlias = Literal[
    "", "misclassification", "omission", "miscount", "invention", "attribute", "action", "answer", "other"
]
# Why a report is a false alarm: the edit, the reader, the annotations, or something that need not be said.
FalseAlarm: TypeAlias = Literal["", "edit", "reader", "annotation", "omission"]
FALSE_ALARMS: tuple[FalseAlarm, ...] = get_args(FalseAlarm)[1:]

MOST_TEXT = 10_000
MOST_NAME = 200
ERROR_KINDS: tuple[ErrorKind, ...] = get_args(ErrorKind)[1:]

_DIGEST = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Mark:
    """One reviewer's mark on one issue.

    `case` and `answers` are digests. `wrong_answer` is the place of the probe whose answer is wrong, 0 for the source.
    `also` are kinds of error besides `error`. `caption` is the right answer. `method`, `relation`, `grade` and `cause`
    (a digest) are those of the marked report, or empty. `at` is the time in ISO 8601, with its zone.
    """

    id: str
    case: str
    answers: str
    reviewer: str
    verdict: MarkVerdict
    at: str
    error: ErrorKind = ""
    wrong_answer: int | None = None
    false_alarm: FalseAlarm = ""
    caption: str = ""
    method: str = ""
    relation: str = ""
    grade: str = ""
    cause: str = ""
    also: tuple[ErrorKind, ...] = ()

    @property
    def errors(self) -> tuple[ErrorKind, ...]:
        """Every named kind of error."""
        return tuple(dict.fromkeys(kind for kind in (self.error, *self.also) if kind))

    @property
    def key(self) -> MarkKey:
        """The marked issue and the reviewer."""
        return self.case, self.answers, self.reviewer

    @property
    def time(self) -> datetime:
        """Its time."""
        return time_of(self.at)

    def __post_init__(self) -> None:
        check_id("id", self.id)
        check_id("case", self.case)
        check_id("answers", self.answers)
        check_reviewer(self.reviewer)
        check_time(self.at)
        if self.wrong_answer is not None and not 0 <= self.wrong_answer < 1_000:
            raise BadRecord("wrong_answer", f"expected the place of an answer from 0, got {self.wrong_answer}")
        for name in ("method", "relation", "grade", "cause"):
            if len(getattr(self, name)) > MOST_NAME:
                raise BadRecord(name, f"is longer than {MOST_NAME} characters")
            check_text(name, getattr(self, name))
        check_text("caption", self.caption)
        if self.also and not self.error:
            raise BadRecord("also", "names more kinds of error, but `error` names none")
        if self.verdict != "right" and (self.error or self.wrong_answer is not None):
            raise BadRecord("error", f"the report is {self.verdict}, so it has no system error to describe")
        if self.verdict != "wrong" and self.false_alarm:
            raise BadRecord("false_alarm", f"the report is {self.verdict}, so it is not a false alarm")


@dataclass(frozen=True, slots=True)
class Undo:
    """A reviewer withdraws one of their own marks; the mark before it, if any, counts again."""

    id: str
    undoes: str
    reviewer: str
    at: str

    def __post_init__(self) -> None:
        check_id("id", self.id)
        check_id("undoes", self.undoes)
        check_reviewer(self.reviewer)
        check_time(self.at)


@dataclass(frozen=True, slots=True)
class CorrectedCaption:
    """A caption that a person wrote for a picture, `instead_of` one that it had.

    `image` is the digest of its scene and edits. An empty caption withdraws an earlier one.
    """

    id: str
    image: str
    reviewer: str
    at: str
    caption: str = ""
    instead_of: str = ""

    def __post_init__(self) -> None:
        check_id("id", self.id)
        check_id("image", self.image)
        check_reviewer(self.reviewer)
        check_time(self.at)
        for name in ("caption", "instead_of"):
            check_text(name, getattr(self, name))


MarkLine: TypeAlias = Mark | Undo | CorrectedCaption
# The case's digest, the digest of its answers, and the reviewer.
MarkKey: TypeAlias = tuple[str, str, str]


def read_marks(path: Path, report: Callable[[str], None] = warn) -> list[MarkLine]:
    """Every line of a file of marks; none if the file does not exist.

    A truncated last line is passed to `report`. Any other broken line is a UsageError that names it.
    """
    found: dict[str, MarkLine] = {}
    for number, plain in read_lines(path, report):
        try:
            line = _line_of(plain)
        except BadRecord as problem:
            raise UsageError(f"{path}, line {number}: is not a mark: {problem}") from problem
        # A merge may duplicate a line.
        if found.setdefault(line.id, line) != line:
            raise UsageError(f"{path}, line {number}: another line has the same id, {line.id}.")
    return list(found.values())


def _line_of(plain: Mapping[str, object]) -> MarkLine:
    if "undoes" in plain:
        return decode(Undo, plain)
    return decode(CorrectedCaption, plain) if "image" in plain else decode(Mark, plain)


def append_mark(path: Path, line: MarkLine) -> None:
    """Add a mark or an undo; it is on disk when this returns."""
    append_line(path, encoded_mark(line))


def encoded_mark(line: MarkLine) -> dict[str, Any]:
    """A mark or an undo as plain JSON."""
    plain: dict[str, Any] = encode(line)
    return plain


def effective(lines: Iterable[MarkLine]) -> dict[MarkKey, Mark]:
    """The marks that count: each reviewer's latest for the same case and answers, without withdrawn ones."""
    lines = list(lines)
    undone = {(line.undoes, line.reviewer) for line in lines if isinstance(line, Undo)}
    marks = [line for line in lines if isinstance(line, Mark) and (line.id, line.reviewer) not in undone]
    return {mark.key: mark for mark in sorted(marks, key=lambda mark: (mark.time, mark.id))}


def corrected(lines: Iterable[MarkLine]) -> list[CorrectedCaption]:
    """The captions that people wrote and did not withdraw, the earliest first: each person's latest for the same image
    and system's caption.
    """
    lines = list(lines)
    undone = {(line.undoes, line.reviewer) for line in lines if isinstance(line, Undo)}
    own = [line for line in lines if isinstance(line, CorrectedCaption) and (line.id, line.reviewer) not in undone]
    own.sort(key=lambda line: (time_of(line.at), line.id))
    latest = {(line.image, line.instead_of, line.reviewer): line for line in own}
    return sorted((line for line in latest.values() if line.caption), key=lambda line: (time_of(line.at), line.id))


def answers_digest(answers: Sequence[Mapping[int, Answer]]) -> str:
    """A digest of a case's answers, by probe and attempt, the source's first."""
    said = [
        [
            answer.text
            if answer.labels is None
            else {label: repr(float(score)) for label, score in answer.labels.items()}
            for _, answer in sorted(of_probe.items())
        ]
        for of_probe in answers
    ]
    return digest_of_text(canonical_json(said))


def new_id() -> str:
    """A globally unique id."""
    return secrets.token_hex(16)


def now_text(after: str = "") -> str:
    """The current time, but always later than `after`."""
    now = datetime.now(UTC)
    if after:
        now = max(now, time_of(after).astimezone(UTC) + datetime.resolution)
    return now.isoformat(timespec="microseconds")


def time_of(text: str) -> datetime:
    """Parse a time."""
    return datetime.fromisoformat(text)


def check_id(name: str, text: str) -> None:
    """Refuse all but 32 hexadecimal digits."""
    if not _DIGEST.fullmatch(text):
        raise BadRecord(name, f"expected 32 hexadecimal digits, got {text[:40]!r}")


def check_reviewer(name: str) -> None:
    """Refuse a name that cannot be shown in one line."""
    if not name.strip() or len(name) > MOST_NAME or not name.isprintable():
        raise BadRecord("reviewer", f"expected a name of 1 to {MOST_NAME} printable characters, got {name[:40]!r}")


def check_text(name: str, text: str) -> None:
    """Refuse text that is too long or has a lone surrogate."""
    if len(text) > MOST_TEXT:
        raise BadRecord(name, f"is longer than {MOST_TEXT:,} characters")
    try:
        text.encode()
    except UnicodeEncodeError as problem:
        raise BadRecord(name, f"has a lone surrogate at character {problem.start + 1}") from problem


def check_time(text: str) -> None:
    """Refuse all but times with a zone."""
    try:
        moment = time_of(text[:60])
        zone = moment.utcoffset()
        if zone is not None:
            # Later times are derived and compared in UTC, which overflows at the ends of the range.
            _ = moment.astimezone(UTC) + timedelta(days=1)
    except (ValueError, OverflowError) as problem:
        raise BadRecord("at", f"expected a time such as 2026-11-17T09:30:00+00:00, got {text[:40]!r}") from problem
    if zone is None:
        raise BadRecord("at", f"expected a time with its zone, such as +00:00, got {text[:40]!r}")
