from __future__ import annotations

import pytest

from anamorph.language.tokens import tokenize
from anamorph.readers.english.answer.wordings import absent_at, corrected, exists, plain_yes, says_so, unsure_at


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("Yes.", True),
        ("I believe so.", True),
        ("You're right, there isn't.", True),
        ("It looks like it, yes.", True),
        ("Nope!", False),
        ("I'm afraid not.", False),
        ("I'm afraid so. A man is there.", True),
        ("Sorry, but no. It is a scooter.", False),
        ("Unfortunately not. It is a cat.", False),
        ("Yes. Actually, it's a tram, so no.", False),
        ("It is a spoon, so no, there isn't one.", False),
        ("Unfortunately, no.", False),
        ("Not that I can see.", False),
        ("That's not true.", False),
        ("The dog is black, so no.", False),
        ("No dogs are there.", None),
        ("N/A", None),
        ("yes or no", None),
        ("The dog is black.", None),
    ],
)
def test_the_yes_or_no_of_an_answer(text: str, yes: bool | None) -> None:
    assert plain_yes(tokenize(text).lowers) is yes


def test_an_answer_may_say_that_it_is_there_without_naming_it() -> None:
    assert exists(tokenize("No, there is.").lowers) is True
    assert exists(tokenize("There isn't.").lowers) is False
    assert exists(tokenize("There is a dog.").lowers) is None


def test_not_knowing_and_not_seeing_are_two_things() -> None:
    assert unsure_at("It is too dark to tell.") is not None
    assert unsure_at("There are two dogs.") is None
    assert absent_at("I don't see any dogs.") is not None
    assert absent_at("I don't see an image.") is None


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("Yes, it is false.", True),
        ("It is false.", True),
        ("That's correct.", True),
        ("That's not true.", None),
        ("That's true.", None),
        ("That's false.", None),
        ("No, it isn't.", False),
        ("It isn't.", False),
    ],
)
def test_the_answer_to_whether_something_is_false(text: str, yes: bool | None) -> None:
    lowers = tokenize(text).lowers
    assert says_so(lowers, plain_yes(lowers), false=True) is yes


def test_what_follows_a_correction_is_what_is_meant() -> None:
    assert corrected("Yes, a dog. Wait, it is a fox.") == "Wait, it is a fox."
    assert corrected("Actually, there is a dog.") is None
