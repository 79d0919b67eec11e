from __future__ import annotations

import pytest

from anamorph.model import Unreadable
from anamorph.model.reading import AnswerReading
from tests.english import answer_reader


@pytest.mark.parametrize(
    ("question", "answer", "so"),
    [
        ("Is the door open?", "The door is closed.", False),
        ("Is the TV on?", "The TV is on.", True),
        ("Is the frisbee in the air?", "The frisbee is in mid-air, above the dog.", True),
        ("Is the frisbee in the air?", "The frisbee is lying on the ground.", False),
        ("Is the bird flying?", "The bird is in flight.", True),
        ("Is the cat on the sofa?", "The cat is curled up on the couch.", True),
        ("Is the cat looking at the camera?", "The cat isn't looking at the camera.", False),
        ("Is the woman holding an umbrella?", "She is holding a bag, not an umbrella.", False),
        ("Is the street wet?", "It appears to be wet.", True),
        ("Are the lights on?", "They are not.", False),
        ("Are there more cats than dogs?", "Yes, there are two cats and only one dog.", True),
        ("Has the food been eaten?", "It looks like it has been eaten.", True),
        ("Is there only one cat?", "No, there are two cats.", False),
        ("Are there more than two boats?", "There are exactly two boats.", False),
        ("Are there at least two boats?", "There are three boats.", True),
        ("Are there more cats than dogs?", "There are two cats and three dogs.", False),
        ("Are there both a dog and a cat?", "There is a dog, but I don't see a cat.", False),
        (
            "Are all the people wearing helmets?",
            "Two of the three cyclists are, but the one in the back is not.",
            False,
        ),
        ("Do the two men wear ties?", "Only one of them does.", False),
        ("Is the cat on the couch?", "The cat is lying in front of the couch, not on it.", False),
        ("Is the plate empty?", "There is still half a sandwich on the plate.", False),
        ("Is the man wearing shoes?", "He's barefoot.", False),
        ("Is the boy riding a bike?", "He is riding a skateboard.", False),
        ("Is the man holding it in his left hand?", "He is holding it in his right hand.", False),
        ("Is the building taller than the tree?", "The tree is taller than the building.", False),
        ("Would you say the room is tidy?", "It is tidy.", True),
    ],
)
def test_a_sentence_says_whether_it_is_so(question: str, answer: str, so: bool) -> None:
    reading = answer_reader().read_text(answer, question)
    assert isinstance(reading, AnswerReading)
    assert (reading.whether, reading.there, reading.yes) == (True, so, so)


@pytest.mark.parametrize(
    ("answer", "so"),
    [
        ("That's right, all the children are barefoot.", False),
        ("Yes.", False),
        ("No.", True),
        ("No, they are wearing shoes.", True),
        ("They are not.", False),
    ],
)
def test_a_question_with_a_not_is_resolved_to_what_it_denies(answer: str, so: bool) -> None:
    reading = answer_reader().read_text(answer, "Are the children not wearing shoes?")
    assert isinstance(reading, AnswerReading)
    assert (reading.whether, reading.there) == (True, so)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is the bus red or blue?", "The bus is red."),
        ("Is the sky cloudy?", "The sky is above the sea."),
        ("Is the man asleep?", "I cannot tell whether the man is asleep."),
    ],
)
def test_what_does_not_say_it_is_not_read(question: str, answer: str) -> None:
    assert not isinstance(answer_reader().read_text(answer, question), AnswerReading)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is the TV on?", "The TV is on the wall."),
        ("Is the plane in the air?", "The plane is about to take off from the runway."),
        ("Is the dog in the water?", "The dog is standing next to the pool."),
    ],
)
def test_what_is_near_the_question_is_no_answer(question: str, answer: str) -> None:
    assert isinstance(answer_reader().read_text(answer, question), Unreadable)


def test_a_question_that_denies_turns_a_bare_yes_around() -> None:
    for answer, so in (("Yes.", False), ("No.", True), ("No, he is wearing a hat.", True), ("Yes, it is.", False)):
        for question in ("Is it false that the man is wearing a hat?", "Is it untrue that the man is wearing a hat?"):
            reading = answer_reader().read_text(answer, question)
            assert isinstance(reading, AnswerReading)
            assert (reading.whether, reading.there, reading.yes) == (True, so, not so)
