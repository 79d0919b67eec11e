"""The wording of a text: it stands for itself.

What a text answers to a question that asks how many or whether is read besides, so that answers compare by meaning.
"""

from __future__ import annotations

import re
import unicodedata

from anamorph.model import AnswerReading, Unreadable, Wording
from anamorph.reading.answers import AnswerReader
from anamorph.reading.quantity import UNITS
from anamorph.reading.unreadable import does_not_know, says_no
from anamorph.reading.wrapping import unwrapped

_SPACE = re.compile(r"\s+")
# The longest answer that is a name, a colour or a number, and no sentence.
_SHORT = 3
_ARTICLES = frozenset(("a", "an", "the"))
_MARK = re.compile(r"(?<!\d)[.,](?!\d)|[;/\[\]\"{}()=+\\_<>@`?!\u201c\u201d]")
_DIGITS = {**{word: str(value) for word, value in UNITS.items()}, "none": "0"}
# A subject, a form of "be", and what is said of it.
_SAID = re.compile(r"([\w' -]{1,60}?)(?:'s|'re| is| are| was| were) (.+)")
_PRONOUNS = frozenset(("it", "they", "this", "that", "he", "she", "the", "these", "those"))
_EDGE = " \t\n\r.!?,;:\"'`\u201c\u201d\u2018\u2019"


class WordingReader:
    """Reads a text as its wording, and what it says where the question asks how many or whether."""

    def __init__(self, answers: AnswerReader) -> None:
        self._answers = answers

    def read_text(self, text: str, question: str | None = None) -> Wording | Unreadable:
        """The wording of a text; one that says nothing, or refuses, has none."""
        if not text.strip():
            return Unreadable(text, "the answer is empty")
        message = unwrapped(text)
        if not message.strip():
            return Unreadable(text, "the answer has no words")
        asked = self._answers.understood(question) if question is not None else None
        asks = asked.asks if asked is not None and asked.closed else None
        said = self._answers.read_text(text, question) if asks is not None else None
        if not isinstance(said, AnswerReading):
            if says_no(message):
                return Unreadable(text, "the system refuses to answer")
            if question is not None and does_not_know(message):
                return Unreadable(text, "the system does not know")
        return Wording(text, normal_wording(message, question), question is not None, asks, said)


def normal_wording(text: str, question: str | None = None) -> str:
    """A text without what does not change its meaning: case, spacing, marks at its ends, Unicode variants.

    To a question, short answers are normal as in the evaluation of VQA v2: without articles and marks, numbers as
    digits. So are sentences whose subject only repeats the question: "The car is red." is "red" to "What color is the
    car?".
    """
    whole = _SPACE.sub(" ", unicodedata.normalize("NFKC", text)).strip(_EDGE).casefold()
    normal = "" if question is None else _without_subject(whole, question)
    if not normal or normal.count(" ") >= _SHORT:
        return whole
    kept = [_DIGITS.get(word, word) for word in _MARK.sub("", normal).split() if word not in _ARTICLES]
    return " ".join(kept) or normal


def _without_subject(normal: str, question: str) -> str:
    """What a sentence says of the thing that was asked about; the sentence itself if it begins with anything else."""
    said = _SAID.match(normal)
    if said is None:
        return normal
    asked = frozenset(re.findall(r"[\w'-]+", question.casefold()))
    return said[2] if _PRONOUNS.union(asked).issuperset(said[1].split()) else normal
