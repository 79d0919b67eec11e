"""Texts that people marked, read by the reader of English: what is wrong counts, and then what is unread.

Realistic rows are as a run would see them. Hard rows were made to mislead: more of them may stay unread. All of them
were looked at while the rules were written, so these figures do not say how well new texts are read.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from anamorph.catalog import find
from anamorph.model import Answer, Wanted
from tests.english import COCO
from tests.reading.scoring import GOLD, rows_of, scored


def files(kind: str) -> list[Path]:
    found = sorted(GOLD.glob(f"{kind}_*.jsonl"))
    assert found
    return found


def outcomes(paths: list[Path]) -> Counter[str]:
    reader = find("readers", "english")()
    return Counter(outcome for path in paths for outcome, *_ in scored(rows_of(path), reader, COCO))


@pytest.mark.parametrize(
    ("kind", "wrong", "unread", "wide"), [("answers_realistic", 0.01, 0.05, 0.1), ("answers_hard", 0.035, 0.12, 0.14)]
)
def test_answers_are_seldom_unread_and_hardly_ever_wrong(kind: str, wrong: float, unread: float, wide: float) -> None:
    found = outcomes(files(kind))
    assert found["wrong"] <= wrong * found.total(), found
    assert found["unread"] <= unread * found.total(), found
    assert found["wide"] <= wide * found.total(), found


@pytest.mark.parametrize(("kind", "wrong"), [("captions_realistic", 0.01), ("captions_hard", 0.015)])
def test_captions_name_what_people_say_they_name(kind: str, wrong: float) -> None:
    found = outcomes(files(kind))
    read = found["right"] + found["wide"] + found["wrong"]
    assert 2 * read / (2 * read + found["extra"] + found["missed"]) >= 0.99, found
    assert found["wrong"] <= wrong * read, found
    assert found["unread"] == 0


def test_what_a_caption_says_is_absent_is_never_read_as_there() -> None:
    for path in (*files("captions_realistic"), GOLD / "captions_hard_2.jsonl"):
        extra = [
            text
            for outcome, row, text in scored(rows_of(path), find("readers", "english")(), COCO)
            if outcome == "extra" and row["classes"].get(text.partition(":")[0]) == [0, 0]
        ]
        assert not extra


def test_sentences_cut_and_joined_anywhere_never_stop_the_reader() -> None:
    texts = [row.get("caption") or row["answer"] for path in files("*realistic") for row in rows_of(path)]
    reader, random = find("readers", "english")(), Random(7)
    for _ in range(2_000):
        one, other = random.choice(texts).split(), random.choice(texts).split()
        text = " ".join([*one[: random.randrange(len(one) + 1)], *other[random.randrange(len(other) + 1) :]])
        reader.read(Answer(text), Wanted("caption", COCO, None))
        reader.read(Answer(text), Wanted("answer", COCO, "How many red cars and people are on the left?"))


def test_a_guess_of_a_class_that_nothing_else_names_is_no_thing_to_come_back_to() -> None:
    text = "Ski poles enter the frame, hinting that a skier took the photo. A tree stands here and another one there."
    assert find("readers", "english")().read(Answer(text), Wanted("caption", COCO, None)).labels == ()
