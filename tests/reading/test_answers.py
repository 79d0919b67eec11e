from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from anamorph.model import Unreadable
from anamorph.model.reading import AnswerReading
from tests.english import answer_reader, read_as

READER = answer_reader()


def read(text: str, question: str | None = None) -> AnswerReading:
    reading = READER.read_text(text, question)
    assert isinstance(reading, AnswerReading), reading
    return reading


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2", 2),
        ("0", 0),
        ("Two.", 2),
        ("two dogs", 2),
        ("twenty-one", 21),
        ("1,200 people", 1200),
        ("a dozen", 12),
        ("a couple", 2),
        ("both", 2),
        ("a", 1),
        ("one", 1),
        ("Only one.", 1),
        ("Just two people.", 2),
        ("none", 0),
        ("zero", 0),
        ("nothing", 0),
        ("no one", 0),
        ("No dogs", 0),
        ("no people are visible", 0),
        ("There are two dogs in the image.", 2),
        ("There is a dog in the image.", 1),
        ("There's one cat on the sofa", 1),
        ("There are no dogs in the image.", 0),
        ("There isn't a dog in the image.", 0),
        ("I don't see any dogs in the image.", 0),
        ("I don\u2019t see any dogs.", 0),
        ("The image does not contain any cats.", 0),
        ("There are 3 people and 2 dogs.", 5),
        ("There is one man and a woman.", 2),
        ("There are two dogs but there is no cat.", 2),
        ("There are no people and two dogs.", 2),
        ("There are two dogs, one brown and one white.", 2),
        ("There are two people sitting at a table.", 2),
        ("Two people are standing near three cars", 2),
        ("There are a total of 5 animals in the image: 2 dogs and 3 cats.", 5),
        ("The image shows two dogs.", 2),
        ("The number of people in the image is 4.", 4),
        ("In this picture, I can see 2 dogs and 1 cat.", 3),
        ("I count 4.", 4),
        ("The answer is 3.", 3),
        ("I think there are 3 dogs, but I'm not sure", 3),
    ],
)
def test_a_number_is_read_from_digits_words_and_sentences(text: str, number: int) -> None:
    reading = read(text)
    assert (reading.number, reading.yes) == (number, None)
    assert reading.form == "number"


@pytest.mark.parametrize(
    "text",
    [
        "many",
        "Several.",
        "a few",
        "a lot",
        "lots",
        "dozens",
        "hundreds of people",
        "about 10",
        "10+",
        "more than 20",
        "at least 3",
        "2 or 3",
        "two to three",
        "There are many people.",
        "There are about ten people.",
        "There are a lot of birds.",
        "There are some dogs",
        "The image features a group of people",
        "It's hard to tell, but there are about ten.",
    ],
)
def test_a_vague_number_is_never_an_exact_one(text: str) -> None:
    reading = read(text)
    assert reading.number is None
    assert reading.least >= 2 or reading.most != reading.least
    assert reading.form == "vague"
    assert reading.there is True


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("yes", True),
        ("YES!", True),
        ("Yeah", True),
        ("Yes, there is a dog in the image.", True),
        ("Yes, there are two dogs in the image.", True),
        ("There is.", True),
        ("Correct.", True),
        ("That is correct.", True),
        ("That's right", True),
        ("of course", True),
        ("Definitely", True),
        ("no", False),
        ("No.", False),
        ("nope", False),
        ("No, there is not.", False),
        ("No there isn't", False),
        ("No, there are no dogs in the image.", False),
        ("No, there is no dog, but there are two cats.", False),
        ("No, I don't see any dog.", False),
        ("not really", False),
        ("Definitely not.", False),
        ("There is not.", False),
        ("That is not correct.", False),
        ("That is incorrect.", False),
        ("false", False),
    ],
)
def test_yes_and_no_have_many_wordings(text: str, yes: bool) -> None:
    reading = read(text)
    assert reading.yes is yes
    assert reading.form == "yes-no"
    assert reading.there is yes


def test_a_yes_with_a_number_says_both_and_a_bare_no_says_none() -> None:
    assert read("Yes, there are two dogs.").number == 2
    assert read("no").number == 0
    assert read("yes").number is None


def test_a_statement_answers_a_question_and_its_opposite() -> None:
    there, not_there = read("There is a dog in the image."), read("There is no dog in the image.")
    assert (there.there, there.to("is-there-no").there) == (True, True)
    assert (not_there.there, not_there.to("is-there-no").there) == (False, False)


def test_a_question_tells_which_numbers_count() -> None:
    text = "A man is walking three dogs past two cars."
    assert read(text, "How many dogs are in the image?").number == 3
    assert read(text, "How many cars and dogs are in the image?").number == 5


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("  ", "empty"),
        ("??", "no words"),
        ("犬", "not in English"),
        ("I'm sorry, I can't help with that.", "refuses"),
        ("I cannot see the image.", "refuses"),
        ("I don't know", "does not know"),
        ("unclear", "does not know"),
        ("It is not possible to determine.", "does not know"),
        ("maybe", "does not know"),
        ("dog", "neither"),
        ("blue", "neither"),
        ("on the table", "neither"),
        ("2.5", "neither"),
        ("-1", "neither"),
        ("50%", "neither"),
        ("yes or no", "neither"),
    ],
)
def test_what_says_nothing_is_unreadable_and_never_a_number(text: str, reason: str) -> None:
    reading = READER.read_text(text)
    assert isinstance(reading, Unreadable)
    assert reason in reading.reason


def test_labels_instead_of_a_text_are_unreadable() -> None:
    assert isinstance(read_as("answer", {}), Unreadable)


def test_an_interval_that_is_none_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="3 to 2 is not an interval"):
        AnswerReading("hm", 3, 2)


@given(st.integers(0, 999_999))
def test_every_whole_number_reads_as_itself(number: int) -> None:
    assert read(str(number)).number == number
    assert read(f"{number:,}").number == number
    assert read(f"There are {number} dogs in the image.").number == number


@given(st.text(max_size=200))
def test_any_answer_is_read_without_error_and_the_same_twice(text: str) -> None:
    reading = READER.read_text(text)
    assert reading.text == text
    assert READER.read_text(text) == reading


@pytest.mark.parametrize(
    ("question", "answer", "least", "most"),
    [
        ("How many signs are visible?", "One sign is in front. In total there are roughly five or six.", 5, 6),
        ("How many rocks are there?", "There are two or three big boulders: one in front, and one on the left.", 2, 5),
        ("How many buses are there?", "There is one bus. It is articulated, so it may look like two.", 1, 2),
        ("How many remotes are on the tables?", "There are three remotes. Two of them are on the side table.", 2, 3),
        ("How many pies are on the table?", "I see two pies: one at the left, and a smaller one near the table.", 1, 2),
        ("How many red cars are there?", "Two red cars and three blue ones, five in total.", 2, 2),
        ("How many toothbrushes are there?", "Two toothbrushes, one on the shelf and another one by the tap.", 2, 2),
        ("How many cups are on the table?", "There are at least six cups. Two of them are on the table.", 2, None),
        ("How many legs can be seen?", "Three legs are visible. The fourth is hidden.", 3, 3),
        ("How many people are there?", "There are many people. In front, four people wait, and ten more.", 4, None),
    ],
)
def test_no_number_that_an_answer_gives_is_left_out(question: str, answer: str, least: int, most: int | None) -> None:
    reading = read(answer, question)
    assert (reading.least, reading.most) == (least, most)
