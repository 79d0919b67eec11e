"""Damaged answers to closed questions: none crashes the reader, and none is read as a number that it does not give."""

from __future__ import annotations

import re
from random import Random

from anamorph.readers.closed import NUMBER, TRUE_FALSE, YES_NO, ClosedForm, read_closed
from tests.hostile.mutations import damaged

FORMS = (NUMBER, YES_NO, TRUE_FALSE, ClosedForm("option", ("red", "blue", "none of them")))
ANSWERS = (
    *("3", "**Answer:** 3", "There are three dogs in the image.", "3 (three)", '{"answer": 3}', "\\boxed{3}", "None"),
    *("```\n3\n```", "<think>3 or 4</think>3", "Sure! I can see 3 dogs. They are on the left.", "There are no dogs."),
    *("Yes, there is a dog.", "No, there isn't.", "**True**", "The statement is false.", "(A) red", "None of them."),
)


def make(rng: Random) -> bytes:
    """An answer that was damaged, or two that were joined at any place."""
    one, other = (answer.encode() for answer in rng.choices(ANSWERS, k=2))
    if rng.random() < 0.3:
        one = one[: rng.randrange(len(one) + 1)] + other[rng.randrange(len(other) + 1) :]
    return damaged(one, rng) if rng.random() < 0.8 else one


def read(content: bytes) -> object:
    """Every reading of an answer; AssertionError if its number is not the one of the text."""
    text = content.decode("utf-8", "surrogateescape")
    readings = [read_closed(text, form, "How many dogs are in the image?") for form in FORMS]
    number = getattr(readings[0], "number", None)
    said = {int(digits[:9]) for digits in re.findall(r"[0-9]+", text.rpartition("</think>")[2])}
    assert number is None or said in ({number}, set()), (text, number)
    return readings
