"""A study as a session of the app: what a page shows of an item, and the answers of one person."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from anamorph.errors import BadRecord, UsageError
from anamorph.store.images import ImageFolder
from anamorph.store.json_lines import check_writable
from anamorph.store.marks import CorrectedCaption, append_mark, new_id, now_text, time_of
from anamorph.studies.study.results import StudyResult, answers_of_study, append_result, read_results
from anamorph.studies.study.study import Study, StudyItem, StudyKind, StudyPicture

LETTERS = "ab"
_FIELDS = ("choice", "confidence", "text")
_TITLES: Mapping[StudyKind, str] = {
    "naturalness": "naturalness",
    "pairwise": "two pictures",
    "relevance": "labels of photos",
    "caption": "captions",
}


@dataclass(slots=True)
class StudySession:
    """The items of a study in their order; nothing that an item is reaches the browser, only what it shows."""

    study: Study
    file: Path
    reviewer: str
    images: ImageFolder
    # Where corrected captions go, besides the results.
    marks: Path | None = None
    # The answers that this person gave, by item, the earliest first; an undone one is gone.
    given: dict[str, list[StudyResult]] = field(default_factory=dict)
    templates: tuple[str, str] = ("anamorph.studies.study", "templates")
    noun: tuple[str, str] = ("item", "items")
    # When each item was first shown.
    shown_at: dict[int, float] = field(default_factory=dict)
    clock: Callable[[], float] = time.monotonic

    @property
    def template(self) -> str:
        return "caption.html" if self.study.topic == "caption" else "choice.html"

    @property
    def title(self) -> str:
        return f"Study: {_TITLES[self.study.topic]}"

    def __len__(self) -> int:
        return len(self.study.items)

    def close(self) -> None:
        """Nothing is held open."""

    def facets(self, position: int) -> Mapping[str, str]:
        return {}

    def result(self, position: int) -> StudyResult | None:
        given = self.given.get(self.study.items[position].id)
        return given[-1] if given and given[-1].given else None

    def is_done(self, position: int) -> bool:
        result = self.result(position)
        return result is not None and (bool(result.confidence) or not self.study.confidence)

    def fields(self, position: int) -> Mapping[str, str]:
        result = self.result(position)
        return {} if result is None else {name: getattr(result, name) for name in _FIELDS}

    def answer(self, position: int, changes: Mapping[str, str]) -> None:
        left = self._left(position)
        if left > 0:
            raise BadRecord("choice", f"look at it for {left} more second{'s' if left > 1 else ''} first")
        unknown = [name for name in changes if name not in _FIELDS]
        if unknown:
            raise BadRecord(unknown[0][:40], f"unknown field. Known: {', '.join(_FIELDS)}.")
        fields = {**dict.fromkeys(_FIELDS, ""), **self.fields(position), **changes}
        fields["text"] = " ".join(fields["text"].split())
        self._check(changes, fields)
        # A caption is either corrected or right as it is.
        if changes.get("text"):
            fields["choice"] = ""
        elif changes.get("choice") and self.study.topic == "caption":
            fields["text"] = ""
        self._keep(self.study.items[position], fields)

    def _left(self, position: int) -> int:
        """How many seconds an item without an answer must be looked at still."""
        least = self.study.least_seconds
        if not least or self.result(position) is not None:
            return 0
        now = self.clock()
        return math.ceil(least - (now - self.shown_at.get(position, now)))

    def _check(self, changes: Mapping[str, str], fields: Mapping[str, str]) -> None:
        for name, choices in (("choice", self.study.scale), ("confidence", self.study.confidence)):
            values = [choice.value for choice in choices]
            if fields[name] and fields[name] not in values:
                raise BadRecord(name, f"expected one of {', '.join(values) or 'none'}, got {fields[name][:40]!r}")
        if changes.get("text") and self.study.topic != "caption":
            raise BadRecord("text", "this study asks for no text")
        if changes.get("confidence") and not fields["choice"]:
            raise BadRecord("confidence", "choose one of the pictures first")

    def _keep(self, item: StudyItem, fields: Mapping[str, str]) -> None:
        last = self._last()
        at = now_text("" if last is None else last.at)
        result = StudyResult(new_id(), self.study.digest, item.id, self.reviewer, at, **fields)
        append_result(self.file, result)
        stack = self.given.setdefault(item.id, [])
        self._mark(item, result, stack[-1].text if stack else "")
        stack.append(result)

    def undo(self) -> int | None:
        last = self._last()
        if last is None:
            return None
        stack = self.given[last.item]
        stack.pop()
        before = stack[-1] if stack else replace(last, choice="", confidence="", text="")
        # The file only grows: what was said before is said again, or nothing.
        again = replace(before, id=new_id(), at=now_text(last.at))
        append_result(self.file, again)
        if stack:
            stack[-1] = again
        place = next(place for place, item in enumerate(self.study.items) if item.id == last.item)
        self._mark(self.study.items[place], again, last.text)
        return place

    def _mark(self, item: StudyItem, result: StudyResult, before: str) -> None:
        """Put a corrected caption where `label-errors` and `export` find it; an empty one takes it back."""
        image = item.pictures[0].image
        if self.marks is not None and image and result.text != before:
            line = CorrectedCaption(result.id, image, self.reviewer, result.at, result.text, item.caption)
            append_mark(self.marks, line)

    def _last(self) -> StudyResult | None:
        tops = [stack[-1] for stack in self.given.values() if stack]
        return max(tops, key=lambda result: (time_of(result.at), result.id), default=None)

    def picture(self, name: str) -> Path | None:
        shown = (picture for item in self.study.items for picture in (*item.pictures, item.original))
        return self.images.find(name) if any(each is not None and each.file == name for each in shown) else None

    def _frame(self, picture: StudyPicture, alt: str) -> dict[str, str | None]:
        return {"file": picture.file if self.images.find(picture.file) is not None else None, "alt": alt}

    def item(self, position: int) -> Mapping[str, Any]:
        item = self.study.items[position]
        self.shown_at.setdefault(position, self.clock())
        letters = LETTERS if len(item.pictures) > 1 else [""]
        pictures = [
            {**self._frame(picture, f"Picture {letter.upper()}" if letter else "The picture"), "letter": letter}
            for picture, letter in zip(item.pictures, letters, strict=True)
        ]
        keys = LETTERS if self.study.topic == "pairwise" else "123456789"[: len(self.study.scale)]
        return {
            "pictures": pictures,
            "original": None if item.original is None else self._frame(item.original, "The original photo"),
            "question": self.study.question,
            "labels": item.labels,
            "caption": item.caption,
            "choices": list(zip(keys, self.study.scale, strict=True)),
            "confidence": list(enumerate(self.study.confidence, start=1)),
        }


def open_study(
    study: Study, run: Path, file: Path, reviewer: str, report: Callable[[str], None], marks: Path | None = None
) -> StudySession:
    """A session of a study whose pictures a run has, with what this person answered before."""
    if not (run / "images").is_dir():
        raise UsageError(
            f"{run}: has no pictures of a run, although the study looks for them here. Name the run with --run RUN."
        )
    check_writable(file)
    results = read_results(file, report)
    others = sorted({each.reviewer for each in results if each.reviewer != reviewer})
    if others:
        raise UsageError(
            f"{file}: has answers of {others[0]!r}. Every person has a file of their own; name another with --results."
        )
    found = answers_of_study(study, results)
    if found.strange:
        report(f"{file}: {found.strange} results are of another study, or fit nothing in this one; they do not count.")
    session = StudySession(study, file, reviewer, ImageFolder(run / "images"), marks)
    session.given = {item: [given[reviewer]] for item, given in found.given.items() if reviewer in given}
    return session
