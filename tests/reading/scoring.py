"""How well a reader reads texts that people marked: `python -m tests.reading.scoring [--show wrong] [FILE ...]`."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

from anamorph.catalog import find
from anamorph.model import Answer, AnswerReading, CaptionReading, Reading, Unreadable, Wanted
from anamorph.reading.labels import label_space

Row = dict[str, Any]
Interval = tuple[int, int | None]
GOLD = Path(__file__).resolve().parent / "gold"


class Reads(Protocol):
    """What a reader has: the verb `read`."""

    def read(self, answer: Answer, wanted: Wanted) -> Reading: ...


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


def score_answers(rows: Iterable[Row], reader: Reads, space: Any) -> Iterator[tuple[str, Row, Reading]]:
    for row in rows:
        reading = reader.read(Answer(row["answer"]), Wanted("answer", space, row["question"]))
        yield answer_outcome(row, reading), row, reading


def score_captions(rows: Iterable[Row], reader: Reads, space: Any) -> Iterator[tuple[str, Row, str]]:
    """An outcome for every class of a caption: right, wide or wrong (its number), extra, missed, perhaps, unread."""
    for row in rows:
        reading = reader.read(Answer(row["caption"]), Wanted("caption", space))
        if isinstance(reading, Unreadable) or not isinstance(reading, CaptionReading):
            yield "unread", row, ""
            continue
        yield from ((outcome, row, text) for outcome, text in caption_outcomes(row, reading))


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


def summary(name: str, found: Counter[str]) -> str:
    """The outcomes of a file on a line."""
    if "found" in found or name.startswith("captions") or "captions" in name:
        read = found["right"] + found["wide"] + found["wrong"]
        f1 = 2 * read / max(1, 2 * read + found["extra"] + found["missed"])
        rates = (
            f"F1 {f1:.3f}  wrong numbers {found['wrong'] / max(1, read):.3f}  wide {found['wide'] / max(1, read):.3f}"
        )
    else:
        total = max(1, sum(found.values()))
        rates = "  ".join(f"{each} {found[each] / total:.3f}" for each in ("right", "wide", "wrong", "unread"))
    return f"{name:32} {rates}   {dict(found)}"


def rows_of(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="gold files; all of the project by default")
    parser.add_argument("--show", action="append", default=[], help="print the rows of this outcome")
    chosen = parser.parse_args(arguments)
    space = label_space("coco")
    files = chosen.files or sorted(
        path for path in GOLD.glob("*.jsonl") if path.name.startswith(("answers_", "captions_"))
    )
    for path in files:
        rows = rows_of(path)
        reader = find("readers", "english")()
        score: Any = score_captions if "caption" in rows[0] else score_answers
        name = path.stem if "caption" not in rows[0] or "captions" in path.stem else f"captions {path.stem}"
        found: Counter[str] = Counter()
        for outcome, row, what in score(rows, reader, space):
            found[outcome] += 1
            if outcome in chosen.show:
                print(f"{outcome}: {_shown(row, what)}")
        print(summary(name, found))


def _shown(row: Row, what: Any) -> str:
    if "caption" in row:
        return f"{what} | {row['caption']!r}"
    wanted = "unreadable" if row.get("unreadable") else [row.get("least"), row.get("most"), row.get("there")]
    got = [what.least, what.most, what.there] if isinstance(what, AnswerReading) else what.reason
    return f"{row['question']!r} {row['answer']!r} wanted {wanted}, read {got}"


if __name__ == "__main__":
    main(sys.argv[1:])
