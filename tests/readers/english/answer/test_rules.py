"""The rules that keep an answer from being over-read: `answers_rules.jsonl` has the rows, marked by rule."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from anamorph.language.mentions.finding import find_mentions
from anamorph.language.naming import namer_of
from anamorph.language.tokens import tokenize
from anamorph.model import AnswerReading, Unreadable
from anamorph.readers.english.answer.claims import claimed
from anamorph.readers.english.answer.phrases import find_phrases
from anamorph.readers.english.answer.question import Target, tagger
from anamorph.readers.english.answer.words import Sentence, Words
from tests.english import COCO, answer_reader, understood

READER = answer_reader()
ROWS = [json.loads(line) for line in Path(__file__).with_name("answers_rules.jsonl").read_text("utf-8").splitlines()]
RULES = ("first", "part", "list", "guess", "name", "chat")


def outcome(row: dict[str, Any]) -> str:
    """How a row is read; `about`: an interval around the number is right, `may_be_unread`: so is no reading at all."""
    reading = READER.read_text(row["answer"], row["question"])
    if isinstance(reading, Unreadable):
        return "right" if row.get("unreadable") or row.get("may_be_unread") else "unread"
    if row.get("unreadable"):
        return "wrong"
    if row.get("about"):
        high = row["least"] if reading.most is None else reading.most
        return "right" if reading.number is None and reading.least <= row["least"] <= high else "wrong"
    return "right" if (reading.least, reading.most) == (row["least"], row["most"]) else "wrong"


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_reads_its_rows(rule: str) -> None:
    rows = [row for row in ROWS if row["rule"] == rule]
    assert len(rows) >= 40
    found = Counter(map(outcome, rows))
    assert found["wrong"] <= (4 if rule == "chat" else 0), found
    assert found["unread"] <= 0.05 * len(rows), found


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("There are two dogs.", (2, None)),
        ("There are only two dogs.", (2, 2)),
        ("There are two dogs and no cats.", (2, 2)),
        ("There are two.", (2, 2)),
        ("There are two dogs and a cat.", (3, 3)),
    ],
)
def test_a_part_that_was_not_found_leaves_the_total_open(answer: str, expected: tuple[int, int | None]) -> None:
    reading = READER.read_text(answer, "How many dogs and cats are there?")
    assert isinstance(reading, AnswerReading) and (reading.least, reading.most) == expected


def test_a_part_that_is_denied_is_no_zero() -> None:
    for question, answer in (
        ("How many dogs and cats are there?", "There are no dogs."),
        ("How many yellow and dark bottles are there?", "No yellow bottles."),
        ("Are there any dogs or cats?", "There are no dogs."),
    ):
        assert isinstance(READER.read_text(answer, question), Unreadable)


def test_what_may_be_there_is_neither_a_yes_nor_a_no() -> None:
    for question in ("How many dogs are there?", "Is there a dog?"):
        reading = READER.read_text("There may be a dog.", question)
        assert isinstance(reading, AnswerReading)
        assert (reading.least, reading.most, reading.there) == (0, 1, None)


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("Is there a dog?", "Yes, there may be two dogs.", (1, None)),
        ("Is there a cup?", "Yes, there are two mugs.", (1, None)),
        ("Is there a cup?", "No, but there are two mugs.", (0, 0)),
        ("Is there a cup?", "There are two mugs.", (0, 2)),
        ("How many cups are there?", "There are 3 mugs. One of them is red.", (0, 3)),
    ],
)
def test_a_yes_or_no_settles_what_may_be_there(question: str, answer: str, expected: tuple[int, int | None]) -> None:
    reading = READER.read_text(answer, question)
    assert isinstance(reading, AnswerReading) and (reading.least, reading.most) == expected


def of_mugs(answer: str, question: str = "How many cups are there?") -> tuple[int, int | None] | None:
    """What an answer claims where a mug has no label and may be a cup."""
    tokens, namer, asked = tokenize(answer), namer_of(COCO), understood(question)
    tags = tagger().tag(tokens)
    mentions = [
        replace(mention, label=None, may_be=("cup",)) if mention.head == "mug" else mention
        for mention in find_mentions(answer, tokens, tags, namer)
    ]
    words = Words(tokens, tags, [Sentence(0, len(tags), False)])
    return claimed(words, find_phrases(words, mentions, asked, namer), asked, None)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Two mugs.", (0, 2)),
        ("There are two paper cups and a mug.", (2, 3)),
        # Whoever names cups does not mean the mugs beside them.
        ("There are two cups and a mug.", (2, 2)),
        ("Three. The mugs are on the shelf.", (3, 3)),
        ("One cup, a mug with flowers.", (1, 1)),
        ("There are three cups: two mugs and a tea cup.", (3, 3)),
        ("The mug is on the table.", (0, 1)),
        ("There are no mugs.", None),
        ("There are no cups, only two mugs.", (0, 0)),
    ],
)
def test_a_word_that_may_be_the_class_counts_from_nothing_up(answer: str, expected: tuple[int, int] | None) -> None:
    assert of_mugs(answer) == expected


def test_a_word_that_may_be_the_class_says_nothing_of_others_of_its_kind() -> None:
    assert of_mugs("Two blue mugs.", "How many red cups are there?") is None
    assert of_mugs("Two mugs.", "How many mugs are there?") == (2, 2)
    assert Target("cup", "cup").may_cover(("cup", "bowl"))
    assert not Target("cup", "cup").may_cover(("bowl",))
    assert not Target("cup", None).may_cover(())
