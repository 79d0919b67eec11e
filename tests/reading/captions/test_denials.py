from __future__ import annotations

import pytest

from tests.reading.captions.conftest import Classes


@pytest.mark.parametrize(
    "text",
    [
        "There are no dogs.",
        "There isn't a single dog.",
        "There are not any dogs.",
        "No dog is in sight.",
        "Neither cats nor dogs are in view.",
        "The dogs are nowhere to be seen.",
        "The dog is not visible.",
        "The dog has not arrived yet.",
        "A dog cannot be seen.",
        "The yard is devoid of dogs.",
        "The yard is free of cats and dogs.",
        "The yard lacks a dog.",
        "a yard without a dog",
        "The man does not have a dog.",
        "no cats, birds, or dogs",
        "The yard is empty, nor are there any dogs.",
        "He holds a cat rather than a dog.",
    ],
)
def test_what_is_denied_is_absent(classes: Classes, text: str) -> None:
    assert classes(text)["dog"] == "0"


@pytest.mark.parametrize(
    "text",
    [
        "not only a dog",
        "The dog is not far away.",
        "The man is not looking at the dog.",
        "Neither of the dogs looks up.",
        "None of the dogs is asleep.",
        "no fewer than two dogs",
        "There is a dog but no other dogs.",
    ],
)
def test_what_is_not_denied_is_there(classes: Classes, text: str) -> None:
    assert classes(text)["dog"] != "0"


def test_nobody_else_leaves_the_one_who_is_there(classes: Classes) -> None:
    assert classes("A woman runs. There are no other people.") == {"person": "1"}
