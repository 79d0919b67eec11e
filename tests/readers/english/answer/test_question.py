from __future__ import annotations

import pytest

from anamorph.readers.english.answer.question import Target
from tests.english import understood


@pytest.mark.parametrize(
    ("question", "asks", "heads"),
    [
        ("How many dogs are in the image?", "how-many", ("dog",)),
        ("how many bikes", "how-many", ("bike",)),
        ("Count the wine glasses and reply in JSON.", "how-many", ("wine glass",)),
        ("What is the number of people in this photo?", "how-many", ("person",)),
        ("How many cats and dogs can you see?", "how-many", ("cat", "dog")),
        ("How many of the people are men?", "how-many", ("man",)),
        ("Is there a dog?", "is-there", ("dog",)),
        ("Are any dogs visible?", "is-there", ("dog",)),
        ("Do you see a frisbee?", "is-there", ("frisbee",)),
        ("Does the image contain pizza?", "is-there", ("pizza",)),
        ("Is anyone riding a bike?", "is-there", ("person",)),
        ("Does the room have a window?", "is-there", ("window",)),
        ("Is there no dog in the image?", "is-there-no", ("dog",)),
        ("Is it true that there are no people in the image?", "is-there-no", ("person",)),
        ("Is it false that there is a clock?", "is-there-no", ("clock",)),
        ("Is it false that there are no people?", "is-there", ("person",)),
        ("Is it untrue that there's a bus?", "is-there-no", ("bus",)),
        ("Is the picture without any people?", "is-there-no", ("person",)),
        ("Is the street free of cars?", "is-there-no", ("car",)),
        ("Does the image lack people?", "is-there-no", ("person",)),
        ("Are people absent from the image?", "is-there-no", ("person",)),
        ("Is it true that the picture is free of people?", "is-there-no", ("person",)),
        ("Are there any chairs without cushions?", "is-there", ("chair",)),
        ("What colour is it?", None, ()),
    ],
)
def test_what_is_asked_and_for_what(question: str, asks: str | None, heads: tuple[str, ...]) -> None:
    found = understood(question)
    assert found.asks == asks
    assert tuple(target.head for target in found.targets) == heads


@pytest.mark.parametrize(
    ("question", "target"),
    [
        ("How many red cars are there?", Target("car", "car", ("red",))),
        (
            "How many red cars and blue cars are in the image?",
            Target("car", "car", ("red", "blue"), either=("blue", "red")),
        ),
        ("How many umbrellas are open?", Target("umbrella", "umbrella", ("open",))),
        ("How many people are wearing hats?", Target("person", "person", ("wearing",), ("hat",))),
        ("How many people with umbrellas are there?", Target("person", "person", (), ("umbrella",))),
        ("How many people are not wearing hats?", Target("person", "person", ("wearing",), ("hat",), (), True)),
        ("How many dogs are on the couch?", Target("dog", "dog", (), (), ("couch",))),
        ("How many bananas are left?", Target("banana", "banana")),
    ],
)
def test_what_a_thing_must_be_like(question: str, target: Target) -> None:
    assert understood(question).targets == (target,)


def test_a_question_with_a_number_says_what_a_yes_confirms() -> None:
    assert understood("Are there two dogs?").bounds == (2, 2)
    assert understood("Are there more than two dogs?").bounds == (3, None)
    assert understood("Is there a dog?").bounds is None
    assert understood("Are there some dogs?").bounds is None


@pytest.mark.parametrize(
    "question",
    [
        "Is the man wearing a hat?",
        "Are there more cats than dogs?",
        "Has the boy caught the ball?",
        "Is it raining?",
        "Does the child have a backpack?",
        "Is this photo taken indoors?",
    ],
)
def test_some_questions_ask_whether_something_is_so(question: str) -> None:
    assert understood(question).whether == question


@pytest.mark.parametrize(
    "question",
    [
        "Is there a hat?",
        "Are there more than two dogs?",
        "Does the image show a hat?",
        "Is the dog visible?",
        "Is the dog in the picture?",
        "Is anyone wearing a hat?",
        "Is it true that there are no dogs?",
        "How many hats are there?",
    ],
)
def test_others_ask_whether_it_is_there(question: str) -> None:
    assert not understood(question).whether


@pytest.mark.parametrize(
    ("target", "head", "label", "covered"),
    [
        (Target("person", "person"), "woman", "person", True),
        (Target("woman", "person"), "man", "person", False),
        (Target("woman", "person"), "person", "person", False),
        (Target("dog", "dog"), "beagle", "dog", True),
        (Target("dog", "dog"), "hot dog", "hot dog", False),
        (Target("bear", "bear"), "teddy bear", "teddy bear", False),
        (Target("child", "person"), "girl", "person", True),
        (Target("animal", None), "cow", "cow", True),
        (Target("vehicle", None), "bus", "bus", True),
        (Target("duck", "bird"), "duckling", "bird", True),
        (Target("surfboard", "surfboard"), "surfbord", None, True),
        (Target("cat", "cat"), "car", "car", False),
    ],
)
def test_kinds_belong_to_what_was_asked_for(target: Target, head: str, label: str | None, covered: bool) -> None:
    assert target.covers(head, label) is covered


def test_a_question_that_denies_what_somebody_does_or_has_asks_whether_it_is_so() -> None:
    assert understood("Is it false that the cat is sleeping?").negated
    assert understood("Is the man without a hat?").negated
    assert understood("Is it false that there are two dogs?").bounds == (2, 2)
    assert not understood("Is it true that the cat is sleeping?").negated
