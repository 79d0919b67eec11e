from __future__ import annotations

import pytest

from anamorph.toybox.questions import asked_by


@pytest.mark.parametrize(
    ("question", "asks", "things"),
    [
        ("How many dogs are in the image?", "how-many", [("dog", None)]),
        ("how many people are there in the photo", "how-many", [("person", None)]),
        ("How many sheep and dining tables are in the image?", "how-many", [("sheep", None), ("dining table", None)]),
        ("How many red cars and blue cars are in the image?", "how-many", [("car", "red"), ("car", "blue")]),
        ("How many red and blue cars are in the image?", "how-many", [("car", "red"), ("car", "blue")]),
        ("How many orange and red apples are there?", "how-many", [("apple", "orange"), ("apple", "red")]),
        (
            "How many oranges, apples and cups are there?",
            "how-many",
            [("orange", None), ("apple", None), ("cup", None)],
        ),
        ("How many orange cats are in the image?", "how-many", [("cat", "orange")]),
        ("How many people sitting are in the image?", "how-many", [("person", "sitting")]),
        ("Is there any potted plant in the image?", "is-there", [("potted plant", None)]),
        ("Are there any sofas in this picture?", "is-there", [("couch", None)]),
        ("Is there a red car in the image?", "is-there", [("car", "red")]),
        ("Is there any orange in the image?", "is-there", [("orange", None)]),
        ("Is there no skateboard in the image?", "is-there-no", [("skateboard", None)]),
    ],
)
def test_questions_are_understood(question: str, asks: str, things: list[tuple[str, str | None]]) -> None:
    asked = asked_by(question)
    assert asked is not None
    assert (asked.asks, list(asked.things)) == (asks, things)


@pytest.mark.parametrize(
    "question",
    ["What is this?", "How many men are in the image?", "How many shiny cars are there?", "", "Is there any?"],
)
def test_what_the_toybox_keeps_no_account_of_is_not_guessed(question: str) -> None:
    assert asked_by(question) is None
