"""The same facts said bare and said in sentences get the same verdicts, case by case."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from random import Random
from typing import TypeAlias

import pytest
from hypothesis import given, strategies as st

from anamorph.methods.metavqa.method import MetaVqa
from anamorph.model import Case, Probe, Verdict
from anamorph.reading.morphology import singular_of
from anamorph.toybox.questions import asked_by
from tests.english import answer_reader
from tests.methods.asking import planned, toybox

# How many there are, what was asked for in the words of the question, and something else that is there.
Counting: TypeAlias = Callable[[int, str, str], str]
# Whether there is any, of what, whether the question asked if there is none, and something else that is there.
Telling: TypeAlias = Callable[[bool, str, bool, str], str]
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
READER = answer_reader()
# Nothing of the toybox.
OTHERS = ("a wooden fence", "two mountains", "several trees", "a red mailbox and three windows")

COUNTING: dict[str, Counting] = {
    "there-are": lambda n, things, other: f"There are {n} {things} in the image, next to {other}.",
    "i-can-see": lambda n, things, other: (
        f"I can see {WORDS[n]} {_as_many(n, things)} in this image. There is also {other}."
    ),
    "bold": lambda n, things, other: f"In the picture, there are **{n}** {things}. In the background there is {other}.",
    "in-total": lambda n, things, other: f"Besides {other}, the image shows {n} {things} in total.",
    "number-of": lambda n, things, other: f"The number of {things} is {n}. I also notice {other}.",
    "short": lambda n, things, other: f"{n}. The image also shows {other}.",
    "json": lambda n, things, other: f'```json\n{{"count": {n}, "background": "{other}"}}\n```',
    "boxed": lambda n, things, other: f"Apart from {other}, I count the {things} one by one. \\boxed{{{n}}}",
    "thoughts": lambda n, things, other: f"<think>Is it {n + 1}? No, that is {other}.</think>\nThere are {n} {things}.",
    "none-or-some": lambda n, things, other: (
        f"I don't see any {things} here, only {other}." if n == 0 else f"I count {n} {things} beside {other}."
    ),
}
TELLING: dict[str, Telling] = {
    "plain": lambda there, thing, negated, other: f"{_yes(there != negated)}. There is {other}.",
    "there-is": lambda there, thing, negated, other: (
        f"There is a {thing} in the image, and {other}."
        if there
        else f"There is no {thing} in the image, only {other}."
    ),
    "yes-there-is": lambda there, thing, negated, other: (
        f"{_yes(there != negated)}, there is {'a' if there else 'no'} {thing} in the image. I also see {other}."
    ),
    "i-see": lambda there, thing, negated, other: (
        f"I can see a {thing} beside {other}." if there else f"I can't see any {thing}, but there is {other}."
    ),
    "markdown": lambda there, thing, negated, other: f"**{_yes(there != negated)}**\n\nThe image shows {other}.",
    "contain": lambda there, thing, negated, other: (
        f"The image {'does' if there else 'does not'} contain a {thing}. It contains {other}."
    ),
}


def _as_many(number: int, things: str) -> str:
    """Things in the words of a question, as one says them: "one dog", "one" of dogs and cats, "two dogs"."""
    if number != 1:
        return things
    return "" if " and " in things else " ".join(singular_of(word) or word for word in things.split())


def _yes(yes: bool) -> str:
    return "Yes" if yes else "No"


@functools.cache
def cases() -> tuple[Case, ...]:
    return tuple(planned(MetaVqa(), toybox(25)))


def facts(probe: Probe, rng: Random) -> int:
    """How many an answerer sees, right or wrong; it sees the same wherever it is asked the same."""
    return Random(f"{rng.getrandbits(32)}{probe.digest}").choice((0, 0, 1, 1, 2, 3, 5))


def things_of(question: str) -> str:
    found = re.fullmatch(
        r"(?:How many|Is there (?:any|no)|Are there (?:any|no)) (.+?) (?:are )?in the image\?", question
    )
    assert found, question
    return found[1]


def bare(probe: Probe, number: int) -> str:
    asked = asked_by(probe.question or "")
    assert asked is not None
    if asked.asks == "how-many":
        return str(number)
    return _yes((number > 0) == (asked.asks == "is-there")).lower()


def told(probe: Probe, number: int, counting: Counting, telling: Telling, other: str) -> str:
    assert probe.question is not None
    asked = asked_by(probe.question)
    assert asked is not None
    things = things_of(probe.question)
    if asked.asks == "how-many":
        return counting(number, things, other)
    return telling(number > 0, things, asked.asks == "is-there-no", other)


def verdict(case: Case, answers: list[str]) -> Verdict:
    pairs = zip(answers, case.probes, strict=True)
    return case.relation.judge([READER.read_text(answer, probe.question) for answer, probe in pairs])


@pytest.mark.parametrize("counting", COUNTING)
@given(seed=st.integers(0, 2**32), telling=st.sampled_from(sorted(TELLING)), other=st.sampled_from(OTHERS))
def test_sentences_that_name_something_else_get_the_verdicts_of_bare_answers(
    counting: str, telling: str, seed: int, other: str
) -> None:
    rng = Random(seed)
    for case in rng.sample(cases(), 12):
        numbers = [facts(probe, rng) for probe in case.probes]
        plain = [bare(probe, number) for probe, number in zip(case.probes, numbers, strict=True)]
        sentences = [
            told(probe, number, COUNTING[counting], TELLING[telling], other)
            for probe, number in zip(case.probes, numbers, strict=True)
        ]
        assert verdict(case, sentences).outcome == verdict(case, plain).outcome, (case.relation, plain, sentences)
