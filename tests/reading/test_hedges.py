"""Which hedges claim, and which only guess: the same in captions and in answers."""

from __future__ import annotations

import pytest

from anamorph.model import AnswerReading, CaptionReading
from anamorph.reading.hedges import looks_like
from tests.english import answer_reader, caption_reader

CAPTIONS, ANSWERS = caption_reader(), answer_reader()
CLAIMS = (
    "There appear to be two dogs.",
    "There seem to be two dogs.",
    "What looks like two dogs.",
    "Probably two dogs.",
)


@pytest.mark.parametrize("text", CLAIMS)
def test_a_hedge_that_claims_is_read_as_the_bare_words(text: str) -> None:
    caption, answer = CAPTIONS.read_text(text), ANSWERS.read_text(text, "How many dogs are there?")
    assert isinstance(caption, CaptionReading) and caption.classes() == {"dog": (2, 2)}
    assert isinstance(answer, AnswerReading) and answer.number == 2


@pytest.mark.parametrize("text", ["It might be a dog.", "There could be a dog.", "Possibly a dog."])
def test_a_guess_claims_nothing(text: str) -> None:
    caption, answer = CAPTIONS.read_text(text), ANSWERS.read_text(text, "Is there a dog?")
    assert isinstance(caption, CaptionReading) and not caption.classes()
    assert not isinstance(answer, AnswerReading) or answer.there is None


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("it looks like two", True),
        ("looks like two", True),
        ("what look like dogs", True),
        ("something that looks like a dog", True),
        ("a cloud that looks like a dog", False),
        ("the mirror makes it look like two", False),
        ("the dogs like it", False),
    ],
)
def test_only_what_has_no_subject_of_its_own_claims_what_it_looks_like(text: str, claims: bool) -> None:
    words = text.split()
    assert looks_like(words, words.index("like")) is claims
