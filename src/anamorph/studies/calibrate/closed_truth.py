"""The true answers to crosscheck's questions about drawn scenes."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence

from anamorph.methods.crosscheck.wording import Wording
from anamorph.model import AnswerReading, ChoiceReading, Reading
from anamorph.readers.closed import form_of
from anamorph.reading.labels import label_space
from anamorph.reading.nouns import counted, noun_of
from anamorph.toybox.truth import Truth
from anamorph.toybox.wrongness import Assessment, Category

# What is left of the first, from 0 to 1, is on the left, and what is right of the second on the right.
_SIDES = (0.4, 0.6)
# People would not agree about the side of what is this close to one of them.
_EDGE = 0.1


def true_closed_answer(seen: Truth, question: str) -> str | None:
    """The true answer to a question of crosscheck; None for any other question."""
    if question.startswith(Wording().list):
        return ", ".join(seen.labels) or "nothing"
    asked = _asked(question)
    return None if asked is None else _answer(asked[0], seen, asked[1], question)


def assess_closed(reading: Reading, question: str, seen: Truth) -> Assessment | None:
    """Whether an answer to a question of crosscheck is right; None for other questions, and other forms of answers."""
    asked = _asked(question)
    if asked is None:
        return None
    kind, labels = asked
    if kind in ("which", "side"):
        return _assess_choice(kind, reading, seen, labels)
    if not isinstance(reading, AnswerReading):
        return None
    spans = [seen.count(label) for label in labels]
    least, most = sum(span.least for span in spans), sum(span.most for span in spans)
    low, high = reading.least, reading.most
    if kind == "denies":
        low, high = (0, 0) if reading.there else (1, None)
    if low <= most and (high is None or least <= high):
        return Assessment("right")
    category: Category = "number" if kind in ("count", "collage_count", "both") else "yes-no"
    return Assessment("wrong", (category,), f"{' and '.join(labels)}: {least} to {most}")


def _assess_choice(kind: str, reading: Reading, seen: Truth, labels: Sequence[str]) -> Assessment:
    """Of two that are both there, or both not, and of what is near the middle's edge, nothing is wrong."""
    said = reading.option if isinstance(reading, ChoiceReading) else None
    if kind == "which":
        there = [label for label in labels if seen.is_there(label)]
        absent = [label for label in labels if seen.is_there(label) is False]
        right = there if len(there) == len(absent) == 1 else []
    else:
        places = [thing.across for thing in seen.things if thing.label == labels[0] and thing.perceptible]
        clear = len(places) == 1 and all(abs(places[0] - edge) > _EDGE for edge in _SIDES)
        right = [_side_of(places[0])] if clear else []
    if said is None or not right:
        return Assessment("untold", reason="people would not agree about it")
    return Assessment("right") if said in right else Assessment("wrong", ("attribute",), f"it is {right[0]}")


def question_kind(question: str) -> str | None:
    """Which question of crosscheck this is, by its setting; None if it is none of them."""
    asked = _asked(question)
    return None if asked is None else asked[0]


def _asked(question: str) -> tuple[str, list[str]] | None:
    """Which question of crosscheck this is, and the classes that it names; None if it is none of them."""
    for kind, pattern in _patterns():
        found = pattern.fullmatch(question)
        labels = [] if found is None else [_labels().get(noun.lower(), "") for noun in found.groups()]
        if labels and all(labels):
            return kind, labels
    return None


def _side_of(across: float) -> str:
    left, right = _SIDES
    return "left" if across < left else "right" if across > right else "middle"


def _answer(kind: str, seen: Truth, labels: list[str], question: str) -> str | None:
    number = sum(seen.count(label).least for label in labels)
    match kind:
        case "count" | "collage_count" | "both":
            return str(number)
        case "exists" | "collage_exists":
            return "yes" if number else "no"
        case "states":
            return "true" if number else "false"
        case "denies":
            return "false" if number else "true"
        case "which":
            form = form_of(question)
            there = [label for label in labels if seen.count(label).least]
            # Of two that are there, or of none, it names the first of the alphabet, whatever their order.
            return min(there or labels) if form is not None else None
        case "side":
            places = [thing.across for thing in seen.things if thing.label == labels[0] and thing.clear]
            return _side_of(places[0]) if places else "middle"
    return None


@functools.cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    found = []
    for kind in ("both", "collage_count", "collage_exists", "count", "exists", "states", "denies", "side", "which"):
        parts = re.split(r"\{[a-z_]+\}", getattr(Wording(), kind))
        # A chat model gets the form of the answer behind the question.
        pattern = "(.+?)".join(map(re.escape, parts)) + r"(?: (?:Please )?[Aa]nswer .*)?"
        found.append((kind, re.compile(pattern)))
    return tuple(found)


@functools.cache
def _labels() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name in label_space("coco").names:
        noun = noun_of(name)
        for word in (name, noun.one, counted(name, 1), noun.measure + noun.many):
            found[word.lower()] = name
    return found
