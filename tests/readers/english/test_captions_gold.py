"""Captions in the voice of large models, with the intervals of their classes, written before the reader saw them.

Sets of forty, each scored at first sight before a rule was mended, and one to tune on. The scores at first sight
stand in docs/readers/README.md; what is held here is that no rule undoes another.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anamorph.model.reading import CaptionReading
from tests.english import caption_reader

ROWS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "reading" / "gold" / "captions_gold.jsonl").read_text("utf-8").splitlines()
]


@dataclass
class Score:
    """Classes that were found, that are too many and that are missing, and how many intervals are right.

    `perhaps` are the expected classes of which the reader only says that something may be one ("a mug" and cup): they
    are neither found nor missed. An interval is right, too, where it leaves out no more than what may be of the class.
    """

    found: int = 0
    extra: int = 0
    missed: int = 0
    right: int = 0
    perhaps: int = 0

    @property
    def f1(self) -> float:
        return 2 * self.found / (2 * self.found + self.extra + self.missed)

    def add(self, row: dict[str, Any], reading: CaptionReading) -> None:
        read, perhaps = reading.classes(perhaps=False), reading.perhaps
        wanted = {label: (least, most) for label, (least, most) in row["classes"].items()}
        arguable = {*row.get("open", ()), *row.get("arguable", ())}
        there = {label for label, (_, most) in read.items() if most != 0} - arguable
        expected = {label for label, (_, most) in wanted.items() if most != 0} - arguable
        self.found += len(there & expected)
        self.extra += len(there - expected)
        self.perhaps += len((expected - there) & perhaps)
        self.missed += len(expected - there - perhaps)
        for label in there & expected:
            (least, most), wants = read[label], wanted[label]
            about = row.get("about") is True or label in (row.get("about") or ())
            roughly = about and least <= wants[0] and (most is None or most >= wants[0])
            self.right += bool((least, most) == wants or roughly or (label in perhaps and least <= wants[0]))


def score(rows: list[dict[str, Any]]) -> Score:
    reader, total = caption_reader(), Score()
    for row in rows:
        reading = reader.read_text(row["caption"])
        assert isinstance(reading, CaptionReading), row["caption"]
        total.add(row, reading)
    return total


def test_there_are_enough_captions() -> None:
    assert len(ROWS) >= 400
    assert len({row["caption"] for row in ROWS}) == len(ROWS)


def test_classes_and_their_numbers_are_read_as_people_read_them() -> None:
    total = score(ROWS)
    assert total.f1 >= 0.98
    assert total.right / total.found >= 0.98


def test_what_is_said_to_be_absent_is_never_read_as_there() -> None:
    reader = caption_reader()
    for row in ROWS:
        reading = reader.read_text(row["caption"])
        assert isinstance(reading, CaptionReading)
        for label, (_, most) in row["classes"].items():
            if most == 0:
                assert reading.classes(perhaps=False).get(label, (0, 0)) == (0, 0), row["caption"]


def test_realistic_captions_are_read_right() -> None:
    """Written before the rules that read them; at first F1 .985 and numbers .986, at last .995 and .979."""
    lines = (
        (Path(__file__).parents[2] / "reading" / "gold" / "captions_realistic_tune.jsonl")
        .read_text("utf-8")
        .splitlines()
    )
    total = score([json.loads(line) for line in lines])
    assert len(lines) == 257
    assert total.f1 >= 0.99 and total.right / total.found >= 0.985


def test_realistic_captions_that_were_held_out_once_are_read_right() -> None:
    """Written by somebody else; at first sight F1 of classes .996, numbers .985."""
    held = (
        (Path(__file__).parents[2] / "reading" / "gold" / "captions_realistic_held.jsonl")
        .read_text("utf-8")
        .splitlines()
    )
    total = score([json.loads(line) for line in held])
    assert len(held) == 120
    assert total.f1 >= 0.99 and total.right / total.found >= 0.98


def test_the_second_set_of_realistic_captions_that_was_held_out_once_is_read_right() -> None:
    """Written by somebody else; at first sight F1 of classes .987, numbers .987. Tuned on since."""
    held = (
        (Path(__file__).parents[2] / "reading" / "gold" / "captions_realistic_held_2.jsonl")
        .read_text("utf-8")
        .splitlines()
    )
    total = score([json.loads(line) for line in held])
    assert len(held) == 120
    assert total.f1 >= 0.99 and total.right / total.found >= 0.99


def test_the_third_set_of_realistic_captions_is_read_right() -> None:
    """Written by somebody else; at first sight F1 of classes .995, numbers .984. Tuned on since."""
    held = (
        (Path(__file__).parents[2] / "reading" / "gold" / "captions_realistic_held_3.jsonl")
        .read_text("utf-8")
        .splitlines()
    )
    total = score([json.loads(line) for line in held])
    assert len(held) == 120
    assert total.f1 >= 0.99 and total.right / total.found >= 0.99


def test_captions_that_were_held_out_once_are_read_right() -> None:
    """Written by somebody else; at first sight F1 of classes .932, numbers .902. Tuned on since."""
    held = (Path(__file__).parents[2] / "reading" / "gold" / "captions_held.jsonl").read_text("utf-8").splitlines()
    total = score([json.loads(line) for line in held])
    assert len(held) == 90
    assert total.f1 >= 0.985 and total.right / total.found >= 0.98
