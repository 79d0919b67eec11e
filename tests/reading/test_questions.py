from __future__ import annotations

import pytest

from anamorph.reading.questions import Asked, Vocabulary, nouns_for

WORDS = Vocabulary(
    nouns_for(("person", "orange", "scissors", "broccoli", "tv", "hot dog", "couch", "sofa")),
    frozenset(("red", "orange", "hot")),
    frozenset(("sitting",)),
)


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("How many pairs of red scissors are in the image?", [("scissors", "red")]),
        ("How many pieces of broccoli and TVs are there in this photo?", [("broccoli", None), ("tv", None)]),
        ("How many people sitting and hot dogs are there?", [("person", "sitting"), ("hot dog", None)]),
        ("How many orange and red TVs are in the image?", [("tv", "orange"), ("tv", "red")]),
        ("How many sofas are in the image?", [("sofa", None)]),
        ("How many televisions are there", [("tv", None)]),
        ("How many people are visible?", [("person", None)]),
        ("How many people are visible in this picture?", [("person", None)]),
        ("How many TVs can you see in the photo?", [("tv", None)]),
    ],
)
def test_measures_names_and_properties_are_understood(question: str, things: list[tuple[str, str | None]]) -> None:
    assert WORDS.asked_by(question) == Asked("how-many", tuple(things))


@pytest.mark.parametrize("question", ["", "How many?", "How many pairs of are there?", "Is there any and no tv?"])
def test_what_is_no_such_question_is_not_guessed(question: str) -> None:
    assert WORDS.asked_by(question) is None


@pytest.mark.parametrize(
    ("plain", "plainer"),
    [
        ("How many people are in the image?", "How many people are in the whole image, in all its parts together?"),
        ("How many TVs and sofas are in the image?", "How many TVs and sofas are in the image, both kinds together?"),
        ("Is there a couch in the image?", "Is there a couch anywhere in the image?"),
    ],
)
def test_words_that_make_a_question_plainer_ask_for_nothing_else(plain: str, plainer: str) -> None:
    assert WORDS.asked_by(plainer) == WORDS.asked_by(plain) is not None
