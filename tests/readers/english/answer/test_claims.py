"""What phrases come to together; each pair is the same answer with one word changed."""

from __future__ import annotations

import pytest

from anamorph.model import AnswerReading, Unreadable
from tests.english import answer_reader

READER = answer_reader()
DOGS = "How many dogs are in the image?"


def interval(answer: str, question: str = DOGS) -> tuple[int, int | None]:
    reading = READER.read_text(answer, question)
    assert isinstance(reading, AnswerReading), reading
    return reading.least, reading.most


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("There are two dogs, one brown and one white.", (2, 2)),
        ("There are two dogs in front, one behind, and three more at the door.", (6, 6)),
        ("Three dogs: two puppies and their mother.", (3, 3)),
        ("Several dogs: two puppies and a beagle.", (3, 3)),
        ("Several dogs, including two puppies.", (2, None)),
        ("Several dogs, at least five of them puppies.", (5, None)),
        ("Two dogs and three cats.", (2, 2)),
        ("One dog, a poodle.", (1, 1)),
        ("A dog and another dog.", (2, 2)),
        ("Three dogs, possibly four.", (3, 4)),
        ("Three dogs, possibly four if the shape at the back is also a dog.", (3, 4)),
        ("There are three dogs in the image, four if you count the puppy.", (3, 4)),
        ("Three dogs in the yard and possibly four more behind the fence.", (3, 7)),
        ("There is one dog. Wait, there is another one behind it.", (2, 2)),
        ("The photo shows a beagle and her puppies. I'd count 4 dogs.", (4, 4)),
        ("I thought there were three dogs, but there are actually four.", (4, 4)),
        ("A dog on the left. On the right, there are two dogs.", (3, 3)),
        ("2 dogs + 1 puppy = 3 dogs", (3, 3)),
        ("1. A beagle\n2. A poodle\n3. A cat", (2, 2)),
        ("Two of the five dogs are asleep.", (5, 5)),
        ("Three men, each with a dog.", (3, 3)),
    ],
)
def test_parts_wholes_additions_and_corrections(answer: str, expected: tuple[int, int | None]) -> None:
    assert interval(answer) == expected


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("How many red cars are there?", "Five cars, two of which are red.", (2, 2)),
        ("How many red cars are there?", "There is a car, but it is blue.", (0, 0)),
        ("How many red cars are there?", "2 red cars and 3 blue ones, for a total of 5 cars.", (2, 2)),
        ("How many red cars are there?", "2 red cars and 3 blue ones, so there are 5 cars.", (2, 2)),
        ("How many cars are there?", "2 red cars and 3 blue ones, for a total of 5 cars.", (5, 5)),
        ("How many red cars are there?", "There are 5 red cars. In total, there are 12 cars.", (5, 5)),
        ("Is there a red car?", "There is a car, but it is silver rather than red.", (0, 0)),
        ("Is there a red car?", "There is a car. However, it is silver.", (0, 0)),
        ("Is there a woman in a red dress?", "There is a woman, but her dress is blue.", (0, 0)),
        ("How many red cars and blue cars are there?", "Two red cars, one blue car and a green one.", (3, 3)),
        ("How many people are wearing hats?", "Two people are wearing hats, one is wearing a scarf.", (2, 2)),
        ("How many dogs are on the couch?", "One dog is on the couch and one is on the floor.", (1, 1)),
        ("How many people are not sitting?", "Two people are sitting and one is standing.", (1, 1)),
    ],
)
def test_only_what_fits_the_question_counts(question: str, answer: str, expected: tuple[int, int | None]) -> None:
    assert interval(answer, question) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "There are three dogs. There are no dogs.",
        "There are 2 dogs. There are 4 dogs in the image.",
        "There could be two dogs, or there could be none.",
    ],
)
def test_a_contradiction_is_unreadable(answer: str) -> None:
    assert isinstance(READER.read_text(answer, DOGS), Unreadable)
