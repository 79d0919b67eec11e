from __future__ import annotations

import pytest

from anamorph.language.tokens import tokenize
from anamorph.readers.answer.wordings import absent_at, exists, plain_yes, unsure_at


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("Yes.", True),
        ("I believe so.", True),
        ("You're right, there isn't.", True),
        ("It looks like it, yes.", True),
        ("Nope!", False),
        ("I'm afraid not.", False),
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
