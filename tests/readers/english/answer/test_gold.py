"""The reader against answers with their questions that were marked by hand before it read them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from anamorph.model import AnswerReading, Unreadable
from tests.english import answer_reader

GOLD = Path(__file__).resolve().parent / "answers_gold.jsonl"
READER = answer_reader()


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
        right = (reading.least, reading.most) == (least, most) or is_excused(row, reading)
    return "right" if right else "wrong"


def is_excused(row: dict[str, Any], reading: AnswerReading) -> bool:
    """Whether words that may or may not mean what was asked for leave a number open that holds what a person reads."""
    if not row.get("maybe"):
        return False
    most = row["most"]
    return (
        bool(row.get("maybe")) and reading.least <= row["least"] and reading.most is not None and most <= reading.most
    )


def test_answers_that_people_marked_are_read_right() -> None:
    rows = [json.loads(line) for line in GOLD.read_text("utf-8").splitlines()]
    assert len(rows) > 1600
    found = Counter(map(outcome, rows))
    assert found["right"] >= 0.985 * len(rows), found
    assert found["wrong"] <= 0.01 * len(rows), found


def realistic_outcome(row: dict[str, Any]) -> str:
    """How an answer is read, where a question whether something is so asks for no number.

    `about`: an interval around the number is right. `echo`: "Yes, there is a cat" may be one cat or at least one.
    `only_there`: nobody marked how many.
    """
    reading = READER.read_text(row["answer"], row["question"])
    if isinstance(reading, Unreadable):
        return "right" if row.get("unreadable") else "unread"
    if row.get("unreadable") or (reading.there != row["there"] and not is_excused(row, reading)):
        return "wrong"
    if row.get("only_there"):
        return "right"
    wanted = row["least"], row["most"]
    if reading.whether or wanted == (None, None):
        return "right" if reading.whether and wanted == (None, None) else "wrong"
    found = reading.least, reading.most
    accepted = {wanted}
    if row.get("echo"):
        accepted |= {(1, 1)} if wanted == (1, None) else {(1, None)}
    if row.get("about"):
        around = found[0] <= wanted[0] <= (wanted[0] if found[1] is None else found[1])
        return "right" if around and reading.number is None else "wrong"
    return "right" if found in accepted or is_excused(row, reading) else "wrong"


def test_realistic_answers_are_read_right() -> None:
    """Written before the rules that read them; first sight is in docs/readers/README.md."""
    rows = [json.loads(line) for line in GOLD.with_name("answers_realistic_tune.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == 869
    found = Counter(map(realistic_outcome, rows))
    assert found["right"] >= 0.98 * len(rows), found
    assert found["wrong"] <= 0.01 * len(rows), found


def test_realistic_answers_that_were_held_out_once_are_read_right() -> None:
    """Written by somebody else; at first sight .965 right, .035 wrong. Tuned on since."""
    rows = [json.loads(line) for line in GOLD.with_name("answers_realistic_held.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == 200
    found = Counter(map(realistic_outcome, rows))
    assert found["right"] >= 198 and found["wrong"] <= 1, found


def test_realistic_answers_of_a_second_hand_are_read_right() -> None:
    """Written by somebody else again; at first sight .945 right, .040 wrong. Tuned on since."""
    file = GOLD.with_name("answers_realistic_held_2.jsonl")
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert len(rows) == 200
    found = Counter(map(realistic_outcome, rows))
    assert found["right"] >= 198 and found["wrong"] <= 1, found


def test_realistic_answers_of_a_third_hand_are_read_right() -> None:
    """Written by somebody else again, 52 of them hard; at first sight .875 right, .075 wrong. Tuned on since."""
    file = GOLD.with_name("answers_realistic_held_3.jsonl")
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert len(rows) == 240
    found = Counter(map(realistic_outcome, rows))
    assert found["right"] >= 238 and found["wrong"] <= 1, found


def test_realistic_answers_that_nobody_tuned_on_are_read_right() -> None:
    """Written by somebody else again, as a run would see them, and scored once: .985 right, .010 wrong."""
    file = GOLD.with_name("answers_realistic_held_4.jsonl")
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert len(rows) == 200
    found = Counter(map(realistic_outcome, rows))
    assert found["right"] >= 0.97 * len(rows), found
    assert found["wrong"] <= 0.02 * len(rows), found


def test_realistic_answers_of_a_fifth_hand_are_read_right() -> None:
    """Written by somebody else again, 18 of them hard; at first sight .955 right, .025 wrong. Tuned on since."""
    file = GOLD.with_name("answers_realistic_held_5.jsonl")
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert len(rows) == 200
    found = Counter(map(realistic_outcome, rows))
    assert found["right"] >= 198 and found["wrong"] <= 1, found


def test_realistic_answers_of_a_sixth_hand_are_read_right() -> None:
    """Written by somebody else again, 21 of them hard; at first sight .980 right, .015 wrong. Tuned on since."""
    file = GOLD.with_name("answers_realistic_held_6.jsonl")
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert len(rows) == 200
    found = Counter(map(realistic_outcome, rows))
    assert found["right"] >= 197 and found["wrong"] <= 2, found


@pytest.mark.parametrize(
    ("question", "answer", "number"),
    [
        ("How many SUVs can you see?", "One SUV, a black one, parked behind the sedan.", 1),
        ("How many people are there?", "There are two people, a young couple sharing a bench.", 2),
        ("How many dogs are there?", "A dog, a brown one, sleeps on the couch.", 1),
        ("How many people are wearing hats?", "One person, a woman on the left, is wearing a hat.", 1),
        ("How many cups are there?", "There are 5 cups, since one cup is hidden behind the teapot.", 5),
        ("How many phones are visible?", "One phone. The man beside her holds a remote control, not a phone.", 1),
        ("How many dogs are there?", "There are two dogs. The other animal is not a dog but a cat.", 2),
        # Lists are no appositions, and what is not there is none.
        ("How many dogs are there?", "There is not a dog in the picture.", 0),
        ("How many dogs are there?", "A black dog, a brown one, and a white one.", 3),
        ("How many animals are there?", "One dog, a cat, and a bird.", 3),
        ("How many people are there?", "There are two people, a man and a woman.", 2),
    ],
)
def test_what_is_named_again_or_is_something_else_adds_nothing(question: str, answer: str, number: int) -> None:
    reading = READER.read_text(answer, question)
    assert not isinstance(reading, Unreadable) and reading.number == number


def test_answers_of_the_kinds_that_the_fifth_set_showed_are_read_right() -> None:
    """Eight rounds, each marked before it was read; first sight is in docs/readers/README.md."""
    file = GOLD.with_name("answers_realistic_tune_3.jsonl")
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert len(rows) == 648
    found = Counter(map(realistic_outcome, rows))
    assert found["right"] >= 0.98 * len(rows), found
    assert found["wrong"] <= 0.01 * len(rows), found


def test_answers_of_kinds_that_no_other_set_covers_are_read_right() -> None:
    """28 rounds, each marked before it was read, most of them hard; first sight is in docs/readers/README.md."""
    file = GOLD.with_name("answers_realistic_tune_2.jsonl")
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert len(rows) == 1231
    found = Counter(map(realistic_outcome, rows))
    assert found["right"] >= 0.98 * len(rows), found
    assert found["wrong"] <= 0.01 * len(rows), found


def test_answers_that_were_held_out_once_are_read_right() -> None:
    """Written by somebody else; at first sight .873 right, .087 wrong, the rest unread. Tuned on since."""
    rows = [json.loads(line) for line in GOLD.with_name("answers_held.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == 150
    found = Counter(map(outcome, rows))
    assert found["right"] >= 144 and found["wrong"] <= 4, found
