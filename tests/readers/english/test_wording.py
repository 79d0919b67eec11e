from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from anamorph.model import AnswerReading, Unreadable, Wording
from anamorph.readers.english.wording import normal_wording
from tests.english import wording_reader


@given(st.text())
def test_the_normal_form_is_stable_and_ignores_case_and_spacing(text: str) -> None:
    normal = normal_wording(text)
    assert normal_wording(f"  {text}\n") == normal
    assert "  " not in normal


def test_marks_at_the_ends_go_and_those_within_stay() -> None:
    assert normal_wording('"A man, a plan!"') == "a man, a plan"


def test_full_width_letters_are_letters() -> None:
    assert normal_wording("\uff21 \uff44\uff4f\uff47") == "a dog"


def test_a_text_keeps_its_wording_and_an_empty_one_is_unreadable() -> None:
    assert wording_reader().read_text("A Dog.") == Wording("A Dog.", "a dog")
    assert isinstance(wording_reader().read_text(" "), Unreadable)


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("What color is the car?", ["Red.", "red", "The car is red.", "It's red", "A red"]),
        ("How many wheels are there?", ["two", "2", "Two."]),
        ("Where is the cat?", ["on the couch", "On the couch.", "The cat is on the couch.", "It is on a couch"]),
    ],
)
def test_short_answers_are_compared_by_meaning(question: str, texts: list[str]) -> None:
    assert len({normal_wording(text, question) for text in texts}) == 1


@pytest.mark.parametrize(
    "text", ["I do not know.", "I'm not sure.", "Unknown", "It's impossible to tell.", "Unclear.", "I have no idea."]
)
def test_who_does_not_know_says_nothing_that_can_agree(text: str) -> None:
    question = "What color is the car?"
    assert wording_reader().read_text(text, question) == Unreadable(text, "the system does not know")
    assert isinstance(wording_reader().read_text(text), Wording)


def test_what_answers_how_many_or_whether_is_read_besides_its_wording() -> None:
    counted = wording_reader().read_text("I see no dogs here.", "How many dogs are there?")
    assert isinstance(counted, Wording) and (counted.asked, counted.asks) == (True, "how-many")
    assert isinstance(counted.said, AnswerReading) and counted.said.number == 0
    told = wording_reader().read_text("The dog is asleep.", "What is the dog doing?")
    assert isinstance(told, Wording) and (told.asked, told.asks, told.said) == (True, None, None)


def test_who_is_unsure_but_answers_is_read() -> None:
    assert isinstance(wording_reader().read_text("I'm not sure, but it looks red.", "What color is it?"), Wording)


def test_sentences_of_other_things_differ() -> None:
    question = "What color is the car?"
    assert normal_wording("The truck is red.", question) != normal_wording("red", question)
    assert normal_wording("The car is red.") != normal_wording("red")
    assert normal_wording("The dog is asleep.") != normal_wording("The cat is asleep.")
