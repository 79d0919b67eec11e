from __future__ import annotations

import pytest

from anamorph.model.reading import AnswerReading
from anamorph.reading.options import chosen, without_options
from tests.english import answer_reader


@pytest.mark.parametrize(
    "question",
    [
        "Is there a dog?\n(A) yes (B) no",
        "Is there a dog?\nA. yes\nB. no",
        "Is there a dog? A) yes B) no",
        "Is there a dog?\nOptions:\nA: yes\nB: no",
    ],
)
def test_options_are_no_part_of_the_question(question: str) -> None:
    assert without_options(question) == ("Is there a dog?", {"A": "yes", "B": "no"})


@pytest.mark.parametrize(
    "answer", ["B", "(B)", "b)", "B. no", "**B**", "Answer: B", "The correct option is (B) no.", "Option B"]
)
def test_a_letter_stands_for_its_option(answer: str) -> None:
    assert chosen(answer, {"A": "yes", "B": "no"}) == "no"


@pytest.mark.parametrize("answer", ["A dog is lying there.", "Both of them.", "No.", "C"])
def test_what_is_no_letter_of_an_option_stays(answer: str) -> None:
    assert chosen(answer, {"A": "yes", "B": "no"}) == answer


def test_the_turn_of_a_dialogue_is_not_part_of_the_answer() -> None:
    assert chosen("A: Yes", {}) == chosen("Q: Is there a dog? A: Yes", {}) == "Yes"
    assert chosen("A dog: yes", {}) == "A dog: yes"


def test_a_question_without_options_stays() -> None:
    assert without_options("Is vitamin A. in it?") == ("Is vitamin A. in it?", {})


def test_options_may_be_numbers() -> None:
    reading = answer_reader().read_text("C", "How many dogs are there? (A) 1 (B) 2 (C) 3")
    assert isinstance(reading, AnswerReading)
    assert reading.number == 3
