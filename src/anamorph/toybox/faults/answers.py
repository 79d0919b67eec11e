"""Single faults in answers to questions, and in label scores."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from random import Random

from anamorph.model import AnswerReading
from anamorph.reading.answers import AnswerReader
from anamorph.reading.labels import label_space
from anamorph.reading.quantity import number_of
from anamorph.reading.tokens import tokenize
from anamorph.toybox.captions import NUMBER_WORDS
from anamorph.toybox.drawing.classes import CLASSES
from anamorph.toybox.faults.captions import another_class, cased

# Labels with at least this score count, as by default for the plain reader.
GIVEN = 0.5
_HALLUCINATED_SCORE = 0.9
_NEGATED = re.compile(r"\b(?:is|are) there no\b|\bisn't there\b|\baren't there\b", re.IGNORECASE)


def negated(question: str) -> bool:
    """Whether a question asks if something is absent."""
    return _NEGATED.search(question) is not None


def overlooking_one(answer: str, question: str) -> str:
    """One fewer, or absent."""
    reading = _read(answer, question)
    if reading is None:
        return answer
    if reading.yes is not None:
        return _affirming(answer, reading, question, there_is=False)
    return _with_number(answer, reading, (reading.number or 0) - 1) if reading.number else answer


def imagining_one(answer: str, question: str) -> str:
    """One more, or present."""
    reading = _read(answer, question)
    if reading is None:
        return answer
    if reading.yes is not None:
        return _affirming(answer, reading, question, there_is=True)
    return answer if reading.number is None else _with_number(answer, reading, reading.number + 1)


def miscounting(answer: str, question: str, rng: Random) -> str:
    """One more or one fewer, if the answer is a number."""
    reading = _read(answer, question)
    if reading is None or reading.yes is not None or reading.number is None:
        return answer
    return _with_number(answer, reading, reading.number + (rng.choice((-1, 1)) if reading.number else 1))


def zero(answer: str, question: str) -> str:
    """Always 0, if the answer is a number."""
    reading = _read(answer, question)
    return answer if reading is None or reading.yes is not None else "0"


def yes(answer: str, question: str) -> str:
    """Always yes, if the answer is yes or no."""
    reading = _read(answer, question)
    return answer if reading is None or reading.yes in (None, True) else cased(answer, "yes")


def labels_without_one(labels: Mapping[str, float], rng: Random) -> dict[str, float]:
    """A label that counts loses its score."""
    given = _given(labels)
    return {**labels, rng.choice(given): 0.0} if given else dict(labels)


def labels_with_another(labels: Mapping[str, float], rng: Random) -> dict[str, float]:
    """The score of a label that counts goes to another."""
    given = _given(labels)
    if not given:
        return dict(labels)
    one = rng.choice(given)
    return {**labels, one: 0.0, another_class(one, given, rng): labels[one]}


def labels_with_hallucination(labels: Mapping[str, float], rng: Random) -> dict[str, float]:
    """A label that does not count gets a high score."""
    absent = sorted({*labels, *CLASSES} - set(_given(labels)))
    return {**labels, rng.choice(absent): _HALLUCINATED_SCORE} if absent else dict(labels)


def labels_with_companion(labels: Mapping[str, float], first: str, second: str) -> dict[str, float]:
    """The second label counts wherever the first does."""
    score = labels.get(first, 0.0)
    return {**labels, second: max(score, labels.get(second, 0.0))} if score >= GIVEN else dict(labels)


def _given(labels: Mapping[str, float]) -> list[str]:
    return sorted(name for name, score in labels.items() if score >= GIVEN)


@functools.cache
def _reader() -> AnswerReader:
    return AnswerReader(label_space("coco"))


def _read(answer: str, question: str) -> AnswerReading | None:
    reading = _reader().read_text(answer, question)
    return reading if isinstance(reading, AnswerReading) else None


def _affirming(answer: str, reading: AnswerReading, question: str, *, there_is: bool) -> str:
    if reading.there == there_is:
        return answer
    return cased(answer, "yes" if there_is != negated(question) else "no")


def _with_number(answer: str, reading: AnswerReading, number: int) -> str:
    """The answer with another number; a bare number if the noun would no longer fit."""
    tokens = tokenize(answer)
    stays_plural = number > 1 and (reading.number or 0) > 1
    for word, start, end in zip(tokens.lowers, tokens.starts, tokens.ends, strict=True):
        if number_of([word]) == reading.number and (stays_plural or answer[start:end] == answer.strip(" .!")):
            return answer[:start] + _number_like(answer[start:end], number) + answer[end:]
    return str(number)


def _number_like(old: str, number: int) -> str:
    if old[0].isdigit() or number >= len(NUMBER_WORDS):
        return str(number)
    return cased(old, {0: "zero", 1: "one"}.get(number, NUMBER_WORDS[number]))
