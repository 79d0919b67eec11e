"""How well a reader reads texts that people marked: right, open, wrong or not at all."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from anamorph.errors import UsageError
from anamorph.model import Answer, AnswerReading, CaptionReading, Reading, ReadingKind

Row = dict[str, Any]
# (kind, answer, question) -> its reading
Read = Callable[[ReadingKind, Answer, str | None], Reading]
Interval = tuple[int, int | None]


def holds(outer: Interval, inner: Interval) -> bool:
    """Whether an interval leaves nothing of another out."""
    return outer[0] <= inner[0] and (outer[1] is None or (inner[1] is not None and inner[1] <= outer[1]))


def answer_outcome(row: Row, reading: Reading) -> str:
    """right, wide (leaves open what the text says, and denies none of it), wrong or unread.

    `about`: an interval around the number is right. `echo`: "Yes, there is a cat" may be one cat or at least one.
    `also` lists other readings that are right, and any interval around an `approx` number is. `only_there`: only
    whether there is any was marked. Without numbers, a question asked whether something is so.
    """
    also = [tuple(each) if isinstance(each, list) else each for each in row.get("also", ())]
    if not isinstance(reading, AnswerReading):
        return "right" if row.get("unreadable") or "unreadable" in also else "unread"
    found = reading.least, reading.most
    if found in also:
        return "right"
    if row.get("unreadable"):
        return "wrong"
    if "there" in row and (row.get("only_there") or row.get("least") is None):
        if reading.there is None:
            return "wide"
        return "right" if reading.there == row["there"] else "wrong"
    wanted = row["least"], row["most"]
    if reading.whether:
        return "wide" if reading.there == (row["least"] > 0) else "wrong"
    if row.get("about") or row.get("approx"):
        around = found[0] <= wanted[0] <= (wanted[0] if found[1] is None else found[1])
        if around and (reading.number is None or row.get("approx")):
            return "right"
        return "wide" if holds(found, wanted) else "wrong"
    if found == wanted or (row.get("echo") and found in ((1, 1), (1, None)) and wanted in ((1, 1), (1, None))):
        return "right"
    return "wide" if holds(found, wanted) else "wrong"


def caption_outcomes(row: Row, reading: CaptionReading) -> Iterator[tuple[str, str]]:
    read, perhaps = reading.classes(perhaps=False), reading.perhaps
    wanted = {label: (least, most) for label, (least, most) in row["classes"].items()}
    arguable = {*row.get("open", ()), *row.get("arguable", ())}
    about = row.get("about") or ()
    for label in [*wanted, *(label for label in read if label not in wanted)]:
        found, want = read.get(label, (0, 0)), wanted.get(label, (0, 0))
        text = f"{label}: {list(found)} for {list(want)}"
        if label in arguable or (found[1] == 0 and want[1] == 0):
            continue
        if want[1] == 0:
            yield "extra", text
        elif found[1] == 0:
            yield ("perhaps" if label in perhaps else "missed"), text
        elif about is True or label in about:
            yield ("right" if holds(found, (want[0], want[0])) else "wrong"), text
        elif found == want or (label in perhaps and found[0] <= want[0]):
            yield "right", text
        else:
            yield ("wide" if holds(found, want) else "wrong"), text


def score(rows: Iterable[Row], read: Read) -> Iterator[tuple[str, Row, str]]:
    """An outcome for every answer, or for every class of a caption, with its row and what was read."""
    for row in rows:
        if "answer" in row:
            reading = read("answer", Answer(row["answer"]), row["question"])
            yield answer_outcome(row, reading), row, _shown(reading)
            continue
        reading = read("caption", Answer(row["caption"]), None)
        if isinstance(reading, CaptionReading):
            yield from ((outcome, row, text) for outcome, text in caption_outcomes(row, reading))
        else:
            yield "unread", row, _shown(reading)


def _shown(reading: Reading) -> str:
    if isinstance(reading, AnswerReading):
        return f"{reading.least} to {'any number' if reading.most is None else reading.most}, there: {reading.there}"
    return str(getattr(reading, "reason", ""))


def rates(found: Counter[str], captions: bool) -> dict[str, float]:
    """The shares of outcomes; of captions, F1 of the classes and the shares of their numbers."""
    if not captions:
        total = max(1, found.total())
        return {each: found[each] / total for each in ("right", "wide", "wrong", "unread")}
    read = found["right"] + found["wide"] + found["wrong"]
    f1 = 2 * read / max(1, 2 * read + found["extra"] + found["missed"])
    return {"F1": f1, "wrong": found["wrong"] / max(1, read), "wide": found["wide"] / max(1, read)}


def rows_of(path: Path) -> list[Row]:
    """The rows of a file of marked answers or captions."""
    rows: list[Row] = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as problem:
            raise UsageError(f"{path}, line {number}: not JSON ({problem}).") from problem
        if not isinstance(row, dict) or not (
            {"answer", "question"} <= row.keys() or {"caption", "classes"} <= row.keys()
        ):
            raise UsageError(f'{path}, line {number}: a row has "question" and "answer", or "caption" and "classes".')
        rows.append(row)
    return rows
