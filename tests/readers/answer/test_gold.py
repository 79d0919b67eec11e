"""The reader against answers with their questions that were marked by hand before it read them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from anamorph.model import Unreadable
from anamorph.readers.answer.reader import AnswerReader

GOLD = Path(__file__).resolve().parent / "answers_gold.jsonl"
READER = AnswerReader()


def outcome(row: dict[str, Any]) -> str:
    reading = READER.read_text(row["answer"], row["question"])
    if isinstance(reading, Unreadable):
        return "right" if row.get("unreadable") else "unread"
    if row.get("unreadable"):
        return "wrong"
    least, most = row["least"], row["most"]
    if row.get("about"):
        # "About ten" is an interval around ten; how wide it is, nobody can say.
        right = reading.least <= least <= (least if reading.most is None else reading.most) and reading.number is None
    else:
        right = (reading.least, reading.most) == (least, most)
    return "right" if right else "wrong"


def test_answers_that_people_marked_are_read_right() -> None:
    rows = [json.loads(line) for line in GOLD.read_text("utf-8").splitlines()]
    assert len(rows) > 1600
    found = Counter(map(outcome, rows))
    assert found["right"] >= 0.985 * len(rows), found
    assert found["wrong"] <= 0.01 * len(rows), found


def test_held_out_answers_are_read_no_worse_than_at_first_sight() -> None:
    """Written by somebody else and scored once, when the rules were done: .873 right, .087 wrong, the rest unread."""
    rows = [json.loads(line) for line in GOLD.with_name("answers_held.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == 150
    found = Counter(map(outcome, rows))
    assert found["right"] >= 131 and found["wrong"] <= 13, found
